//! One file per command, each a function from arguments to an exit code.

mod about;
mod answer;
mod attest;
mod audit;
mod ceiling;
mod choose;
mod compare;
mod data;
mod export;
mod mail;
#[cfg(feature = "node")]
mod node;
mod predict;
mod report;
mod reproduce;
mod run;
mod solve;
mod stay;
mod sweep;
mod training;
mod verify;
mod watch;

pub(crate) use about::{completions, man, schema};
pub(crate) use attest::{attest, keys};
pub(crate) use audit::audit;
pub(crate) use ceiling::ceiling;
pub(crate) use choose::choose;
pub(crate) use compare::compare;
pub(crate) use data::data;
pub(crate) use export::export;
pub(crate) use mail::{answer, summarise};
#[cfg(feature = "node")]
pub(crate) use node::node;
pub(crate) use predict::predict;
pub(crate) use report::report;
pub(crate) use reproduce::reproduce;
pub(crate) use run::run;
pub(crate) use solve::solve;
pub(crate) use stay::stay;
pub(crate) use sweep::sweep;
pub(crate) use verify::verify;
pub(crate) use watch::watch;
