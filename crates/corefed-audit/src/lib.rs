//! Is this predictor in the core? Exact answers for convex losses and for tables of utilities.

mod alone;
mod audit;
mod best;
mod branch;
mod certify;
mod coalition;
mod first_order;
mod frontier;
mod hopeless;
mod issue;
mod known;
mod node;
mod pool;
mod pooled;
mod premise;
mod program;
mod progress;
mod shortlist;
mod table;
mod values;
mod veto;

pub use audit::{Audit, audit};
pub use certify::{Certified, certify};
pub use best::Best;
pub use branch::{Ground, Search};
pub use coalition::{Coalition, MOST_AGENTS};
pub use first_order::FirstOrder;
pub use issue::{Parties, assumptions, issue};
pub use node::{Node, Reached};
pub use pool::{Bounding, KnownBound, Pool};
pub use premise::Premise;
pub use program::{Program, coalition_program};
pub use progress::{Observer, Progress};
pub use table::{TableAudit, audit_table};
pub use values::{CoalitionValue, MOST_LISTED_AGENTS, coalition_values};
pub use veto::{Assembly, Ballots, Standing};
