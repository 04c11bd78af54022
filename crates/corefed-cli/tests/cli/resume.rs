//! Runs that are killed, stopped or damaged end with the bytes of a run that never was.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::harness::{Folder, Said};
use crate::run_folder::same;

/// Everything that a checkpoint has to remember, for long enough to be killed in.
pub(crate) const BUSY: &str = "run hospitals-rounds --set train.rounds=2000 --set train.local.batch=8 \
     --set train.local.momentum=0.9 --set train.server_momentum=0.5 --set train.rule=afl \
     --set train.participation.cohort=3 --set train.participation.dropout=0.2 \
     --set train.participation.stragglers=0.2 --set train.local.learning_rate=0.01 \
     --set train.local.epochs=2 --set train.record.evaluate_every=1 \
     --set train.record.checkpoint_every=1 --set train.record.tensorboard=true \
     --set held_out=0.2 --out run";

/// A shorter run, for what need not be interrupted by the clock.
const SHORT: &str = "run hospitals-rounds --set train.rounds=9 --set train.local.batch=8 \
     --set train.rule=afl --set train.participation.cohort=3 --set train.local.learning_rate=0.01 \
     --set train.record.checkpoint_every=2 --out run";

pub(crate) fn undisturbed(arguments: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::new(&[]);
    let said = folder.run(arguments);
    assert_ne!(said.code, 2, "{}", said.err);
    folder.files("run")
}

/// A run that stopped after a few rounds, with two checkpoints.
fn stopped() -> Folder {
    let folder = Folder::new(&[]);
    let mut child = folder.spawn(BUSY);
    wait_for_rounds(&folder, 3);
    child.kill().expect("killed");
    child.wait().expect("gone");
    folder
}

/// Waits until some rounds are written down.
pub(crate) fn wait_for_rounds(folder: &Folder, count: usize) {
    for _ in 0..6000 {
        let written = fs::read_to_string(folder.path("run/rounds.jsonl")).unwrap_or_default();
        if written.lines().count() > count {
            return;
        }
        sleep(Duration::from_millis(5));
    }
    panic!("no {count} rounds in half a minute");
}

fn resume(folder: &Folder) -> Said {
    folder.run("run --resume run")
}

/// A small generator (`splitmix64`), so that a failure repeats as far as clocks do.
pub(crate) fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[test]
fn a_run_killed_thirty_times_ends_with_the_same_bytes() {
    let expected = undisturbed(BUSY);
    let mut seed = 30;
    let mut kills = 0;
    let mut finished = 0;
    while kills < 30 {
        let folder = Folder::new(&[]);
        loop {
            let begun = folder.path("run").exists();
            let mut child = folder.spawn(if begun { "run --resume run" } else { BUSY });
            let pause = if kills < 30 { next(&mut seed) % 150 } else { 600_000 };
            let mut status = None;
            for _ in 0..pause {
                sleep(Duration::from_millis(1));
                status = child.try_wait().expect("a child");
                if status.is_some() {
                    break;
                }
            }
            if let Some(status) = status {
                assert!(matches!(status.code(), Some(0 | 1 | 3)), "{status}");
                break;
            }
            child.kill().expect("killed");
            child.wait().expect("gone");
            kills += 1;
        }
        same(&expected, &folder.files("run"));
        finished += 1;
    }
    assert!(finished > 0);
}

#[test]
fn a_damaged_checkpoint_is_reported_and_the_one_before_used() {
    let expected = undisturbed(BUSY);
    let folder = stopped();
    let mut names: Vec<String> = folder.files("run/checkpoints").into_keys().collect();
    names.retain(|name| name.ends_with(".checkpoint"));
    let newest = format!("run/checkpoints/{}", names.last().expect("a checkpoint"));
    let mut bytes = fs::read(folder.path(&newest)).expect("readable");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.path(&newest), bytes).expect("written");
    let said = resume(&folder);
    assert_ne!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("warning") && said.err.contains(&newest), "{}", said.err);
    let before = names[names.len() - 2].trim_start_matches('0').trim_end_matches(".checkpoint");
    assert!(said.err.contains(&format!("continuing after round {before}\n")), "{}", said.err);
    same(&expected, &folder.files("run"));
}

#[test]
fn a_run_without_a_checkpoint_that_counts_starts_over() {
    let expected = undisturbed(SHORT);
    let folder = Folder::new(&[]);
    assert_ne!(folder.run(SHORT).code, 2);
    fs::write(folder.path("run/checkpoints/00000009.checkpoint"), "nothing").expect("written");
    let said = resume(&folder);
    assert_ne!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("starting over"), "{}", said.err);
    same(&expected, &folder.files("run"));
}

#[test]
fn resuming_a_finished_run_changes_nothing() {
    for ending in ["--set train.stop.certificate=0", "--ceiling worst --set train.rule=newton"] {
        let folder = Folder::new(&[]);
        let run = format!("run hospitals-rounds --set train.rounds=20 {ending} --out run");
        let first = folder.run(&run);
        assert_ne!(first.code, 2, "{}", first.err);
        let before = folder.files("run");
        let again = resume(&folder);
        assert_eq!(again.code, first.code, "{}", again.err);
        same(&before, &folder.files("run"));
        let numbers = |said: &Said| said.out.lines().take(9).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(numbers(&first), numbers(&again));
    }
}

#[test]
fn what_a_killed_process_had_not_written_yet_is_written() {
    let expected = undisturbed(SHORT);
    let folder = Folder::new(&[]);
    assert_ne!(folder.run(SHORT).code, 2);
    for file in ["federation.csv", "audit.json", "summary.md", "model.safetensors"] {
        fs::remove_file(folder.path("run").join(file)).expect(file);
    }
    folder.write("run/audit.json.partial", "half");
    assert_ne!(resume(&folder).code, 2);
    same(&expected, &folder.files("run"));
}

/// Two agents on a line, trained from a file.
fn lines_of(last: &str) -> String {
    format!("agent,x,y\nA,1,1\nA,2,2.1\nA,3,2.9\nB,1,2\nB,2,2.9\nB,3,{last}\n")
}

const LINES: &str = "data = \"d.csv\"\nagent = \"agent\"\ntarget = \"y\"\nmodel = \"linear\"\n\
                     [train]\nrounds = 4\n[train.local]\nlearning_rate = 0.1\n";

#[test]
fn a_run_goes_on_from_wherever_it_is_resumed() {
    let folder = Folder::new(&[("d.csv", &lines_of("4")), ("s.toml", LINES)]);
    assert_ne!(folder.run("run s.toml --out run").code, 2);
    let before = folder.files("run");
    let resumed = Command::new(env!("CARGO_BIN_EXE_corefed"))
        .args(["run", "--resume"])
        .arg(folder.path("run"))
        .current_dir(std::env::temp_dir())
        .stdout(Stdio::null())
        .status();
    assert_ne!(resumed.expect("the binary runs").code(), Some(2));
    same(&before, &folder.files("run"));
}

#[test]
fn a_run_goes_on_only_with_the_data_and_settings_it_began_with() {
    let folder = Folder::new(&[("d.csv", &lines_of("4")), ("s.toml", LINES)]);
    let said = folder.run("run s.toml --out run");
    assert_ne!(said.code, 2, "{}", said.err);
    let digest = |folder: &Folder| {
        let header: serde_json::Value =
            serde_json::from_str(&folder.read("run/run.json")).expect("JSON");
        header["data"]["digest"].as_str().expect("digest")[..12].to_owned()
    };
    let before = folder.files("run");
    folder.write("d.csv", &lines_of("4.5"));
    let said = resume(&folder);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("have changed") && said.err.contains("hint:"), "{}", said.err);
    assert!(said.err.contains(&digest(&folder)), "{}", said.err);
    same(&before, &folder.files("run"));

    folder.write("d.csv", &lines_of("4"));
    let spec = folder.read("run/spec.toml");
    folder.write("run/spec.toml", &spec.replace("rounds = 4", "rounds = 5"));
    let said = resume(&folder);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("`train.rounds` was 4 and is 5"), "{}", said.err);
    assert!(said.err.contains("hint:"), "{}", said.err);
    fs::remove_file(folder.path("d.csv")).expect("removed");
    folder.write("run/spec.toml", &spec);
    let said = resume(&folder);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("d.csv"), "{}", said.err);
    same(&before, &folder.files("run"));
}

#[test]
fn folders_that_are_no_training_are_refused_and_left_alone() {
    let folder = Folder::hospitals();
    fs::create_dir(folder.path("empty")).expect("a folder");
    for name in ["empty", "run", "absent"] {
        let before = folder.path(name).exists().then(|| folder.files(name));
        let said = folder.run(&format!("run --resume {name}"));
        assert_eq!(said.code, 2, "{name}: {}", said.out);
        assert!(said.err.contains(name) && said.err.contains("hint:"), "{name}: {}", said.err);
        assert_eq!(before, folder.path(name).exists().then(|| folder.files(name)));
        assert!(!folder.path(name).join(".lock").exists(), "{name}");
    }
}
