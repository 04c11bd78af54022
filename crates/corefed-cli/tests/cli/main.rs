//! The real binary, on good and bad files.

mod bad_input;
mod certificates;
mod data;
mod good_input;
mod harness;
mod report;
