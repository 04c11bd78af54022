//! Trainings that cannot be: settings that contradict, files of tomorrow, disks that are full.

use std::fs;
use std::process::Command;

use crate::harness::{Folder, Said};
use crate::run_folder::same;

/// Runs and expects a refusal that says all of `fragments`, with a hint and nothing written.
fn refused(files: &[(&str, &str)], arguments: &str, fragments: &[&str]) {
    let folder = Folder::new(files);
    let before = folder.names();
    let said = folder.run(arguments);
    refusal(&said, arguments, fragments);
    assert_eq!(folder.names(), before, "`{arguments}` left something behind");
}

fn refusal(said: &Said, arguments: &str, fragments: &[&str]) {
    let context = format!("`{arguments}`: {}{}", said.out, said.err);
    assert_eq!(said.code, 2, "{context}");
    for fragment in fragments {
        assert!(said.err.contains(fragment), "no `{fragment}`: {context}");
    }
    // A list of what there is, is a hint as well.
    let helps = ["hint: ", "--help", "there are `"].iter().any(|help| said.err.contains(help));
    assert!(helps, "no hint: {context}");
    assert!(!said.err.contains("panic") && !said.err.contains("internal error"), "{context}");
}

#[test]
fn settings_that_contradict_are_refused_before_a_folder_is_made() {
    let run = "run hospitals-rounds --out run --set";
    for (setting, fragments) in [
        ("train.rule=newton --set train.participation.dropout=0.1", &["newton", "dropout"][..]),
        ("train.rule=newton --set train.participation.stragglers=0.1", &["newton", "all"]),
        ("train.rule=newton --set train.participation.cohort=2", &["newton", "all"]),
        ("train.participation.cohort=0", &["train.participation.cohort", "0"]),
        ("train.participation.cohort=1.5", &["train.participation.cohort", "1.5"]),
        (
            "train.participation.draw=fixed --set train.participation.agents=[\"Aachen\",\"Rome\"]",
            &["`Rome`", "train.participation.agents", "Aachen"],
        ),
        ("corrupt.Rome=[\"labels:0.1\"]", &["`Rome`"]),
        ("train.rouns=3", &["train.rouns", "`rounds`"]),
        ("train.rounds=many", &["train.rounds", "many"]),
        ("train.rule=fedavgg", &["train.rule", "`fedavg`"]),
        ("train.q=2", &["train.q", "qffl"]),
        ("seed.x=2", &["seed"]),
        ("test=true", &["test"]),
    ] {
        refused(&[], &format!("{run} {setting}"), fragments);
    }
    refused(&[], "run hospitals-rounds --out run --set train.rounds", &["train.rounds", "`=`"]);
    refused(&[], "run hospitals-rounds --out run --radius -1", &["radius", "-1"]);
    refused(&[], "run hospitals-rounds --out run --ceiling -1", &["ceiling", "-1"]);
    refused(&[], "run hospitals-rounds --out run --time-limit -1", &["time", "-1"]);
    refused(&[], "run hospitals-rounds --resume run", &["--resume", "cannot be used"]);
    refused(&[], "run --resume run --out other", &["--resume", "--out"]);
}

#[test]
fn a_cohort_larger_than_the_federation_is_everybody() {
    let folder = Folder::new(&[]);
    let said = folder.run(
        "run hospitals-rounds --set train.rounds=2 --set train.participation.cohort=9 --out run",
    );
    assert_ne!(said.code, 2, "{}", said.err);
    let rounds = folder.records("run/rounds.jsonl");
    assert_eq!((&rounds[2]["cohort"], &rounds[2]["trained"]), (&5.into(), &5.into()));
}

#[test]
fn images_ask_for_softmax_and_for_owners() {
    let shapes = "data = \"shapes\"\nmodel = \"softmax\"\n[partition]\nmethod = \"iid\"\n[train]\n";
    let run = "run s.toml --out run";
    let files = |spec: &str| [("s.toml", spec.to_owned())];
    for (spec, fragments) in [
        (shapes.replace("softmax", "logistic"), &["logistic", "softmax"][..]),
        (shapes.replace("[partition]\nmethod = \"iid\"\n", ""), &["partition"]),
        (shapes.replace("[train]", "[train]\nrule = \"newton\""), &["newton"]),
        (shapes.replace("[train]\n", ""), &["images", "[train]"]),
        (shapes.replace("[train]", "[corrupt]\n\"1\" = [\"labels:0.1\"]\n[train]"), &["corrupt"]),
        (shapes.replace("\"iid\"", "\"iid\"\nagents = 6001"), &["6001", "6000"]),
    ] {
        let named = files(&spec);
        refused(&[(named[0].0, &named[0].1)], run, fragments);
    }
    refused(&[("s.toml", shapes)], &format!("{run} --radius -1"), &["radius", "-1"]);
}

const LINES: &str = "agent,x,y\nA,1,1\nA,2,2.1\nA,3,2.9\nB,1,2\nB,2,2.9\nB,3,4\n";

fn on_lines(rest: &str) -> String {
    format!("data = \"d.csv\"\ntarget = \"y\"\nmodel = \"linear\"\n{rest}")
}

#[test]
fn more_agents_than_rows_are_refused() {
    let spec = on_lines("[partition]\nmethod = \"iid\"\nagents = 7\n[train]\n");
    let said = Folder::new(&[("d.csv", LINES), ("s.toml", &spec)]).run("run s.toml --out run");
    refusal(&said, "seven agents of six rows", &["6", "7"]);
}

#[test]
fn all_mistakes_of_a_spec_are_listed_with_lines_and_nearest_keys() {
    let spec = "data = \"d.csv\"\ntarget = \"y\"\nmodel = \"linaer\"\nagent = \"agent\"\nsede = 3\n\
                radius = -1\n[train]\nrounds = 0\n[train.local]\nbatchs = 4\n";
    refused(
        &[("d.csv", LINES), ("s.toml", spec)],
        "run s.toml --out run",
        &[
            "s.toml", "line 3", "`linear`", "line 5", "`sede`", "`seed`", "line 6", "-1", "line 8",
            "rounds", "line 10", "`batchs`", "`batch`",
        ],
    );
}

#[test]
fn a_learning_rate_that_explodes_names_the_round_and_keeps_the_model_before() {
    let spec = on_lines(
        "agent = \"agent\"\nraw = true\nradius = 1e30\n[train]\nrule = \"fedavg\"\nrounds = 50\n\
         [train.local]\nbatch = \"full\"\nlearning_rate = 5.0\n",
    );
    for extra in ["", "--set train.record.evaluate_every=0", "--set train.participation.cohort=1"] {
        let folder = Folder::new(&[("d.csv", LINES), ("s.toml", &spec)]);
        let said = folder.run(&format!("run s.toml --out run {extra}"));
        refusal(&said, extra, &["explodes in round ", "the model of round", "learning_rate"]);
        assert!(said.err.contains("run/model.safetensors"), "{}", said.err);
        assert!(folder.path("run/model.safetensors").exists());
        // The kept model is one of a round that was written down.
        let number = |after: &str| -> usize {
            let rest = said.err.split(after).nth(1).expect(after);
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().expect("a number")
        };
        let (round, kept) = (number("in round "), number("model of round "));
        assert!(kept < round && folder.records("run/rounds.jsonl").len() >= round, "{}", said.err);
        // Resuming fails the same way.
        let before = folder.files("run");
        let again = folder.run("run --resume run");
        assert_eq!((again.code, again.err), (2, said.err));
        same(&before, &folder.files("run"));
    }
}

#[test]
fn a_run_of_a_later_version_is_refused_by_name() {
    let folder = Folder::new(&[]);
    assert_ne!(folder.run("run hospitals-rounds --set train.rounds=2 --out run").code, 2);
    let header = folder.read("run/run.json");
    folder.write("run/run.json", &header.replace("\"version\": 4", "\"version\": 7"));
    let said = folder.run("run --resume run");
    refusal(&said, "version 7", &["run.json", "version 7", "version 4", "later corefed"]);
    // The version before this one is read.
    folder.write("run/run.json", &header.replace("\"version\": 4", "\"version\": 3"));
    assert_eq!(folder.run("report run").code, 0);
    folder.write("run/run.json", "{");
    refusal(&folder.run("run --resume run"), "half a header", &["run.json"]);
}

#[test]
fn two_processes_cannot_write_one_run() {
    let folder = Folder::new(&[]);
    let mut first = folder.spawn("run hospitals-rounds --set train.rounds=1000000 --out run");
    while !folder.path("run/rounds.jsonl").exists() {
        assert!(first.try_wait().expect("a child").is_none(), "it ended");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let second = folder.run("run --resume run");
    let third = folder.run("run hospitals-rounds --out run");
    first.kill().expect("killed");
    first.wait().expect("gone");
    refusal(&second, "a second process", &["another process", "`run`", "wait"]);
    refusal(&third, "the same folder", &["exists already", "--out"]);
}

#[test]
fn a_folder_that_cannot_be_written_is_named() {
    let folder = Folder::new(&[("taken", "a file")]);
    refusal(
        &folder.run("run hospitals-rounds --out taken/run"),
        "a file in the way",
        &["taken/run"],
    );
    assert_ne!(folder.run("run hospitals-rounds --set train.rounds=2 --out run").code, 2);
    let mut mode = fs::metadata(folder.path("run")).expect("a folder").permissions();
    mode.set_readonly(true);
    fs::set_permissions(folder.path("run"), mode.clone()).expect("changed");
    if fs::write(folder.path("run/probe"), "").is_ok() {
        eprintln!("SKIPPED: this user writes into read-only folders; nothing was tested");
        return;
    }
    let said = folder.run("run --resume run");
    #[expect(clippy::permissions_set_readonly_false, reason = "a temporary folder")]
    mode.set_readonly(false);
    fs::set_permissions(folder.path("run"), mode).expect("changed");
    refusal(&said, "a read-only folder", &["run"]);
}

/// Runs the command in a shell that lets no file grow beyond some blocks of 512 bytes.
fn limited(folder: &Folder, blocks: usize, arguments: &str) -> Said {
    let binary = env!("CARGO_BIN_EXE_corefed");
    let output = Command::new("sh")
        .arg("-c")
        .arg(format!("trap '' XFSZ; ulimit -f {blocks}; exec '{binary}' {arguments}"))
        .current_dir(folder.path(""))
        .output()
        .expect("a shell");
    Said {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn a_full_disk_is_reported_and_the_run_goes_on_when_there_is_space() {
    let run = "run hospitals-rounds --set train.rounds=60 --set train.local.batch=8 \
               --set train.record.tensorboard=true --set train.local.learning_rate=0.05 --out run";
    let whole = Folder::new(&[]);
    assert_ne!(whole.run(run).code, 2);
    let expected = whole.files("run");
    let largest = expected.values().map(Vec::len).max().expect("files");
    let folder = Folder::new(&[]);
    for part in [2, 5, 8] {
        let begun = folder.path("run").exists();
        let arguments = if begun { "run --resume run" } else { run };
        let said = limited(&folder, largest * part / 10 / 512, arguments);
        if said.code == 2 {
            refusal(&said, "a full disk", &["run/", "resume a training"]);
        }
        for line in fs::read_to_string(folder.path("run/rounds.jsonl")).expect("text").lines() {
            serde_json::from_str::<serde_json::Value>(line).expect("a whole line");
        }
    }
    let said = folder.run("run --resume run");
    assert_ne!(said.code, 2, "{}", said.err);
    same(&expected, &folder.files("run"));
}
