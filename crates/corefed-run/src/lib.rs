//! From a spec to a verdict: agents, terms, solution or training, audit and documents.
//!
//! [`run_exact`] solves a spec without `[train]`, [`train`] and [`resume`] train one by rounds; [`compare`],
//! [`sweep`], [`audit_table`] and [`predict`] are what the commands of those names do. All of them write whole
//! folders or none. Progress goes to an [`Observer`], a [`Stop`] ends a run where it can be resumed, and every
//! [`RunError`] carries its values and a [hint](RunError::hint). Nothing here prints, reads arguments or keeps
//! global state.
//!
//! ```
//! use corefed_core::Verdict;
//! use corefed_run::{Silent, Stop, find_spec, run_exact};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("first");
//! let spec = find_spec("hospitals")?;
//! let run = run_exact(&spec, None, &path, &Stop::default(), &Silent)?.expect("nobody asked to stop");
//! let core = run.core().expect("one of the rules");
//! assert_eq!(core.verdict, Verdict::Stable);
//! assert!(run.report.ends_with("report.html"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod audit;
mod case;
mod ceiling;
pub mod coalitions;
mod compare;
mod csv_text;
mod error;
mod events;
mod exact;
mod given;
mod images;
mod listed;
mod locate;
mod network;
mod observer;
mod owned_rows;
mod policy;
mod predict;
mod prepare;
mod prepared;
mod publish;
mod reported;
pub mod source;
mod stop;
mod sweep;
mod table;
mod train;

pub use audit::{Audited, Limits, check_tolerance};
pub use case::{Case, CaseTerms};
pub use ceiling::{PRECISIONS, search_ceiling};
pub use compare::{Several, compare, contenders, reference};
pub use error::{GivenError, PrepareError, RunError, TermsError, TrainingError};
pub use events::{Event, EventStream};
pub use exact::{ExactRun, RULES, SOLVER_GAP, run_exact};
pub use given::{Given, GivenPredictor};
pub use listed::{audit_listed, utilities_csv};
pub use locate::{find_spec, seen_from};
pub use network::held_out::held_out_utility;
pub use observer::{End, Observer, Observers, Silent, Start};
pub use owned_rows::{AGENT, owned_rows};
pub use policy::{DEFAULT_RADIUS, ceiling_policy, resolve_weights};
pub use predict::predict;
pub use prepare::prepare;
pub use prepared::{Prepared, TableRun};
pub use publish::publish;
pub use reported::RoundFacts;
pub use stop::Stop;
pub use sweep::sweep;
pub use table::audit_table;
pub use train::{TrainedResult, TrainedRun, resume, resume_on, train, train_on, write_verdict};
