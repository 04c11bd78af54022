//! Agents that say little.

use super::{LINEAR, LOGISTIC, mistake, try_all, with};

#[test]
fn agents_that_say_little() {
    let one_row =
        |row: usize| if row == 5 { "Tiny".to_owned() } else { ["W", "E"][row % 2].to_owned() };
    try_all(vec![
        mistake(
            "numbers as agents",
            with("hospital", |row| (row % 3).to_string()),
            LINEAR,
            true,
            &["stable"],
        ),
        mistake("single row", with("hospital", one_row), LINEAR, false, &["`Tiny`", "single row"]),
        mistake(
            "one class",
            with("disease", |row| if row % 3 == 2 { "no".into() } else { "yes".into() }),
            LOGISTIC,
            false,
            &[
                "3 of 3 agents (`West`, `East`, `North`)",
                "`yes` (2)",
                "`no` (1)",
                "--allow one-class",
            ],
        ),
        mistake(
            "trailing spaces",
            with("hospital", |row| ["West ", " West", "East"][row % 3].into()),
            LINEAR,
            true,
            &["West", "40"],
        ),
        mistake(
            "no agent",
            with(
                "hospital",
                |row| if row == 7 { String::new() } else { ["W", "E"][row % 2].into() },
            ),
            LINEAR,
            false,
            &["line 9", "names no agent"],
        ),
        mistake(
            "one agent",
            with("hospital", |_| "West".into()),
            LINEAR,
            false,
            &["single agent, `West`"],
        ),
        mistake(
            "three classes",
            with("disease", |row| ["a", "b", "c"][row / 3 % 3].into()),
            LOGISTIC,
            false,
            &["3 classes", "softmax"],
        ),
    ]);
}
