//! The examples run, and find what they say they find.

#[path = "../examples/audit_table.rs"]
mod audit_table;
#[path = "../examples/own_model.rs"]
mod own_model;
#[path = "../examples/solve_and_certify.rs"]
mod solve_and_certify;
#[path = "../examples/train_rounds.rs"]
mod train_rounds;

#[test]
fn three_optima_are_solved_certified_and_checked() {
    solve_and_certify::main().unwrap();
}

#[test]
fn a_printed_table_is_audited() {
    audit_table::main().unwrap();
}

#[test]
fn every_rule_trains() {
    train_rounds::main().unwrap();
}

#[test]
fn a_loss_of_the_users_own_is_audited_exactly() {
    own_model::main().unwrap();
}
