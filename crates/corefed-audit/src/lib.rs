//! Is this predictor in the core? Exact answers for convex losses and for tables of utilities.
//!
//! [`audit`] asks about a predictor and every rival in its ball: one gradient where its premise holds, a
//! search over coalitions elsewhere, and evidence for both ends of the interval. [`issue`] writes what
//! was found as a certificate, each claim rounded to what the checker proves. [`audit_table`] asks about
//! one row of a table, against the other rows alone, without rounding.
//!
//! ```
//! use corefed_audit::audit_table;
//! use num_rational::BigRational;
//!
//! let row = |values: [i64; 2]| values.map(|v| BigRational::from_integer(v.into())).to_vec();
//! // The first agent has 1 and could have 3 with row 1: half of that is more than it has.
//! let found = audit_table(&[row([1, 1]), row([3, 0])], 0, &row([1, 1]));
//! assert_eq!(found.deviation, Some((1, vec![0])));
//! ```

mod accuracy;
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

pub use accuracy::{Accuracy, but_for_rounding};
pub use audit::{Audit, audit};
pub use best::Best;
pub use branch::{Ground, Search};
pub use certify::{Certified, certify};
pub use coalition::{Coalition, MOST_AGENTS};
pub use first_order::FirstOrder;
pub use issue::{Parties, assumptions, issue};
pub use node::{Node, Reached};
pub use pool::{Bounding, KnownBound, Pool};
pub use premise::Premise;
pub use program::{Program, coalition_program};
pub use progress::{Observer, Progress};
pub use table::{TableAudit, audit_table, audit_table_while};
pub use values::{CoalitionValue, MOST_LISTED_AGENTS, coalition_values};
pub use veto::{Assembly, Ballots, Standing};
