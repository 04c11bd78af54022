//! Files that would cost too much, or numbers that solvers cannot work with: refused, by name, and soon.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::harness::{Folder, Said};

const ROWS: &str =
    "agent,age,sick\nAda,31,yes\nAda,44,no\nAda,52,no\nBob,29,yes\nBob,61,no\nBob,47,yes\n";
const SOLVE: &str = "solve rows.csv --agent agent --target sick --model logistic --l2 0.1";

/// Changes a document.
type Edit = fn(&mut Value);

fn refused(said: &Said, parts: &[&str]) {
    assert_eq!(said.code, 2, "{}\n{}", said.out, said.err);
    assert!(!said.err.contains("internal error"), "{}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "`{part}` is not in: {}", said.err);
    }
}

/// A solved predictor with something changed.
fn changed(folder: &Folder, change: impl FnOnce(&mut Value)) {
    let mut document = folder.run(&format!("{SOLVE} --json")).json();
    change(&mut document);
    std::fs::write(folder.path("p.json"), document.to_string()).expect("written");
}

#[test]
fn weights_and_ceilings_of_a_predictor_file_are_checked_as_others_are() {
    let folder = Folder::new(&[("rows.csv", ROWS)]);
    for weight in [1e308, 1e51, 1e-300] {
        changed(&folder, |document| document["agents"][1]["weight"] = json!(weight));
        let said = folder.run("audit rows.csv --predictor p.json");
        refused(&said, &["the weight of agent `Bob`"]);
    }
    for ceiling in [1e308, 1e151, 1e-151, 5e-324] {
        changed(&folder, |document| document["agents"][0]["ceiling"] = json!(ceiling));
        let said = folder.run("audit rows.csv --predictor p.json");
        refused(&said, &["the ceiling of agent `Ada`", "[1e-150, 1e150]"]);
        let said = folder.run(&format!("{SOLVE} --ceiling {ceiling}"));
        refused(&said, &["the ceiling of agent `Ada`", "[1e-150, 1e150]"]);
    }
    for radius in [1e308, 1e51] {
        changed(&folder, |document| document["predictor"]["radius"] = json!(radius));
        refused(&folder.run("audit rows.csv --predictor p.json"), &["radius"]);
    }
    changed(&folder, |_| {});
    let said = folder.run("audit rows.csv --predictor p.json");
    assert!([0, 1, 3].contains(&said.code), "{}", said.err);
}

/// A search for every column would take minutes for these, and one pass takes a second or two even in a test build. This
/// is a bound on how costs grow, far from both.
const AT_MOST: Duration = Duration::from_secs(60);

#[test]
fn tables_of_many_columns_are_read_in_one_pass_and_refused() {
    let count = 400_000;
    let names: Vec<String> = (0..count).map(|k| format!("c{k}")).collect();
    let row = |k: usize| -> String {
        let cells: Vec<String> = (0..count).map(|c| ((k * 7 + c) % 5).to_string()).collect();
        format!("{},{},{}\n", if k < 2 { "Ada" } else { "Bob" }, cells.join(","), k % 2)
    };
    let rows: String = (0..4).map(row).collect();
    let table = format!("agent,{},sick\n{rows}", names.join(","));
    let folder = Folder::new(&[("rows.csv", table.as_str())]);
    let begin = Instant::now();
    refused(&folder.run(SOLVE), &["rows.csv", "parameters"]);
    assert!(begin.elapsed() < AT_MOST, "{:?}", begin.elapsed());
}

#[test]
fn a_table_audit_obeys_its_time_limit() {
    let folder = Folder::new(&[("u.csv", "model,a,b\nnow,1,1\nother,2,2\n")]);
    let said = folder.run("audit u.csv --incumbent now --time-limit 0");
    refused(&said, &["u.csv", "not all of 1 rivals were compared within 0 s", "--time-limit"]);
    assert_eq!(folder.run("audit u.csv --incumbent now --time-limit 60").code, 1);
}

#[test]
fn a_choice_between_too_many_models_is_refused_at_once() {
    let row = |k: usize| format!("m{k},{},{}", k % 97, k % 89);
    let table = |models| ["model,a,b".to_owned()].into_iter().chain((0..models).map(row));
    let text = |models| table(models).collect::<Vec<_>>().join("\n");
    let folder = Folder::new(&[("u.csv", &*text(4000)), ("few.csv", &*text(200))]);
    let begin = Instant::now();
    let said = folder.run("choose u.csv");
    refused(&said, &["4000 models of 2 agents are too many", "25,000,000"]);
    assert!(begin.elapsed() < AT_MOST, "{:?}", begin.elapsed());
    assert_eq!(folder.run("choose few.csv").code, 0);
}

#[test]
fn ten_thousand_agents_and_two_hundred_rivals_are_compared_or_refused_in_time() {
    let agents: Vec<String> = (0..10_000).map(|k| format!("a{k}")).collect();
    let row = |model: usize| -> String {
        let cells: Vec<String> =
            (0..10_000).map(|k| format!("0.{}", 100 + (k * 7 + model * 13) % 800)).collect();
        format!("m{model},{}\n", cells.join(","))
    };
    let rows: String = (0..=200).map(row).collect();
    let table = format!("model,{}\n{rows}", agents.join(","));
    let folder = Folder::new(&[("u.csv", table.as_str())]);
    let begin = Instant::now();
    let said = folder.run("audit u.csv --incumbent m0 --time-limit 2");
    assert!(begin.elapsed() < AT_MOST, "{:?}", begin.elapsed());
    let told = said.err.contains("not all of 200 rivals were compared within 2 s");
    assert!(told || said.code != 2, "{}\n{}", said.out, said.err);
}

#[test]
fn deep_documents_are_refused() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let object = format!("{}1{}", "{\"predictor\":".repeat(100_000), "}".repeat(100_000));
    let files = [("rows.csv", ROWS), ("deep.json", &*deep), ("object.json", &*object)];
    let folder = Folder::new(&files);
    std::fs::create_dir(folder.path("post")).expect("a folder");
    std::fs::copy(folder.path("deep.json"), folder.path("post/session.json")).expect("copied");
    for name in ["deep.json", "object.json"] {
        for command in [
            format!("verify {name}"),
            format!("audit rows.csv --predictor {name}"),
            format!("predict {name} rows.csv"),
            format!("answer {name} --data rows.csv --agent Ada"),
            format!("attest {name} --merge {name} --out no.json"),
            format!("report {name}"),
            format!("data inspect rows.csv --partition {name}"),
        ] {
            refused(&folder.run(&command), &[]);
        }
    }
    refused(&folder.run("audit --answers post"), &["session.json"]);
}

#[test]
fn documents_of_too_many_values_are_refused_before_they_are_held() {
    let many = format!("[{}0]", "0,".repeat(10_000_001));
    let agents = r#"{"kind":"audit","version":1,"agents":["#;
    let agents = format!("{agents}{}{{}}]}}", "{},".repeat(5_000_001));
    let files = [("rows.csv", ROWS), ("many.json", &*many), ("agents.json", &*agents)];
    let folder = Folder::new(&files);
    for name in ["many.json", "agents.json"] {
        for command in [
            format!("verify {name}"),
            format!("audit rows.csv --predictor {name}"),
            format!("predict {name} rows.csv"),
            format!("answer {name} --data rows.csv --agent Ada"),
            format!("attest {name} --merge {name} --out no.json"),
            format!("report {name}"),
        ] {
            refused(&folder.run(&command), &[name, "more than 10000000 values"]);
        }
    }
}

#[test]
fn a_record_that_no_run_writes_is_refused_by_its_line() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --set train.rounds=3 --out r");
    assert!(said.code < 2 || said.code == 3, "{}", said.err);
    let records = folder.path("r/rounds.jsonl");
    let mut text = std::fs::read_to_string(&records).expect("records");
    text.extend(["{\"capped\": [\"", &"x".repeat(33 << 20), "\"]}\n"]);
    std::fs::write(&records, text).expect("written");
    for command in ["report r", "export r --out q.csv"] {
        refused(&folder.run(command), &["rounds.jsonl", "longer than"]);
    }
}

#[test]
fn names_of_any_length_are_printed() {
    // Only their ends differ, so that none can be cut.
    let long = "N".repeat(70_000);
    let rows = ROWS.replace("Ada", &format!("{long}1")).replace("Bob", &format!("{long}2"));
    let folder = Folder::new(&[("rows.csv", &*rows)]);
    let said = folder.run(SOLVE);
    assert!([0, 1, 3].contains(&said.code), "{}", said.err);
    assert!(said.out.contains(&format!("{long}2")), "the name is cut");
}

/// Two agents with a file of their own each, and their summaries in `post`.
fn mailed() -> Folder {
    let ada = ROWS.lines().filter(|line| !line.starts_with("Bob")).collect::<Vec<_>>().join("\n");
    let bob = ROWS.lines().filter(|line| !line.starts_with("Ada")).collect::<Vec<_>>().join("\n");
    let folder = Folder::new(&[("Ada.csv", ada.as_str()), ("Bob.csv", bob.as_str())]);
    std::fs::create_dir(folder.path("post")).expect("a folder");
    for name in ["Ada", "Bob"] {
        let told = "--target sick --model logistic --out post";
        let said =
            folder.run(&format!("summarise --data {name}.csv --agent {name} {told}/{name}.json"));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    folder
}

#[test]
fn impossible_summaries_are_refused() {
    let folder = mailed();
    let summary: Value = serde_json::from_str(&folder.read("post/Ada.json")).expect("JSON");
    for (field, value) in
        [("present", json!(4)), ("rows", json!(u64::MAX)), ("squares", json!(-1.0))]
    {
        let mut told = summary.clone();
        told["table"]["columns"][0]["numbers"][field] = value;
        std::fs::write(folder.path("post/Ada.json"), told.to_string()).expect("written");
        let said = folder.run("audit --answers post --l2 0.1");
        refused(&said, &["the summary of `Ada` is impossible: column `age`"]);
    }
}

#[test]
fn questions_that_contradict_themselves_are_not_answered() {
    let folder = mailed();
    assert_eq!(folder.run("audit --answers post --l2 0.1").code, 3);
    let asked: Value = serde_json::from_str(&folder.read("post/questions-01.json")).expect("JSON");
    let edits: [(&str, Edit); 6] = [
        ("one entry for every agent", |q| q["session"]["keys"] = json!([])),
        ("one entry for every agent", |q| q["session"]["cells"] = json!([1])),
        ("one entry for every agent", |q| q["questions"]["asked"] = json!([])),
        ("number of parameters", |q| q["questions"]["points"] = json!([[1.0]])),
        ("ascending places", |q| q["questions"]["asked"][0]["hessians"] = json!([0, 0])),
        ("ascending places", |q| q["questions"]["asked"][0]["gradients"] = json!([9_999_999])),
    ];
    for (problem, edit) in edits {
        let mut questions = asked.clone();
        edit(&mut questions);
        std::fs::write(folder.path("q.json"), questions.to_string()).expect("written");
        let said = folder.run("answer q.json --data Ada.csv --agent Ada --out no.json");
        refused(&said, &["q.json", problem]);
    }
}

/// A file with a hole takes no space on the disk.
fn hollow(folder: &Folder, name: &str) {
    let file = std::fs::File::create(folder.path(name)).expect("created");
    file.set_len(1 << 30).expect("a hole");
}

#[test]
fn files_that_are_too_large_are_refused_before_they_are_read() {
    let folder = Folder::new(&[("rows.csv", ROWS)]);
    let said = folder.run("run hospitals-rounds --set train.rounds=3 --out r");
    assert_ne!(said.code, 2, "{}", said.err);
    let said =
        folder.run("compare hospitals-rounds --rules fedavg,corefed --set train.rounds=3 --out c");
    assert_ne!(said.code, 2, "{}", said.err);
    for name in ["s.toml", "r/spec.toml", "p.json", "key.json", "c/.unfinished"] {
        hollow(&folder, name);
    }
    let compare =
        "compare hospitals-rounds --rules fedavg,corefed --set train.rounds=3 --out c --resume";
    for (command, name, most) in [
        ("run s.toml --out q", "s.toml", "1 MiB"),
        ("report r", "r/spec.toml", "1 MiB"),
        ("run --resume r", "r/spec.toml", "1 MiB"),
        ("data inspect rows.csv --partition p.json", "p.json", "256 MiB"),
        (
            "summarise --data rows.csv --agent Ada --target sick --model logistic --key key.json",
            "key.json",
            "1 MiB",
        ),
        (compare, ".unfinished", "256 MiB"),
    ] {
        refused(&folder.run(command), &[name, &format!("larger than {most}")]);
    }
}
