//! Whole trainings: against closed forms, exact solvers and themselves.

mod coalition;
mod faults;
mod optimum;
mod repetition;
mod rules;
mod steady;
mod testing;
