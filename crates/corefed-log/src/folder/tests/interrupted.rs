//! A run stopped at every byte it writes and every file it touches.

use std::collections::BTreeMap;
use std::fs;

use super::*;
use crate::disk::fuse;

/// Files and number of changes of a run that nothing disturbs.
fn undisturbed() -> (BTreeMap<String, Vec<u8>>, usize) {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    fuse::reset();
    train(&path).unwrap();
    (snapshot(&path), fuse::changes())
}

fn kill_after(limits: impl IntoIterator<Item = usize>, expected: &BTreeMap<String, Vec<u8>>) {
    for limit in limits {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        fuse::kill_after(limit);
        assert!(train(&path).is_err(), "killed after {limit} changes");
        fuse::reset();
        train(&path).unwrap();
        assert!(snapshot(&path) == *expected, "killed after {limit} changes");
    }
}

#[test]
fn a_run_killed_anywhere_goes_on_to_the_same_bytes() {
    let (expected, changes) = undisturbed();
    // The edges of every write, and places within.
    let edges = fuse::starts().into_iter().flat_map(|start| [start.saturating_sub(1), start]);
    let mut limits: Vec<_> = edges.chain((0..changes).step_by(23)).collect();
    limits.sort_unstable();
    limits.dedup();
    limits.retain(|limit| *limit < changes);
    kill_after(limits, &expected);
}

#[test]
#[ignore = "takes minutes"]
fn a_run_killed_at_any_byte_goes_on_to_the_same_bytes() {
    let (expected, changes) = undisturbed();
    kill_after(0..changes, &expected);
}

#[test]
fn a_run_killed_again_and_again_goes_on_to_the_same_bytes() {
    let (expected, changes) = undisturbed();
    // Each attempt gets a little further; what a restored run writes again is killed, too.
    for step in [611, 997, 1511, 2503] {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let finished = (1..).take(changes).find(|attempt| {
            fuse::kill_after(attempt * step);
            train(&path).is_ok()
        });
        fuse::reset();
        assert!(finished.is_some_and(|attempts| attempts > 1), "{step}");
        assert!(snapshot(&path) == expected, "killed every {step} changes");
    }
}

#[test]
fn a_disk_that_is_full_once_leaves_a_run_that_can_go_on() {
    let (expected, changes) = undisturbed();
    for limit in (0..changes).step_by(29) {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        fuse::fail_once_after(limit);
        match train(&path) {
            // What failed was only cleaning up.
            Ok(()) => {}
            Err(error) => {
                assert!(matches!(error, LogError::NoSpace { .. }), "{error:?}");
                assert!(error.hint().unwrap().contains("resume"));
                // The names that exist are of whole files, or of lines that are whole.
                if path.exists() {
                    let view = RunFolder::peek(&path).unwrap();
                    assert!(view.rounds().unwrap().all(|round| round.is_ok()));
                    assert!(view.agents().unwrap().all(|agent| agent.is_ok()));
                    view.model().unwrap();
                    let partial = |name: &String| name.ends_with("partial");
                    assert!(!snapshot(&path).keys().any(partial), "after {limit}");
                } else {
                    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0, "after {limit}");
                }
            }
        }
        fuse::reset();
        train(&path).unwrap();
        assert!(snapshot(&path) == expected, "full after {limit} of {changes} changes");
    }
}

#[test]
fn a_round_that_could_not_be_written_may_be_tried_again() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    let before = snapshot(run.path());
    fuse::reset();
    append(&mut run, 1);
    let (after, changes) = (snapshot(run.path()), fuse::changes());
    drop(run);
    for limit in 0..changes {
        let parent = tempfile::tempdir().unwrap();
        let mut run = new(parent.path());
        append(&mut run, 0);
        fuse::fail_once_after(limit);
        assert!(run.append(&record(1, MODEL_A), &agents(1, MODEL_A)).is_err());
        assert_eq!(snapshot(run.path()), before, "after {limit} changes");
        append(&mut run, 1);
        assert_eq!(snapshot(run.path()), after, "after {limit} changes");
    }
}

#[test]
#[cfg(unix)]
fn a_folder_that_became_read_only_is_an_error_with_path_and_hint() {
    use std::os::unix::fs::PermissionsExt;

    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    run.checkpoint(&checkpoint(0, MODEL_A)).unwrap();
    let checkpoints = run.path().join(CHECKPOINTS);
    let allow = |mode| fs::set_permissions(&checkpoints, fs::Permissions::from_mode(mode)).unwrap();
    allow(0o555);
    if fs::write(checkpoints.join("probe"), "").is_ok() {
        println!("skipped: this user may write everywhere");
        return;
    }
    append(&mut run, 1);
    let error = run.checkpoint(&checkpoint(1, MODEL_A)).unwrap_err();
    assert!(matches!(error, LogError::Write { .. }), "{error:?}");
    assert!(error.to_string().contains("00000001.checkpoint"), "{error}");
    assert!(error.hint().unwrap().contains("may you write there"));
    allow(0o755);
    run.checkpoint(&checkpoint(1, MODEL_A)).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_told_apart_from_a_folder_that_may_not_be_written() {
    let error = crate::write_file("/dev/full", "{}\n").unwrap_err();
    assert!(matches!(error, LogError::NoSpace { .. }), "{error:?}");
    assert_eq!(error.to_string(), "no space left for `/dev/full`");
}
