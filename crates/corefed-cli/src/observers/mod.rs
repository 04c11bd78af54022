//! How far a run is: lines on a terminal, or events for programs.

mod events;
mod progress;
mod terminal;

pub(crate) use events::with_events;
pub(crate) use terminal::Terminal;
