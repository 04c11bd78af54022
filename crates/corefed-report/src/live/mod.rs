//! The report of a run while it runs, on a page of its own.

mod address;
mod answer;
mod conversations;
mod deadline;
mod desk;
mod frame;
mod request;
mod run;
mod server;

pub use self::answer::Answer;
pub use self::desk::{Desk, Exhibit, State};
pub use self::run::LiveRun;
pub use self::server::Server;
