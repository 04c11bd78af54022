//! Two commands in one place: one of them has it, and the other is told. What was killed continues as a whole.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::Duration;

use crate::harness::Folder;
use crate::run_folder::same;

const SLOW: &str = "sweep hospitals-rounds --field train.local.learning_rate --values 0.1,0.2,0.3 \
     --set train.rounds=1000 --set train.record.checkpoint_every=100 --jobs 1 --out s";
const COMPARE: &str = "compare hospitals-rounds --rules fedavg,corefed,afl --set train.rounds=1000 \
     --set train.record.checkpoint_every=100 --jobs 1 --out s";

fn wait_for(folder: &Folder, file: &str) {
    for _ in 0..6000 {
        if fs::metadata(folder.path(file)).is_ok_and(|found| found.is_dir() || found.len() > 0) {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("no {file} in half a minute");
}

fn kill(mut child: Child) {
    child.kill().expect("killed");
    child.wait().expect("gone");
}

#[test]
fn of_two_sweeps_into_one_folder_one_is_told() {
    for _ in 0..5 {
        let folder = Folder::new(&[]);
        let pair = [
            folder.spawn("sweep hospitals --values 0.72,1 --out x"),
            folder.spawn("sweep hospitals --values 0.9,1.1,1.3 --out x"),
        ];
        let ends = pair.map(|child| child.wait_with_output().expect("an end"));
        let codes = ends.each_ref().map(|end| end.status.code().expect("a code"));
        assert!(codes == [0, 2] || codes == [2, 0], "{codes:?}");
        let lost = ends.iter().find(|end| end.status.code() == Some(2)).expect("one");
        let told = String::from_utf8_lossy(&lost.stderr).into_owned();
        assert!(told.contains("`x`") && told.contains("hint:"), "{told}");
        let values = folder.read("x/sweep.csv").lines().count() - 1;
        assert_eq!(values, if codes[0] == 0 { 2 } else { 3 });
        let page = folder.read("x/report.html");
        assert_eq!(folder.run("report x").code, 0);
        assert_eq!(folder.read("x/report.html"), page, "the page is that of the table");
        let mut names = folder.names();
        names.retain(|name| name != "x");
        assert!(names.is_empty(), "{names:?}");
    }
}

#[test]
fn of_two_comparisons_into_one_folder_one_is_told() {
    let compare = |rules: &str| {
        format!("compare hospitals-rounds --rules {rules} --set train.rounds=20 --out x")
    };
    for _ in 0..5 {
        let folder = Folder::new(&[]);
        let pair =
            ["fedavg,corefed", "fedavg,corefed,afl"].map(|rules| folder.spawn(&compare(rules)));
        let ends = pair.map(|child| child.wait_with_output().expect("an end"));
        let codes = ends.each_ref().map(|end| end.status.code().expect("a code"));
        let lost = usize::from(codes[1] == 2);
        assert!(codes[lost] == 2 && codes[1 - lost] != 2, "{codes:?}");
        let told = String::from_utf8_lossy(&ends[lost].stderr).into_owned();
        assert!(told.contains("`x`") && told.contains("hint:"), "{told}");
        let rules = folder.read("x/compare.csv").lines().count() - 1;
        assert_eq!(rules, if lost == 1 { 2 } else { 3 }, "the table is the winner's");
        let said = folder.run("report x");
        assert_eq!(
            (said.code, said.err.as_str()),
            (0, ""),
            "nothing of the other lies in the folder"
        );
        assert_eq!(folder.names(), ["x"]);
    }
}

#[test]
fn sweeps_and_comparisons_that_were_killed_say_how_they_go_on_and_do() {
    for (command, first, document) in [
        (SLOW, "s/000/rounds.jsonl", "sweep.json"),
        (COMPARE, "s/fedavg-seed-8/rounds.jsonl", "compare.json"),
    ] {
        let whole = Folder::new(&[]);
        assert_eq!(whole.run(command).code, 0);
        let folder = Folder::new(&[]);
        let child = folder.spawn(command);
        wait_for(&folder, first);
        let busy = folder.run(&format!("{command} --resume"));
        assert_eq!(busy.code, 2, "{}", busy.out);
        assert!(busy.err.contains("another process is writing"), "{}", busy.err);
        kill(child);
        assert!(!folder.path("s").join(document).exists());
        let said = folder.run(command);
        assert_eq!(said.code, 2, "{}", said.out);
        assert!(said.err.contains("not finished") && said.err.contains("--resume"), "{}", said.err);
        let other =
            folder.run(&format!("{command} --resume").replace("rounds=1000", "rounds=1001"));
        assert_eq!(other.code, 2, "{}", other.out);
        assert!(other.err.contains("`train.rounds` was 1000 and is 1001"), "{}", other.err);
        let said = folder.run(&format!("{command} --resume"));
        assert_eq!(said.code, 0, "{}", said.err);
        let (mut expected, mut found) = (whole.files("s"), folder.files("s"));
        for files in [&mut expected, &mut found] {
            files.retain(|name, _| !name.ends_with("/.lock"));
        }
        same(&expected, &found);
        let said = folder.run(command);
        assert!(said.code == 2 && said.err.contains("exists already"), "{}", said.err);
    }
}

#[test]
fn a_resumed_sweep_is_the_sweep_that_was_asked_for() {
    let folder = Folder::new(&[]);
    let child = folder.spawn(SLOW);
    wait_for(&folder, "s/000/rounds.jsonl");
    kill(child);
    let other = folder.run(&format!("{SLOW} --resume").replace("0.1,0.2,0.3", "0.1,0.2"));
    assert_eq!(other.code, 2, "{}", other.out);
    assert!(other.err.contains("`--values` was 0.1,0.2,0.3 and is 0.1,0.2"), "{}", other.err);
}

#[test]
fn a_sweep_that_cannot_begin_leaves_no_folder() {
    let folder = Folder::new(&[]);
    let said = folder.run("sweep hospitals --field nothing --values 1,2 --out x");
    assert_eq!(said.code, 2, "{}", said.out);
    assert_eq!(folder.names(), Vec::<String>::new());
}

#[test]
fn reports_and_exports_of_one_run_never_spoil_each_other() {
    let folder = Folder::new(&[]);
    let run = "run hospitals-rounds --set train.rounds=30 --out r";
    assert_ne!(folder.run(run).code, 2);
    let page = folder.read("r/report.html");
    for _ in 0..5 {
        let all: Vec<Child> = (0..4)
            .map(|k| folder.spawn(if k % 2 == 0 { "report r" } else { "export r --out e.csv" }))
            .collect();
        let ends: Vec<_> = all.into_iter().map(|c| c.wait_with_output().expect("an end")).collect();
        for pair in [[0, 2], [1, 3]] {
            assert!(pair.iter().any(|k| ends[*k].status.success()), "nobody wrote");
        }
        for end in ends.iter().filter(|end| !end.status.success()) {
            let told = String::from_utf8_lossy(&end.stderr);
            assert!(told.contains("another process is writing"), "{told}");
        }
        assert_eq!(folder.read("r/report.html"), page);
        assert_eq!(folder.read("e.csv").lines().count(), 32);
    }
}

#[test]
fn a_file_that_another_command_is_at_work_on_is_not_replaced_behind_it() {
    let folder = Folder::new(&[("rows.csv", "a,x,y\nA,1,1\nA,2,2\nB,1,2\nB,3,1\n")]);
    assert_ne!(folder.run("run hospitals-rounds --set train.rounds=30 --out r").code, 2);
    let solve = "solve rows.csv --agent a --target y --model linear --l2 0.1 --certificate";
    for command in
        ["export r --table rounds --out o.csv", "report r --out o.csv", &format!("{solve} o.csv")]
    {
        let claim = std::fs::File::create(folder.path("o.csv.claim.partial")).expect("a claim");
        claim.lock().expect("held");
        let said = folder.run(command);
        assert_eq!(said.code, 2, "{command}: {}", said.out);
        assert!(said.err.contains("another process is writing"), "{}", said.err);
        assert!(!folder.path("o.csv").exists());
        // Its process is gone: what it left is nobody's.
        drop(claim);
        assert_ne!(folder.run(command).code, 2, "{command}");
        std::fs::remove_file(folder.path("o.csv")).expect("written");
        assert!(!folder.path("o.csv.claim.partial").exists());
    }
}

#[test]
fn what_killed_runs_left_is_removed_by_the_next() {
    let folder = Folder::new(&[]);
    for name in ["run.partial-4194304999-0", "other.partial-4194304999-0"] {
        fs::create_dir(folder.path(name)).expect("a folder");
        folder.write(&format!("{name}/half"), "");
    }
    assert_eq!(folder.run("run --out run").code, 0);
    assert_eq!(folder.names(), ["other.partial-4194304999-0", "run"]);
}

#[test]
fn labels_that_would_share_a_folder_are_refused_before_anything_is_trained() {
    let folder = Folder::new(&[]);
    let rules = "compare.rules=[{rule=\"qffl\",label=\"q<1\"},{rule=\"qffl\",q=2.0,label=\"q>1\"}]";
    let said = folder.run_with(&["compare", "hospitals-rounds", "--set", rules, "--out", "c"]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("`q-1` of the rule `q>1`"), "{}", said.err);
    assert_eq!(folder.names(), Vec::<String>::new());
}
