//! Columns that are named wrongly, or not at all.

use super::{mistake, try_all, usual};

#[test]
fn columns_that_are_named_wrongly_or_not_at_all() {
    try_all(vec![
        mistake(
            "no --target",
            usual(),
            "solve t.csv --agent hospital --model linear",
            false,
            &["--target", "`cost`"],
        ),
        mistake(
            "--column sexe=text",
            usual(),
            "solve t.csv --agent hospital --target cost --model linear --column sexe=text",
            false,
            &["did you mean `sex`?"],
        ),
        mistake(
            "inspect without target",
            usual(),
            "data inspect t.csv",
            true,
            &["bp", "number", "text"],
        ),
    ]);
}
