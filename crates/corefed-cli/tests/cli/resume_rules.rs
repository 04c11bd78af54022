//! Whatever a rule remembers, a checkpoint remembers: runs whose reader went away resume to the same
//! bytes.

use std::io::{BufRead, BufReader};

use crate::harness::Folder;
use crate::run_folder::same;

/// Runs to the end, and once more with a reader of events that leaves after a few rounds: the run
/// then stops with a checkpoint, at a round that no clock decides alone.
fn interrupted_and_not(files: &[(&str, &str)], arguments: &str) {
    let (whole, folder) = (Folder::new(files), Folder::new(files));
    let said = whole.run(&format!("{arguments} --out run"));
    assert_ne!(said.code, 2, "{arguments}: {}", said.err);
    let mut child = folder.spawn(&format!("{arguments} --json --out run"));
    let mut events = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    for _ in 0..4 {
        events.next().expect("an event").expect("readable");
    }
    drop(events);
    child.wait().expect("an end");
    // A pipe holds some thirty events, so the run cannot have come to its end.
    assert!(!folder.path("run/audit.json").exists(), "{arguments}: it was not interrupted");
    let resumed = folder.run("run --resume run");
    assert_eq!(resumed.code, said.code, "{arguments}: {}", resumed.err);
    same(&whole.files("run"), &folder.files("run"));
}

#[test]
fn every_rule_goes_on_where_it_stopped() {
    for info in corefed_rules::RULES {
        let rule = info.name;
        interrupted_and_not(
            &[],
            &format!("run hospitals-rounds --set train.rounds=90 --set train.rule={rule}"),
        );
    }
}

#[test]
fn safeguards_schedules_and_momentum_go_on_where_they_stopped() {
    let run = "run hospitals-rounds --set train.rounds=90 --set train.local.batch=16 \
               --set train.local.learning_rate=0.1 --set train.server_momentum=0.8";
    for settings in [
        // A ceiling below the first losses, which is raised.
        "--set train.safety.at_ceiling=raise --ceiling 0.6",
        "--set train.safety.at_ceiling=warm-up --ceiling 0.7",
        "--set train.safety.clip=0.05 --set train.step_length=dynamic",
        "--set train.local.schedule=cosine --set train.local.weight_decay=0.01",
        "--set train.participation.cohort=2 --set train.participation.draw=size \
         --set train.record.evaluate_every=7",
    ] {
        interrupted_and_not(&[], &format!("{run} {settings}"));
    }
}

#[test]
fn corrections_memory_and_the_best_model_go_on_where_they_stopped() {
    let run = "run hospitals-rounds --set train.rounds=90 --set train.local.batch=16 \
               --set train.local.epochs=3 --set train.local.learning_rate=0.1";
    for settings in [
        "--set train.correction=control --set train.search=on --set train.local.momentum=0.5",
        "--set train.correction=control --set train.search=off --set train.memory=0.3",
        "--set validation=0.2 --set held_out=0.1",
        "--set validation=0.2 --set train.stop.patience=60 --set train.search=off",
    ] {
        interrupted_and_not(&[], &format!("{run} {settings}"));
    }
}

#[test]
fn single_precision_goes_on_where_it_stopped() {
    let shapes = "data = \"shapes\"\nmodel = \"softmax\"\n[partition]\nmethod = \"quantity-skew\"\n\
                  agents = 4\n[train]\nrule = \"afl\"\nrounds = 60\nserver_momentum = 0.5\n\
                  [train.local]\nsteps = 2\nlearning_rate = 0.01\n\
                  [train.record]\nevaluate_every = 0\n";
    interrupted_and_not(&[("s.toml", shapes)], "run s.toml");
}
