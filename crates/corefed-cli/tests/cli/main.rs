//! The real binary, on good and bad files.

mod bad_input;
mod certificates;
mod good_input;
mod harness;
