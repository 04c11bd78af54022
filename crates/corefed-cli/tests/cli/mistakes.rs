//! What people get wrong about tables, columns and specs, and what they are told: the first answer either
//! works and says what it did, or names the place and the way out.

mod cells;
mod columns;
mod files;
mod newcomer;
mod specs;

use crate::harness::{Folder, Said};

/// Sixty patients of three hospitals. Every cell is made by a rule, so that a test can change one.
fn patients(cell: impl Fn(usize, &str) -> Option<String>) -> String {
    let names = ["hospital", "age", "sex", "bp", "disease", "cost"];
    let mut text = names.join(",") + "\n";
    for row in 0..60 {
        let usual = |name: &str| match name {
            "hospital" => ["West", "East", "North"][row % 3].to_owned(),
            "age" => (20 + (row * 7) % 61).to_string(),
            "sex" => ["f", "m"][row / 3 % 2].to_owned(),
            "bp" => (110 + (row * 13) % 47).to_string(),
            "disease" => ["yes", "no"][(row / 3 + row / 7) % 2].to_owned(),
            _ => format!("{}.25", 900 + (row * 37) % 500),
        };
        let cells = names.map(|name| cell(row, name).unwrap_or_else(|| usual(name)));
        text += &(cells.join(",") + "\n");
    }
    text
}

fn usual() -> String {
    patients(|_, _| None)
}

/// One column as told, the others as usual.
fn with(column: &'static str, cell: impl Fn(usize) -> String) -> String {
    patients(|row, name| (name == column).then(|| cell(row)))
}

const LINEAR: &str = "solve t.csv --agent hospital --target cost --model linear";

/// A mistake: the table, what is typed, whether it works none the less, and words of the answer.
struct Mistake {
    what: &'static str,
    table: Vec<u8>,
    command: &'static str,
    works: bool,
    words: &'static [&'static str],
}

fn mistake(
    what: &'static str,
    table: impl Into<Vec<u8>>,
    command: &'static str,
    works: bool,
    words: &'static [&'static str],
) -> Mistake {
    Mistake { what, table: table.into(), command, works, words }
}

fn try_all(mistakes: Vec<Mistake>) {
    let mut wrong = Vec::new();
    for Mistake { what, table, command, works, words } in mistakes {
        let folder = Folder::new(&[]);
        std::fs::write(folder.path("t.csv"), &table).expect("written");
        let Said { code, out, err } = folder.run(command);
        let said = format!("{out}{err}");
        let way_out = err.contains("hint: ") || err.contains("tip: ") || err.contains("--help");
        let fine = if works { code < 2 } else { code == 2 && way_out };
        let missing: Vec<&&str> = words.iter().filter(|word| !said.contains(**word)).collect();
        if !fine || !missing.is_empty() || said.contains("panic") {
            wrong.push(format!("{what}: code {code}, lacks {missing:?}\n{said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n---\n"));
}
