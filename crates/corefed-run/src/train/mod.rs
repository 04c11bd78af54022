//! Training by rounds: a spec in, a run folder out, and back in to continue.

mod begin;
mod changed;
mod checkpoint;
mod conclude;
mod conclude_network;
mod header;
mod last_record;
mod resume;
mod rounds;
mod session;
mod unjudged;

pub use begin::train;
pub use changed::{known_changes, record_changes};
pub(crate) use header::terms_of_table;
pub(crate) use resume::train_or_resume;
pub use resume::{resume, train_or_resume_on};
pub use session::{TrainedResult, TrainedRun, write_verdict};
pub use unjudged::write_unjudged;
