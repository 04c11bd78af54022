//! Columns that are named wrongly, or not at all.

use super::{mistake, try_all, usual};

#[test]
fn columns_that_are_named_wrongly_or_not_at_all() {
    try_all(vec![
        mistake("sovle", usual(), "sovle t.csv", false, &["solve"]),
        mistake(
            "--agent Hospital",
            usual(),
            "solve t.csv --agent Hospital --target cost --model linear",
            false,
            &["did you mean `hospital`?"],
        ),
        mistake(
            "--target diseas",
            usual(),
            "solve t.csv --agent hospital --target diseas --model logistic",
            false,
            &["did you mean `disease`?"],
        ),
        mistake(
            "no --agent",
            usual(),
            "solve t.csv --target cost --model linear",
            false,
            &["--agent", "`hospital`, `age`"],
        ),
        mistake(
            "no --target",
            usual(),
            "solve t.csv --agent hospital --model linear",
            false,
            &["--target", "`cost`"],
        ),
        mistake(
            "--column zip=text",
            usual(),
            "solve t.csv --agent hospital --target cost --model linear --column zip=text",
            false,
            &["no column `zip`", "`bp`", "data inspect"],
        ),
        mistake(
            "--column sexe=text",
            usual(),
            "solve t.csv --agent hospital --target cost --model linear --column sexe=text",
            false,
            &["did you mean `sex`?"],
        ),
        mistake(
            "agent = target",
            usual(),
            "solve t.csv --agent cost --target cost --model linear",
            false,
            &["both for agents and as target"],
        ),
        mistake(
            "logistic on a quantity",
            usual(),
            "solve t.csv --agent hospital --target cost --model logistic",
            false,
            &["quantity", "--model linear"],
        ),
        mistake(
            "linear on text",
            usual(),
            "solve t.csv --agent hospital --target disease --model linear",
            false,
            &["is not a number", "--model logistic"],
        ),
        mistake(
            "inspect a quantity",
            usual(),
            "data inspect t.csv --agent hospital --target cost",
            true,
            &["mean of cost", "West"],
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
