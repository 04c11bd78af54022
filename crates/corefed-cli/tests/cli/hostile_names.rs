//! Names that act: escapes, line breaks, marks of direction, formulas. Every command shows them, none lets them through.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use corefed_core::is_hidden;

use crate::harness::{Folder, Said};

/// What a name prints on a line of its own if it can.
const FORGED: &str = "FORGED: stable, no coalition gains by leaving";
/// Clears the screen and says what it likes; breaks the line; turns it around; runs in a spreadsheet.
const AGENTS: [&str; 4] = [
    "\u{1b}[2J\u{1b}[Hverified\u{1b}[8m",
    "a\nFORGED: stable, no coalition gains by leaving",
    "b\u{202e}dne\u{2066}\u{200b}\u{9b}2J\u{7f}",
    "=HYPERLINK(\"http://x\")",
];
const FEATURE: &str = "do\u{1b}]0;title\u{7}se\nFORGED: stable, no coalition gains by leaving";
const TARGET: &str = "il\u{202e}l";

fn quoted(cell: &str) -> String {
    format!("\"{}\"", cell.replace('"', "\"\""))
}

/// Four hospitals with such names, a feature and a target of such names.
fn table() -> String {
    let mut text = format!("hospital,{},other,{}\n", quoted(FEATURE), quoted(TARGET));
    for k in 0..80_u32 {
        let agent = quoted(AGENTS[k as usize % 4]);
        let (dose, other) = ((k * 37) % 50, (k * 11) % 7);
        let ill = u32::from((dose + k % 7 + 4 * (k % 4)) % 9 > 4);
        writeln!(text, "{agent},{dose},{other},{ill}").expect("a string");
    }
    text
}

fn spec(train: &str) -> String {
    let target = TARGET;
    format!(
        "data = \"d.csv\"\nagent = \"hospital\"\ntarget = \"{target}\"\nmodel = \"logistic\"\nceiling = 0.9\n\
         held_out = 0.25\n{train}"
    )
}

const TRAIN: &str =
    "[train]\nrounds = 4\n[train.local]\nlearning_rate = 0.1\n[train.record]\ntensorboard = true\n";

fn folder() -> Folder {
    Folder::new(&[("d.csv", &table()), ("exact.toml", &spec("")), ("rounds.toml", &spec(TRAIN))])
}

/// Nothing hidden, and no line that a name made.
fn harmless(what: &str, text: &str) {
    let hidden = text.chars().find(|c| is_hidden(*c) && *c != '\n');
    assert_eq!(hidden, None, "{what}: {text:?}");
    let forged = text.lines().find(|line| line.trim_start().starts_with("FORGED"));
    assert_eq!(forged, None, "{what}: {text}");
}

/// Runs a command that must do its work, and looks at what it says.
fn told(folder: &Folder, arguments: &[&str]) -> Said {
    let said = folder.run_with(arguments);
    assert_ne!(said.code, 2, "{arguments:?}: {}", said.err);
    said_harmlessly(arguments, said)
}

/// Runs a command that must refuse, and looks at what it says.
fn refused(folder: &Folder, arguments: &[&str]) -> Said {
    let said = folder.run_with(arguments);
    assert_eq!(said.code, 2, "{arguments:?}: {}", said.out);
    said_harmlessly(arguments, said)
}

fn said_harmlessly(arguments: &[&str], said: Said) -> Said {
    harmless(&format!("{arguments:?}, output"), &said.out);
    harmless(&format!("{arguments:?}, errors"), &said.err);
    said
}

/// Every text for people below a folder; rows and records are data, and keep what they are.
fn files_harmless(folder: &Path) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            files_harmless(&path);
        } else if name.ends_with(".tfevents.0.corefed") {
            let bytes = fs::read(&path).expect("bytes");
            assert!(!bytes.windows(4).any(|part| part == b"\x1b[2J"), "{name}");
        } else if [".md", ".txt", ".tex", ".csv", ".svg"].iter().any(|end| name.ends_with(end)) {
            if name != "federation.csv" && name != "choices.csv" {
                harmless(&name, &fs::read_to_string(&path).expect("text"));
            }
        } else if name.ends_with(".html") {
            let text = fs::read_to_string(&path).expect("text");
            let hidden = text.chars().find(|c| is_hidden(*c) && !"\n\t".contains(*c));
            assert_eq!(hidden, None, "{name}");
        }
    }
}

const COLUMNS: [&str; 6] = ["--agent", "hospital", "--target", TARGET, "--model", "logistic"];

fn with<'a>(first: &[&'a str], last: &[&'a str]) -> Vec<&'a str> {
    [first, last].concat()
}

#[test]
fn commands_on_a_table_show_every_name() {
    let folder = folder();
    let solve = with(&["solve", "d.csv"], &COLUMNS);
    let said = told(&folder, &with(&solve, &["--certificate", "c.json", "--report", "r.html"]));
    assert!(said.out.contains("\\u001b[2J\\u001b[Hverified\\u001b[8m"), "{}", said.out);
    assert!(said.out.contains("a\\u000aFORGED"), "{}", said.out);
    let json = told(&folder, &with(&solve, &["--json"]));
    assert_eq!(json.json()["agents"].as_array().map(Vec::len), Some(4));
    let names: Vec<String> = json.json()["agents"]
        .as_array()
        .expect("agents")
        .iter()
        .map(|agent| agent["name"].as_str().expect("a name").to_owned())
        .collect();
    assert!(AGENTS.iter().all(|name| names.contains(&(*name).to_owned())), "{names:?}");
    folder.write("fit.json", &json.out);
    told(&folder, &with(&["audit", "d.csv", "--predictor", "fit.json"], &[]));
    told(&folder, &["verify", "c.json", "--data", "d.csv"]);
    told(&folder, &["verify", "c.json"]);
    told(&folder, &["verify", "c.json", "--data", "d.csv", "--json"]);
    told(
        &folder,
        &[
            "data", "inspect", "d.csv", "--agent", "hospital", "--target", TARGET, "--report",
            "i.html",
        ],
    );
    told(&folder, &["data", "inspect", "d.csv", "--agent", "hospital", "--json"]);
    told(
        &folder,
        &[
            "data",
            "partition",
            "d.csv",
            "--method",
            "column",
            "--column",
            "hospital",
            "--out",
            "p.json",
        ],
    );
    told(
        &folder,
        &[
            "data",
            "partition",
            "d.csv",
            "--method",
            "column",
            "--column",
            "hospital",
            "--json",
            "--out",
            "p.json",
        ],
    );
    told(&folder, &with(&["stay", "d.csv", "--out", "stay"], &COLUMNS));
    told(&folder, &with(&["ceiling", "d.csv", "--out", "ceiling"], &COLUMNS));
    told(&folder, &["predict", "fit.json", "d.csv", "--out", "p.csv"]);
    files_harmless(&folder.path(""));
}

#[test]
fn runs_comparisons_and_sweeps_show_every_name_on_the_console_and_in_every_file() {
    let folder = folder();
    for out in ["exact", "rounds"] {
        told(&folder, &["run", &format!("{out}.toml"), "--out", out]);
        told(&folder, &["report", out]);
        told(&folder, &["stay", out, "--coalitions", "3"]);
    }
    told(&folder, &["run", "rounds.toml", "--json", "--out", "events"]);
    told(&folder, &["run", "--resume", "rounds"]);
    told(&folder, &["export", "rounds", "--table", "agents", "--out", "agents.csv"]);
    told(&folder, &["export", "rounds", "--out", "rounds.csv"]);
    told(&folder, &["choose", "rounds", "--certificate", "chosen.json"]);
    told(&folder, &["verify", "chosen.json", "--data", "rounds/choices.csv"]);
    for format in ["text", "markdown", "csv", "latex"] {
        let out = format!("compare-{format}");
        told(
            &folder,
            &[
                "compare",
                "rounds.toml",
                "--rules",
                "fedavg,corefed",
                "--out",
                &out,
                "--format",
                format,
            ],
        );
    }
    told(
        &folder,
        &["compare", "rounds.toml", "--rules", "fedavg,corefed", "--out", "compare-json", "--json"],
    );
    told(&folder, &["choose", "compare-text"]);
    told(&folder, &["report", "compare-text"]);
    told(&folder, &["sweep", "exact.toml", "--values", "0.9,1.2", "--out", "sweep"]);
    told(&folder, &["sweep", "rounds.toml", "--values", "0.9,1.2", "--out", "swept"]);
    assert!(folder.read("agents.csv").contains("'=HYPERLINK"), "{}", folder.read("agents.csv"));
    assert!(
        folder.read("exact/summary.md").contains("\\\\u001b"),
        "{}",
        folder.read("exact/summary.md")
    );
    files_harmless(&folder.path(""));
}

#[test]
fn models_and_utilities_of_any_name_are_shown() {
    let models = ["x\u{1b}[2J", "y\nFORGED: stable"];
    let mut utilities = format!("model,{}\n", AGENTS.map(quoted).join(","));
    for (k, model) in models.iter().enumerate() {
        writeln!(utilities, "{},0.5,0.6,0.{},0.4", quoted(model), 3 + k).expect("a string");
    }
    let folder = folder();
    folder.write("u.csv", &utilities);
    told(
        &folder,
        &[
            "audit",
            "u.csv",
            "--incumbent",
            models[0],
            "--certificate",
            "u.json",
            "--report",
            "u.html",
        ],
    );
    told(&folder, &["verify", "u.json", "--data", "u.csv"]);
    told(&folder, &["choose", "u.csv", "--certificate", "v.json"]);
    told(&folder, &["verify", "v.json", "--data", "u.csv"]);
    refused(&folder, &["audit", "u.csv", "--incumbent", "z\u{1b}[2J\nFORGED"]);
    let mut predictions = format!("{},{}\n", quoted(models[0]), quoted(models[1]));
    for k in 0..80 {
        writeln!(predictions, "0.{},0.5", 1 + k % 8).expect("a string");
    }
    folder.write("m.csv", &predictions);
    let columns = ["--agent", "hospital", "--target", TARGET, "--ceiling", "2"];
    told(
        &folder,
        &with(&["audit", "d.csv", "--predictions", "m.csv", "--loss", "logistic"], &columns),
    );
    files_harmless(&folder.path(""));
}

#[test]
fn refusals_show_what_they_refuse() {
    let folder = folder();
    let solve = with(&["solve", "d.csv"], &COLUMNS);
    told(&folder, &with(&solve, &["--certificate", "c.json"]));
    // A certificate whose first agent clears the screen and says that it was verified.
    let mut forged: serde_json::Value = serde_json::from_str(&folder.read("c.json")).expect("JSON");
    let name = format!("\u{1b}[2J\u{1b}[H{FORGED}\n{FORGED}\u{1b}[8m\u{202e}");
    forged["agents"][0]["name"] = name.into();
    folder.write("forged.json", &forged.to_string());
    refused(&folder, &["verify", "forged.json", "--data", "d.csv"]);
    refused(&folder, &["verify", "forged.json", "--data", "d.csv", "--json"]);
    // A tag is a word, not the number of a variant.
    let numbered = folder.read("c.json").replacen("\"kind\": \"numeric\"", "\"kind\": 0", 1);
    assert_ne!(numbered, folder.read("c.json"));
    folder.write("numbered.json", &numbered);
    refused(&folder, &["verify", "numbered.json", "--data", "d.csv"]);
    refused(
        &folder,
        &[
            "solve",
            "d.csv",
            "--agent",
            "ho\u{1b}[2J\nFORGED",
            "--target",
            TARGET,
            "--model",
            "logistic",
        ],
    );
    refused(
        &folder,
        &[
            "solve",
            "d.csv",
            "--agent",
            "hospital",
            "--target",
            "other\nFORGED",
            "--model",
            "logistic",
        ],
    );
    refused(&folder, &["run", "no\u{1b}[2J\nFORGED.toml"]);
    refused(&folder, &["report", "no\u{1b}[2J\nFORGED"]);
    refused(&folder, &["run", "exact.toml", "--set", "agent=\"\u{1b}[2J\"", "--out", "x"]);
    refused(&folder, &with(&["stay", "d.csv", "--without", "nobody\u{1b}[2J\nFORGED"], &COLUMNS));
    folder.write("bad.csv", "hospital,x,y\n\"a\u{1b}[2J\nFORGED\",oops\u{1b}[2J,1\nb,1,0\nb,2\n");
    refused(
        &folder,
        &["solve", "bad.csv", "--agent", "hospital", "--target", "y", "--model", "logistic"],
    );
    folder.write("bad.json", "{\"kind\": \"au\\u001b[2Jdit\\nFORGED\"}");
    refused(&folder, &["audit", "d.csv", "--predictor", "bad.json"]);
    refused(&folder, &["verify", "bad.json"]);
}

#[test]
fn a_federation_by_mail_shows_its_agents() {
    let folder = Folder::new(&[]);
    let agents = ["a\u{1b}[2J", "b\u{202e}\nFORGED: stable"];
    fs::create_dir(folder.path("post")).expect("a folder");
    for (k, agent) in agents.iter().enumerate() {
        let mut rows = String::from("agent,x,y\n");
        for row in 0..20_u32 {
            writeln!(rows, "{},{},{}", quoted(agent), row % 7, (row + k as u32) % 2).expect("text");
        }
        let file = format!("{k}.csv");
        folder.write(&file, &rows);
        let out = format!("post/{k}.json");
        told(
            &folder,
            &[
                "summarise",
                &file,
                "--agent",
                agent,
                "--agent-column",
                "agent",
                "--target",
                "y",
                "--model",
                "logistic",
                "--out",
                &out,
            ],
        );
    }
    let said = told(&folder, &["audit", "--answers", "post", "--ceiling", "initial:1.5"]);
    assert_eq!(said.code, 3, "{}", said.out);
    let questions = fs::read_dir(folder.path("post"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.to_string_lossy().contains("questions"))
        .expect("questions");
    let questions = questions.to_string_lossy().into_owned();
    for (k, agent) in agents.iter().enumerate() {
        told(
            &folder,
            &[
                "answer",
                &questions,
                "--data",
                &format!("{k}.csv"),
                "--agent",
                agent,
                "--out",
                &format!("post/a{k}.json"),
            ],
        );
    }
    told(&folder, &["audit", "--answers", "post"]);
}

#[test]
fn suggested_commands_are_quoted_for_the_shell() {
    let name = "x$(touch pwn);`id` it's.csv";
    let folder = folder();
    fs::copy(folder.path("d.csv"), folder.path(name)).expect("a copy");
    let export = ["--agent", "hospital", "--target", "other", "--out", "y$(id).csv"];
    let said = told(&folder, &with(&["data", "export", name], &export));
    assert!(
        said.out.contains("next: corefed solve 'y$(id).csv' --agent agent --target other"),
        "{}",
        said.out
    );
    let spec = spec("").replace("d.csv", "x$(touch pwn);`id` it's.csv");
    folder.write("odd.toml", &spec);
    let said = told(&folder, &["run", "odd.toml", "--out", "o;ut"]);
    let data = "--data 'x$(touch pwn);`id` it'\\''s.csv'";
    assert!(
        said.out.contains("verify 'o;ut/core.certificate.json'") && said.out.contains(data),
        "{}",
        said.out
    );
}

#[test]
fn rows_for_a_spreadsheet_hold_no_formulas_and_others_say_so() {
    let folder = folder();
    let export = ["data", "export", "d.csv", "--agent", "hospital", "--out", "o.csv"];
    let said = told(&folder, &export);
    assert!(said.out.contains("would take 20 cells for formulas"), "{}", said.out);
    assert!(folder.read("o.csv").contains("\n\"=HYPERLINK"));
    let said = told(&folder, &with(&export, &["--spreadsheet"]));
    assert!(!said.out.contains("formulas"), "{}", said.out);
    let text = folder.read("o.csv");
    assert!(text.contains("\n\"'=HYPERLINK") && !text.contains("\"=HYPERLINK"), "{text}");
}
