//! Upper bounds on `kappa` and what each rests on (ledger E5 to E11, E78).

mod conflict;
mod frank_wolfe;
mod headroom;
mod headroom_ahead;
mod pseudo_core;
mod ratio;
mod strong_convexity;
mod tangents;

pub use conflict::Conflict;
pub use frank_wolfe::{frank_wolfe_bound, frank_wolfe_gap};
pub use headroom::headroom;
pub use headroom_ahead::{KnownLosses, empty_from, headroom_ahead};
pub use pseudo_core::PseudoCore;
pub use ratio::{NegativeGain, ratio_bound};
pub use strong_convexity::strong_convexity_bound;
pub use tangents::{KnownTangent, tangents_bound};
