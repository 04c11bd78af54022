//! Training by rounds: a spec in, a run folder out, and back in to continue.

mod begin;
mod checkpoint;
mod conclude;
mod events;
mod header;
mod image_run;
mod prepare;
mod progress;
mod rounds;
mod session;
mod summary;
mod watcher;

pub(crate) use self::begin::{LABELS, resume, train};
pub(crate) use self::prepare::{FEDERATION, Prepared, TableRun, prepare};
pub(crate) use self::session::{Talk, Trained};
pub(crate) use self::watcher::{listen, stopped};
