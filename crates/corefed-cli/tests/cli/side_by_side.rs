//! Several trainings at a time come to what they come to one after another.

use std::collections::BTreeMap;
use std::fs;

use crate::harness::Folder;
use crate::reproduce::{quick, timeless};
use crate::run_folder::same;

const RESULTS: &str = "r/table1-cifar10/results.json";

/// What a command writes with this many trainings at a time: results without times, every other file.
fn written(jobs: &str, more: &[&str]) -> (serde_json::Value, BTreeMap<String, Vec<u8>>) {
    let folder = Folder::new(&[]);
    let said = quick(&folder, &[&["--jobs", jobs], more].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let mut files = folder.files("r");
    files.retain(|name, _| !name.ends_with("results.json") && !name.ends_with("/.lock"));
    (timeless(&folder.read(RESULTS)), files)
}

#[test]
fn four_trainings_at_a_time_write_the_same_bytes_as_one() {
    let (one, four) = (written("1", &["--seeds", "2"]), written("4", &["--seeds", "2"]));
    assert_eq!(one.0["rows"].as_array().expect("rows").len(), 36);
    assert_eq!(one.0, four.0);
    // Twelve rows of rules and six coalitions, for each seed.
    let runs = one.1.keys().filter(|name| name.ends_with("/run.json")).count();
    assert_eq!(runs, 2 * (3 + 3 * 3 + 6));
    same(&one.1, &four.1);
}

#[test]
fn trainings_that_explode_are_listed_in_the_same_order() {
    let wild = ["--set", "train.local.learning_rate=1e30"];
    let (one, three) = (written("1", &wild), written("3", &wild));
    let exploded = one.0["exploded"].as_array().expect("a list");
    assert!(exploded.len() > 1, "{exploded:?}");
    assert_eq!(one.0, three.0);
}

#[test]
fn a_training_that_fails_is_named_and_the_others_go_on_from_where_they_were() {
    let folder = Folder::new(&[]);
    fs::create_dir_all(folder.path("r/table1-cifar10/runs")).expect("made");
    // A file where a folder has to be.
    folder.write("r/table1-cifar10/runs/afl-seed-1", "in the way");
    let said = quick(&folder, &["--jobs", "3"]);
    assert_eq!(said.code, 2, "{}", said.err);
    assert!(said.err.contains("table1-cifar10 afl seed 1 [11/18]"), "{}", said.err);
    assert!(!folder.path(RESULTS).exists());
    fs::remove_file(folder.path("r/table1-cifar10/runs/afl-seed-1")).expect("removed");
    let said = quick(&folder, &["--jobs", "3"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(timeless(&folder.read(RESULTS)), written("2", &[]).0);
}

#[test]
fn no_training_at_a_time_is_refused() {
    let said = quick(&Folder::new(&[]), &["--jobs", "0"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("--jobs"), "{}", said.err);
}

#[test]
fn trainings_of_other_settings_are_not_taken_for_these() {
    let folder = Folder::new(&[]);
    assert_eq!(quick(&folder, &[]).code, 0);
    let said = quick(&folder, &["--set", "train.local.learning_rate=0.02"]);
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("was made by other settings"), "{}", said.err);
    assert!(said.err.contains("table1-cifar10 fedavg seed 1 [1/18]"), "{}", said.err);
}

#[test]
fn values_of_a_sweep_at_a_time_write_the_same_bytes_as_one_after_another() {
    let sweep = |jobs: &str| {
        let folder = Folder::new(&[]);
        let said = folder.run(&format!(
            "sweep hospitals-rounds --field train.local.learning_rate --values 0.3,0.1,0.2,0.05 \
             --set train.rounds=8 --out s --json --jobs {jobs}"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
        let mut files = folder.files("s");
        files.retain(|name, _| !name.ends_with("/.lock"));
        (said.json(), files)
    };
    let (one, three) = (sweep("1"), sweep("3"));
    let points = one.0["points"].as_array().expect("points");
    let values: Vec<&str> = points.iter().filter_map(|point| point["value"].as_str()).collect();
    assert_eq!(values, ["0.3", "0.1", "0.2", "0.05"]);
    assert_ne!(points[0]["losses"], points[1]["losses"]);
    assert_eq!(one.0, three.0);
    assert_eq!(one.1.keys().filter(|name| name.ends_with("/run.json")).count(), 4);
    same(&one.1, &three.1);
}

#[test]
fn a_value_that_fails_ends_the_sweep_and_is_named() {
    let folder = Folder::new(&[]);
    for (jobs, named) in [("1", &["1e200"][..]), ("3", &["1e200", "1e300"])] {
        let said = folder.run(&format!(
            "sweep hospitals-rounds --field train.local.learning_rate --values 0.1,1e200,1e300 \
             --set train.rounds=3 --out s{jobs} --jobs {jobs}"
        ));
        assert_eq!(said.code, 2, "{}", said.out);
        // Whichever fails first ends the others after their round, so that a failure is told at once.
        let told =
            |value: &&str| said.err.contains(&format!("at train.local.learning_rate = {value}: "));
        assert!(named.iter().any(told), "{}", said.err);
    }
}
