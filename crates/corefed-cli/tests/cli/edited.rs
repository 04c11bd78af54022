//! Documents of a folder that were edited after they were written: every reader names them.

use std::fs;
use std::io::{BufRead, BufReader};

use serde_json::Value;

use crate::harness::Folder;

/// Edits each document in turn, has the folder reported, and puts it back.
fn every_edit_is_told(folder: &Folder, name: &str, documents: &[&str]) {
    let report = format!("report {name}");
    let untouched = folder.run(&report);
    assert_eq!((untouched.code, untouched.err.as_str()), (0, ""), "{name}");
    for document in documents {
        let path = format!("{name}/{document}");
        let text = folder.read(&path);
        folder.write(&path, &format!("{text}\n"));
        let said = folder.run(&report);
        let told = format!("warning: `{path}` was edited after it was written");
        assert!(said.code == 0 && said.err.contains(&told), "{path}: {}", said.err);
        let page = folder.read(&format!("{name}/report.html"));
        assert!(page.contains(&format!("`{path}` was edited after it was written")), "{path}");
        folder.write(&path, &text);
    }
    let again = folder.run(&report);
    assert_eq!((again.code, again.err.as_str()), (0, ""), "{name}");
    assert!(!folder.read(&format!("{name}/report.html")).contains("was edited"), "{name}");
}

#[test]
fn every_kind_of_folder_knows_its_documents() {
    let folder = Folder::hospitals();
    let exact = ["run.json", "spec.toml", "federation.csv", "core.predictor.json"];
    let more = ["core.certificate.json", "summary.md", "utilities.svg"];
    every_edit_is_told(&folder, "run", &[&exact[..], &more].concat());
    let made = [
        ("compare hospitals-rounds --rules fedavg,corefed --set train.rounds=5 --out", "compare"),
        ("sweep hospitals --values 0.72,1 --out", "sweep"),
        ("ceiling hospitals --policy pooled-constant --out", "ceiling"),
        ("stay hospitals --out", "stay"),
    ];
    for (command, name) in made {
        let said = folder.run(&format!("{command} {name}"));
        assert_ne!(said.code, 2, "{}", said.err);
        every_edit_is_told(&folder, name, &[&format!("{name}.json"), &format!("{name}.md")]);
    }
    every_edit_is_told(&folder, "compare", &["spec.toml", "fedavg-seed-8/audit.json"]);
}

#[test]
fn what_comes_later_is_listed_and_vouches_for_nothing_else() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --set train.rounds=5 --out run");
    assert_ne!(said.code, 2, "{}", said.err);
    let said = folder.run("stay run");
    assert_ne!(said.code, 2, "{}", said.err);
    every_edit_is_told(&folder, "run", &["audit.json", "stay.json", "summary.md", "run.json"]);
    // A resume writes its own documents again; what it does not write stays edited, and is said.
    for name in ["audit.json", "stay.json"] {
        let path = format!("run/{name}");
        folder.write(&path, &(folder.read(&path) + "\n"));
    }
    let said = folder.run("run --resume run");
    for name in ["audit.json", "stay.json"] {
        let told = format!("warning: `run/{name}` was edited");
        assert!(said.err.contains(&told), "{}", said.err);
    }
    let said = folder.run("report run");
    assert!(!said.err.contains("audit.json"), "{}", said.err);
    assert!(said.err.contains("`run/stay.json` was edited"), "{}", said.err);
    assert_ne!(folder.run("stay run").code, 2);
    assert_eq!(folder.run("report run").err, "");
    // Folders of earlier versions have no list.
    fs::remove_file(folder.path("run/digests.sha256")).expect("removed");
    folder.write("run/stay.md", "x");
    assert_eq!(folder.run("report run").err, "");
}

#[test]
fn who_watches_a_run_is_told_what_was_edited() {
    let folder = Folder::new(&[]);
    assert_ne!(folder.run("run hospitals-rounds --set train.rounds=5 --out run").code, 2);
    for (edit, told) in
        [("", ""), ("\n", "warning: `run/audit.json` was edited after it was written")]
    {
        folder.write("run/audit.json", &(folder.read("run/audit.json") + edit));
        let mut watching = folder.spawn("watch run --port 0");
        let mut said = String::new();
        let out = watching.stdout.take().expect("standard output");
        BufReader::new(out).read_line(&mut said).expect("an address");
        assert!(said.starts_with("watching run at http://"), "{said}");
        watching.kill().expect("killed");
        let end = watching.wait_with_output().expect("an end");
        let warned = String::from_utf8_lossy(&end.stderr).into_owned();
        assert_eq!(warned.lines().count(), told.lines().count(), "{warned}");
        assert!(warned.contains(told), "{warned}");
    }
}

#[test]
fn curves_are_listed_when_a_run_is_finished() {
    let folder = Folder::new(&[]);
    let said = folder.run(
        "run hospitals-rounds --set train.rounds=5 --set train.record.tensorboard=true --out run",
    );
    assert_ne!(said.code, 2, "{}", said.err);
    assert_eq!(folder.run("report run").err, "");
    let path = "run/tensorboard/events.out.tfevents.0.corefed";
    let mut bytes = fs::read(folder.path(path)).expect("curves");
    *bytes.last_mut().expect("bytes") ^= 1;
    fs::write(folder.path(path), bytes).expect("written");
    let said = folder.run("report run");
    assert!(said.err.contains(&format!("warning: `{path}` was edited")), "{}", said.err);
    // A resume draws them again from the records.
    assert_ne!(folder.run("run --resume run").code, 2);
    assert_eq!(folder.run("report run").err, "");
}

const ROWS: &str =
    "agent,age,sick\nAda,31,yes\nAda,44,no\nAda,52,no\nBob,29,yes\nBob,61,no\nBob,47,yes\n";

#[test]
fn what_came_by_mail_is_listed_when_it_is_taken() {
    let folder = Folder::new(&[("rows.csv", ROWS)]);
    fs::create_dir(folder.path("post")).expect("a folder");
    for name in ["Ada", "Bob"] {
        let own = ROWS.lines().filter(|line| line.starts_with("agent") || line.starts_with(name));
        folder
            .write(&format!("{name}.csv"), &own.flat_map(|line| [line, "\n"]).collect::<String>());
        let told = format!("--data {name}.csv --agent {name}");
        let said = folder.run(&format!(
            "summarise {told} --target sick --model logistic --l2 0.1 --out post/{name}.json"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    let said = folder.run("audit --answers post");
    assert_eq!((said.code, said.err.as_str()), (3, ""));
    for name in ["Ada", "Bob"] {
        let said = folder.run(&format!(
            "answer post/questions-01.json --data {name}.csv --agent {name} --out post/{name}-1.json"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    assert_eq!(folder.run("audit --answers post").err, "");
    let names =
        ["Ada.json", "session.json", "questions-01.json", "Bob-1.json", "questions-02.json"];
    for name in names {
        let path = format!("post/{name}");
        let text = folder.read(&path);
        folder.write(&path, &format!("{text}\n"));
        let said = folder.run("audit --answers post");
        let told = format!("warning: `{path}` was edited after it was written");
        assert!(said.err.contains(&told), "{path}: {}", said.err);
        folder.write(&path, &text);
    }
    assert_eq!(folder.run("audit --answers post").err, "");
}

#[test]
fn a_comparison_that_names_a_training_of_another_name_is_blamed_itself() {
    let folder = Folder::new(&[]);
    let said =
        folder.run("compare hospitals-rounds --rules fedavg,afl --set train.rounds=3 --out c");
    assert_ne!(said.code, 2, "{}", said.err);
    let document = folder.read("c/compare.json").replace("afl-seed-8", "aAl-seed-8");
    folder.write("c/compare.json", &document);
    let said = folder.run("report c");
    let told = "`c/compare.json` names the training `aAl-seed-8`, which is not in its folder";
    assert!(said.code == 2 && said.err.contains(told), "{}", said.err);
    // One utility less, of a training that is there.
    let mut short: Value = serde_json::from_str(&document).expect("JSON");
    short["runs"][0]["utilities"].as_array_mut().expect("a list").pop();
    folder.write("c/compare.json", &short.to_string());
    let said = folder.run("report c");
    let told = "`c/compare.json` does not have one utility and one loss per agent for `";
    assert!(said.code == 2 && said.err.contains(told), "{}", said.err);
}

#[test]
fn a_summary_that_was_edited_is_told_and_breaks_nothing() {
    let folder = Folder::new(&[]);
    fs::create_dir(folder.path("post")).expect("a folder");
    assert_eq!(folder.run("data export hospitals --out h.csv").code, 0);
    for name in ["A", "B"] {
        let said = folder.run(&format!(
            "summarise --data h.csv --agent {name} --target disease --model linear --l2 0.1 \
             --out post/{name}.json"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    assert_eq!(folder.run("audit --answers post").code, 0);
    // A mean that does not go with the products beside it: steps lead where training has been.
    let summary = folder.read("post/A.json");
    let edited = summary.replace("\"target_mean\": 0.", "\"target_mean\": 8.");
    assert_ne!(edited, summary);
    folder.write("post/A.json", &edited);
    let said = folder.run("audit --answers post");
    assert!(said.err.contains("warning: `post/A.json` was edited"), "{}", said.err);
    assert!(!said.err.contains("internal error"), "{}", said.err);
}
