//! Sessions with agents in this process.

mod answers;
mod closed_forms;
mod liar;
mod pooled;
mod refusals;
mod replay;
mod testing;
mod training;
