//! The real binary, on good and bad files.

mod about;
mod attest;
mod attest_draft;
mod bad_input;
mod bounds;
mod bytes;
mod ceiling;
mod certificates;
mod changed_spec;
mod choose;
mod data;
mod data_dir;
mod faults;
mod first_try;
mod foreign;
mod good_input;
mod harness;
mod held_out;
mod hostile;
#[cfg(unix)]
mod hostile_folders;
mod hostile_names;
mod interrupt;
mod left_out;
mod mail;
mod mail_ceilings;
mod mistakes;
#[cfg(unix)]
mod mistakes_outputs;
mod networks;
mod poisson;
mod predict;
mod regression;
mod report;
mod reproduce;
mod resume;
mod resume_rules;
mod run_folder;
mod side_by_side;
mod stay;
mod stay_refused;
mod tables;
mod training;
mod tuned;
mod two_at_once;
mod writing;
