//! The report of a run while it runs, on a page of its own.

mod address;
mod conversations;
mod desk;
mod frame;
mod request;
mod run;
mod server;

pub use self::desk::{Answer, Desk, Exhibit, State};
pub use self::run::LiveRun;
pub use self::server::Server;
