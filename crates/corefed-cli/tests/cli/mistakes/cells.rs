//! Cells that are not what they seem.

use super::{LINEAR, mistake, try_all, usual, with};

#[test]
fn holes_by_any_name() {
    let hole = |word: &'static str| {
        with("bp", move |row| if row % 10 == 3 { word.into() } else { (100 + row).to_string() })
    };
    let filled: &[&str] =
        &["missing numbers are replaced by the mean of their column: 6 in `bp`", "stable"];
    try_all(vec![
        mistake("null", hole("null"), LINEAR, true, filled),
        mistake("a dot", hole("."), LINEAR, true, filled),
        mistake("a dash", hole("-"), LINEAR, true, filled),
        mistake(
            "--na",
            hole("unknown"),
            "solve t.csv --agent hospital --target cost --model linear --na unknown",
            true,
            filled,
        ),
        mistake(
            "a word",
            hole("unknown"),
            LINEAR,
            false,
            &["`unknown` is not a number, but 54 of 60", "--na unknown"],
        ),
        mistake(
            "strict",
            hole("NA"),
            "solve t.csv --agent hospital --target cost --model linear --missing error",
            false,
            &["line 5, column `bp`", "`NA`"],
        ),
        mistake(
            "drop",
            hole("NA"),
            "solve t.csv --agent hospital --target cost --model linear --missing drop",
            true,
            &["6 of 60 rows are left out, because cells are missing: 6 in `bp`"],
        ),
        mistake(
            "no target",
            with("cost", |row| if row < 6 { "NA".into() } else { row.to_string() }),
            LINEAR,
            true,
            &["6 of 60 rows are left out", "6 in `cost`"],
        ),
        mistake("inf", hole("inf"), LINEAR, false, &["line 5", "`inf` is not a finite number"]),
    ]);
}

#[test]
fn values_that_are_something_else() {
    try_all(vec![
        mistake(
            "an identifier",
            with("sex", |row| format!("p-{row}")),
            LINEAR,
            true,
            &["column `sex` has 60 different texts", "left out", "--column sex=text"],
        ),
        mistake(
            "dates",
            with("bp", |row| format!("2024-{:02}-{:02}", 1 + row / 28, 1 + row % 28)),
            LINEAR,
            true,
            &["column `bp` holds dates", "--column bp=parts", "--column bp=ignore"],
        ),
        mistake(
            "American dates",
            with("bp", |row| format!("{}/{}/2024", 1 + row / 28, 1 + row % 28)),
            LINEAR,
            false,
            &["column `bp` holds dates", "2024-03-01", "--column bp=ignore"],
        ),
        mistake(
            "ceiling -1",
            usual(),
            "solve t.csv --agent hospital --target cost --model linear --ceiling -1",
            false,
            &["positive"],
        ),
    ]);
}
