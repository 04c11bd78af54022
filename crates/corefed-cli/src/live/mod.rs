//! The report of a run while it goes on, on a page of its own.

mod frame;
mod request;
mod run;
mod server;

pub(crate) use self::run::LiveRun;
pub(crate) use self::server::{Exhibit, Server};
