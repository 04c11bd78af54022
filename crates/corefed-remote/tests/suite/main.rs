//! Sessions with agents in this process.

mod answers;
mod closed_forms;
mod liar;
mod own_model;
mod pooled;
mod refusals;
mod replay;
mod testing;
mod training;
