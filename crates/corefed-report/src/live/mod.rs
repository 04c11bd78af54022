//! The report of a run while it goes on, on a page of its own.

mod frame;
mod request;
mod run;
mod server;

pub use self::run::LiveRun;
pub use self::server::{Exhibit, Server};
