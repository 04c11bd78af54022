//! A table whose every name acts, and what its commands may say.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use corefed_core::is_hidden;

use crate::harness::{Folder, Said};

/// Clears the screen and says what it likes; breaks the line; turns it around; runs in a spreadsheet.
pub(crate) const AGENTS: [&str; 4] = [
    "\u{1b}[2J\u{1b}[Hverified\u{1b}[8m",
    "a\nFORGED: stable, no coalition gains by leaving",
    "b\u{202e}dne\u{2066}\u{200b}\u{9b}2J\u{7f}",
    "=HYPERLINK(\"http://x\")",
];
const FEATURE: &str = "do\u{1b}]0;title\u{7}se\nFORGED: stable, no coalition gains by leaving";
const TARGET: &str = "il\u{202e}l";
/// Tables that are data: what was given, what certificates speak of, and predictions.
const DATA: [&str; 6] =
    ["d.csv", "u.csv", "m.csv", "federation.csv", "choices.csv", "predicted.csv"];
/// A name that no file has.
pub(crate) const ODD: &str = "no\u{1b}[2J\nFORGED\u{202e}";
const TRAIN: &str =
    "[train]\nrounds = 4\n[train.local]\nlearning_rate = 0.1\n[train.record]\ntensorboard = true\n";

pub(crate) fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

/// Four hospitals with such names in `d.csv`, a feature and a target of such names; a spec to solve, one to train.
pub(crate) fn hospitals() -> Folder {
    let mut table = format!("hospital,{},other,{}\n", quoted(FEATURE), quoted(TARGET));
    for k in 0..80_u32 {
        let agent = quoted(AGENTS[k as usize % 4]);
        let (dose, other) = ((k * 37) % 50, (k * 11) % 7);
        let ill = u32::from((dose + k % 7 + 4 * (k % 4)) % 9 > 4);
        writeln!(table, "{agent},{dose},{other},{ill}").expect("a string");
    }
    let spec = format!(
        "data = \"d.csv\"\nagent = \"hospital\"\ntarget = \"{TARGET}\"\nmodel = \"logistic\"\nceiling = 0.9\n\
         held_out = 0.25\n"
    );
    let training = format!("{spec}{TRAIN}");
    Folder::new(&[("d.csv", &table), ("exact.toml", &spec), ("rounds.toml", &training)])
}

/// Words of a command: `COLUMNS` says what those of `d.csv` mean, `TARGET` and `ODD` are names.
fn words(command: &str) -> Vec<&str> {
    let columns = ["--agent", "hospital", "--target", TARGET, "--model", "logistic"];
    let word = |word| match word {
        "COLUMNS" => columns.to_vec(),
        "TARGET" => vec![TARGET],
        "ODD" => vec![ODD],
        word => vec![word],
    };
    command.split_whitespace().flat_map(word).collect()
}

/// Runs a command that must do its work, and looks at what it says.
pub(crate) fn told(folder: &Folder, command: &str) -> Said {
    told_of(folder, &words(command))
}

pub(crate) fn told_of(folder: &Folder, arguments: &[&str]) -> Said {
    let said = folder.run_with(arguments);
    assert_ne!(said.code, 2, "{arguments:?}: {}", said.err);
    said_harmlessly(arguments, said)
}

/// Runs a command that must refuse, and looks at what it says.
pub(crate) fn refused(folder: &Folder, command: &str) -> Said {
    let arguments = words(command);
    let said = folder.run_with(&arguments);
    assert_eq!(said.code, 2, "{arguments:?}: {}", said.out);
    said_harmlessly(&arguments, said)
}

fn said_harmlessly(arguments: &[&str], said: Said) -> Said {
    harmless(&format!("{arguments:?}, output"), &said.out);
    harmless(&format!("{arguments:?}, errors"), &said.err);
    said
}

/// Nothing hidden, and no line that a name made.
fn harmless(what: &str, text: &str) {
    let hidden = text.chars().find(|c| is_hidden(*c) && *c != '\n');
    assert_eq!(hidden, None, "{what}: {text:?}");
    let forged = text.lines().find(|line| line.trim_start().starts_with("FORGED"));
    assert_eq!(forged, None, "{what}: {text}");
}

/// Every text for people below a folder; rows, and what certificates speak of, keep what they are.
pub(crate) fn files_harmless(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let ends = |endings: &[&str]| endings.iter().any(|end| name.ends_with(end));
        if path.is_dir() {
            files_harmless(&path);
        } else if name.contains(".tfevents.") {
            let bytes = fs::read(&path).expect("bytes");
            assert!(bytes.windows(8).any(|part| part == b"utility/"), "{name}");
            assert!(!bytes.windows(4).any(|part| part == b"\x1b[2J"), "{name}");
        } else if ends(&[".html"]) {
            let text = fs::read_to_string(&path).expect("text");
            let hidden = text.chars().find(|c| is_hidden(*c) && !"\n\t".contains(*c));
            assert_eq!(hidden, None, "{name}");
        } else if ends(&[".md", ".txt", ".tex", ".csv", ".svg"]) && !DATA.contains(&&*name) {
            harmless(&name, &fs::read_to_string(&path).expect("text"));
        }
    }
}
