//! Upper bounds on `kappa` and what each rests on (ledger E5 to E11).

mod conflict;
mod frank_wolfe;
mod headroom;
mod pseudo_core;
mod ratio;
mod strong_convexity;

pub use conflict::{Conflict, dual_bound};
pub use frank_wolfe::{frank_wolfe_bound, frank_wolfe_gap};
pub use headroom::headroom;
pub use pseudo_core::PseudoCore;
pub use ratio::{NegativeGain, ratio_bound};
pub use strong_convexity::strong_convexity_bound;
