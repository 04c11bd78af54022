//! The proportional veto core: which of several listed models can nobody veto?
//!
//! Only the order of preference counts, so there are no ceilings, any models will do, and the core is
//! never empty (ledger E60, E61).

mod assembly;
mod ballots;
mod consumption;
mod flow;

pub use assembly::{Assembly, Standing};
pub use ballots::Ballots;
