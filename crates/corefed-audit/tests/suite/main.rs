//! The exact audit, its bounds and its certificates.

mod bounds;
mod certify;
mod exact;
mod halted;
mod hard_numbers;
mod poisson;
mod redundant_columns;
mod values;
mod veto;
mod wide;
