//! Checks that hold the repository together.

fn main() {}
