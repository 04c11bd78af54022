//! Training by rounds: a spec in, a run folder out, and back in to continue.

mod begin;
mod checkpoint;
mod conclude;
mod events;
mod header;
mod image_case;
mod image_run;
mod network_audit;
mod network_rivals;
mod network_run;
mod prepare;
mod prepared;
mod progress;
mod rounds;
mod session;
mod summary;
mod watcher;

pub(crate) use self::begin::{LABELS, resume, resume_on, train, train_on};
pub(crate) use self::prepare::{FEDERATION, prepare};
pub(crate) use self::prepared::{Prepared, TableRun};
pub(crate) use self::session::{Talk, Trained};
pub use self::watcher::stop;
pub(crate) use self::watcher::{go_on, listen, own_signals, stopped};
