//! Training by rounds: a spec in, a run folder out, and back in to continue.

mod begin;
mod checkpoint;
mod conclude;
mod events;
mod header;
mod held_out;
mod image_case;
mod image_run;
mod network_audit;
mod network_nearby;
mod network_rivals;
mod network_run;
mod prepare;
mod prepared;
mod progress;
mod resume;
mod rounds;
mod session;
mod summary;
mod watcher;

pub(crate) use self::begin::{LABELS, train, train_on};
pub(crate) use self::conclude::{Bounds, factors};
pub(crate) use self::held_out::{HeldOutUtility, held_out_utility};
pub(crate) use self::prepare::{FEDERATION, prepare};
pub(crate) use self::prepared::{Prepared, TableRun};
pub(crate) use self::resume::{resume, resume_on};
pub(crate) use self::session::{Talk, Trained};
pub use self::watcher::stop;
pub(crate) use self::watcher::{go_on, listen, own_signals, stopped};
