//! The report of a run while it goes on, on a page of its own.

mod frame;
mod request;
mod server;

pub(crate) use self::server::{Exhibit, Server};
