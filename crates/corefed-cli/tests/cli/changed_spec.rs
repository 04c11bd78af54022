//! A resume knows by which spec its checkpoint was made, and readers know what was edited.

use std::fs;
use std::thread::sleep;
use std::time::Duration;

use crate::harness::Folder;
use crate::run_folder::same;

const RUN: &str = "run hospitals-rounds --set train.rounds=40 --set train.local.batch=8 \
     --set train.local.momentum=0.5 --set train.participation.dropout=0.1 --set l2=0.01 \
     --set train.record.checkpoint_every=10 --set train.rule=corefed --set held_out=0.2 --out run";

/// Edits of a spec, and the key that each changes.
const EDITS: [(&str, &str, &str); 18] = [
    ("learning_rate = 1.0", "learning_rate = 2.0", "train.local.learning_rate"),
    ("weight_cap = 100.0", "weight_cap = 3.0", "train.safety.weight_cap"),
    ("floor = 0.1", "floor = 0.2", "train.safety.floor"),
    ("momentum = 0.5", "momentum = 0.9", "train.local.momentum"),
    ("clip = \"none\"", "clip = 0.5", "train.safety.clip"),
    ("batch = 8", "batch = 16", "train.local.batch"),
    ("dropout = 0.1", "dropout = 0.3", "train.participation.dropout"),
    ("l2 = 0.01", "l2 = 0.1", "l2"),
    ("server_step = 1.0", "server_step = 0.5", "train.server_step"),
    ("average = \"samples\"", "average = \"equal\"", "average"),
    ("project = true", "project = false", "train.project"),
    ("rounds = 40", "rounds = 80", "train.rounds"),
    ("memory = 0.2", "memory = 0.5", "train.memory"),
    ("seed = 8", "seed = 9", "seed"),
    ("tolerance = 0.01", "tolerance = 0.1", "tolerance"),
    ("held_out = 0.2", "held_out = 0.3", "held_out"),
    ("radius = 10.0", "radius = 20.0", "radius"),
    ("checkpoint_every = 10", "checkpoint_every = 20", "train.record.checkpoint_every"),
];

fn stopped() -> Folder {
    let folder = Folder::new(&[]);
    let said = folder.run(RUN);
    assert_ne!(said.code, 2, "{}", said.err);
    folder
}

#[test]
fn every_edit_of_a_spec_is_refused_by_its_key_and_changes_nothing() {
    let folder = stopped();
    let whole = folder.files("run");
    let spec = folder.read("run/spec.toml");
    for (then, now, key) in EDITS {
        let line = spec.lines().find(|line| line.trim() == then);
        assert!(line.is_some(), "the spec has no line `{then}`:\n{spec}");
        folder.write(
            "run/spec.toml",
            &spec.replacen(&format!("\n{then}\n"), &format!("\n{now}\n"), 1),
        );
        let said = folder.run("run --resume run");
        assert_eq!(said.code, 2, "{now}: {}", said.out);
        assert!(said.err.contains(&format!("`{key}` was ")), "{now}: {}", said.err);
        assert!(said.err.contains("--changed-spec"), "{}", said.err);
        folder.write("run/spec.toml", &spec);
        same(&whole, &folder.files("run"));
    }
}

#[test]
fn comments_and_lines_that_say_what_holds_anyway_change_nothing() {
    let folder = stopped();
    let whole = folder.files("run");
    let spec = folder.read("run/spec.toml");
    let without = spec.replacen("\nproject = true\n", "\n# a comment\n", 1);
    assert_ne!(spec, without);
    folder.write("run/spec.toml", &without);
    assert_ne!(folder.run("run --resume run").code, 2);
    folder.write("run/spec.toml", &spec);
    let mut now = folder.files("run");
    // The page shows the spec, and the checkpoint keeps it, as they were.
    for name in ["report.html", "checkpoints/00000040.checkpoint"] {
        now.insert(name.to_owned(), whole[name].clone());
    }
    same(&whole, &now);
}

/// A run that was killed on its way, and the round of its newest checkpoint.
fn killed() -> (Folder, usize) {
    let folder = Folder::new(&[]);
    let mut child = folder.spawn(&RUN.replace("train.rounds=40", "train.rounds=3000"));
    let newest = || {
        // Names alone: old checkpoints are removed while others are written.
        let entries = std::fs::read_dir(folder.path("run/checkpoints")).ok()?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter_map(|name| name.strip_suffix(".checkpoint")?.parse::<usize>().ok()).max()
    };
    for _ in 0..6000 {
        if newest().is_some() {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("gone");
    let round = newest().expect("a checkpoint");
    (folder, round)
}

#[test]
fn a_changed_spec_goes_on_when_asked_and_everything_says_so() {
    let (folder, round) = killed();
    assert!(round < 3000, "it was not killed on its way");
    let spec = folder.read("run/spec.toml");
    let changed = spec.replacen("\nlearning_rate = 1.0\n", "\nlearning_rate = 0.5\n", 1);
    folder.write("run/spec.toml", &changed);
    let said = folder.run("run --resume run --changed-spec");
    assert_ne!(said.code, 2, "{}", said.err);
    let told = format!("of the spec was changed after round {round}: 1.0 before, 0.5 since");
    assert!(said.out.contains(&told), "{}", said.out);
    assert!(folder.read("run/report.html").contains(&format!("was changed after round {round}")));
    let summary = folder.read("run/summary.md").replace('\\', "");
    assert!(summary.contains(&told), "{summary}");
    let changes: serde_json::Value =
        serde_json::from_str(&folder.read("run/changes.json")).expect("JSON");
    assert_eq!(changes["changes"][0]["key"], "train.local.learning_rate");
    // From now on this is its spec.
    assert_ne!(folder.run("run --resume run").code, 2);
    let said = folder.run("report run");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
}

#[test]
fn what_the_run_is_cannot_change_on_request() {
    let folder = stopped();
    let whole = folder.files("run");
    let spec = folder.read("run/spec.toml");
    folder.write("run/spec.toml", &spec.replacen("\nseed = 8\n", "\nseed = 9\n", 1));
    let said = folder.run("run --resume run --changed-spec");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("hint:"), "{}", said.err);
    folder.write("run/spec.toml", &spec);
    same(&whole, &folder.files("run"));
}

#[test]
fn readers_say_what_was_edited() {
    let folder = stopped();
    for name in ["rounds.jsonl", "agents.jsonl", "spec.toml"] {
        let path = format!("run/{name}");
        let text = folder.read(&path);
        let at = text.rfind(|c: char| c.is_ascii_digit()).expect("a number");
        let digit = if &text[at..=at] == "1" { "2" } else { "1" };
        folder.write(&path, &[&text[..at], digit, &text[at + 1..]].concat());
        for command in ["report run", "export run --out e.csv"] {
            let said = folder.run(command);
            assert_eq!(said.code, 0, "{command}: {}", said.err);
            let told = format!("warning: `{path}` was edited after it was written");
            assert!(said.err.contains(&told), "{command}: {}", said.err);
        }
        assert!(
            folder.read("run/report.html").contains("was edited after it was written"),
            "{name}"
        );
        folder.write(&path, &text);
    }
    let said = folder.run("report run");
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(!folder.read("run/report.html").contains("was edited after"));
    fs::remove_file(folder.path("e.csv")).expect("removed");
}
