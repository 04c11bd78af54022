//! Ctrl-C: a training stops with what it has, and resumes to the same bytes.
#![cfg(unix)]

use std::fmt::Write;
use std::fs;
use std::process::{Child, Command};
use std::thread::sleep;
use std::time::Duration;

use crate::harness::Folder;
use crate::reproduce::{QUICK, timeless};
use crate::resume::{BUSY, next, undisturbed, wait_for_rounds};
use crate::run_folder::same;

fn press_ctrl_c(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.expect("a kill command").success());
}

#[test]
fn ctrl_c_stops_after_the_round_and_says_how_to_go_on() {
    let folder = Folder::new(&[]);
    let child = folder.spawn(BUSY);
    wait_for_rounds(&folder, 3);
    press_ctrl_c(&child);
    let output = child.wait_with_output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("stopped after round") && told.contains("run --resume run"), "{told}");
    assert!(output.stdout.is_empty());
    // Nothing of the rounds is lost: the newest checkpoint is of the last one.
    let rounds = folder.records("run/rounds.jsonl");
    let last = rounds.last().expect("a round")["round"].as_u64().expect("count");
    assert!(folder.path(&format!("run/checkpoints/{last:08}.checkpoint")).exists());
    assert!(told.contains(&format!("stopped after round {last};")), "{told}");
    assert_ne!(folder.run("run --resume run").code, 2);
    same(&undisturbed(BUSY), &folder.files("run"));
}

/// Forty agents whose labels have nothing in common: an audit takes minutes.
fn strangers() -> String {
    let mut seed = 40;
    let mut draw = || (next(&mut seed) >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    let mut rows = String::from("agent,a,b,c,d,e,f,g,h,y\n");
    for agent in 10..50 {
        let tastes: Vec<f64> = (0..8).map(|_| draw()).collect();
        for _ in 0..20 {
            let row: Vec<f64> = (0..8).map(|_| draw()).collect();
            let liking: f64 = tastes.iter().zip(&row).map(|(t, x)| t * x).sum();
            let label = u8::from(liking + 0.1 * draw() > 0.0);
            write!(rows, "agent{agent}").expect("text");
            for x in &row {
                write!(rows, ",{x}").expect("text");
            }
            writeln!(rows, ",{label}").expect("text");
        }
    }
    rows
}

#[test]
fn ctrl_c_stops_an_audit_and_leaves_no_verdict_that_depends_on_when() {
    let spec = "data = \"d.csv\"\nagent = \"agent\"\ntarget = \"y\"\nmodel = \"logistic\"\n\
                ceiling = 0.8\n[train]\nrounds = 3\n[train.local]\nlearning_rate = 0.01\n";
    let folder = Folder::new(&[("d.csv", &strangers()), ("s.toml", spec)]);
    let child = folder.spawn("run s.toml --out run");
    while !folder.path("run/model.safetensors").exists() {
        sleep(Duration::from_millis(5));
    }
    press_ctrl_c(&child);
    let output = child.wait_with_output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("stopped after round 3; continue with"), "{told}");
    assert!(folder.path("run/checkpoints/00000003.checkpoint").exists());
    assert!(!folder.path("run/audit.json").exists());
}

#[test]
fn ctrl_c_stops_all_trainings_of_a_table_and_the_same_command_goes_on() {
    const RESULTS: &str = "r/table1-cifar10/results.json";
    let command = format!("{QUICK} --rounds 6 --jobs 3");
    let folder = Folder::new(&[]);
    let child = folder.spawn(&command);
    let runs = || fs::read_dir(folder.path("r/table1-cifar10/runs")).map_or(0, Iterator::count);
    for _ in 0..6000 {
        if runs() > 4 {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    press_ctrl_c(&child);
    let output = child.wait_with_output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(!folder.path(RESULTS).exists() && runs() < 18, "{} begun: {told}", runs());
    assert_eq!(folder.run(&command).code, 0);
    let undisturbed = Folder::new(&[]);
    assert_eq!(undisturbed.run(&command).code, 0);
    assert_eq!(timeless(&undisturbed.read(RESULTS)), timeless(&folder.read(RESULTS)));
}

#[test]
fn ctrl_c_stops_all_trainings_of_a_sweep_and_says_how_it_goes_on() {
    let folder = Folder::new(&[]);
    let child = folder.spawn(
        "sweep hospitals-rounds --field train.local.learning_rate --values 0.1,0.2,0.3 \
         --set train.rounds=1000000 --jobs 2 --out s",
    );
    let begun = |place: &str| {
        fs::metadata(folder.path(&format!("s/{place}/rounds.jsonl")))
            .is_ok_and(|file| file.len() > 0)
    };
    for _ in 0..6000 {
        if begun("000") && begun("001") {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    press_ctrl_c(&child);
    let output = child.wait_with_output().expect("an end");
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("resume with the same command and: --out s --resume"), "{told}");
    assert!(!begun("002") && !folder.path("s/sweep.json").exists(), "{told}");
}
