use serde_json::json;
use std::fs;

use super::*;
use crate::testing::{agents, checkpoint, header, record, snapshot, train};
use crate::{Checkpoint, TensorData};

mod interrupted;

const MODEL_A: [f64; 2] = [0.5, 0.25];

fn new(parent: &Path) -> RunFolder {
    RunFolder::create(parent.join("deep/run"), &header(), "spec = 1\n", None).unwrap()
}

fn append(run: &mut RunFolder, round: usize) {
    run.append(&record(round, MODEL_A), &agents(round, MODEL_A)).unwrap();
}

#[test]
fn a_finished_run_holds_exactly_these_files() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    train(&path).unwrap();
    let files: Vec<_> = snapshot(&path).into_keys().collect();
    let expected = [
        ".lock",
        "agents.jsonl",
        "checkpoints/00000004.checkpoint",
        "digests.sha256",
        "model.safetensors",
        "partition.json",
        "rounds.jsonl",
        "run.json",
        "spec.toml",
        "summary.md",
    ];
    assert_eq!(files, expected);
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
}

#[test]
fn a_folder_that_exists_is_never_overwritten() {
    let parent = tempfile::tempdir().unwrap();
    let error = RunFolder::create(parent.path(), &header(), "", None).unwrap_err();
    assert!(matches!(error, LogError::Exists { .. }), "{error:?}");
    assert!(error.hint().is_some());
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
}

#[test]
fn a_second_writer_is_told_to_wait_while_readers_are_welcome() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    let path = run.path().to_owned();
    let error = RunFolder::open(&path).unwrap_err();
    assert!(matches!(error, LogError::Busy { .. }), "{error:?}");
    assert!(error.hint().unwrap().contains("wait"));
    assert_eq!(RunFolder::peek(&path).unwrap().rounds().unwrap().count(), 1);
    drop(run);
    assert!(RunFolder::open(&path).is_ok());
}

#[test]
fn records_read_back_as_they_were_appended() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    append(&mut run, 1);
    let rounds: Vec<_> = run.rounds().unwrap().map(Result::unwrap).collect();
    assert_eq!(rounds, [record(0, MODEL_A), record(1, MODEL_A)]);
    let read: Vec<_> = run.agents().unwrap().map(Result::unwrap).collect();
    assert_eq!(read, [agents(0, MODEL_A), agents(1, MODEL_A)].concat());
    assert_eq!(run.header(), &header());
    assert_eq!((run.spec(), run.view().partition().unwrap()), ("spec = 1\n", None));
}

#[test]
fn readers_stop_before_a_line_that_is_being_written() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    let path = run.path().join(ROUNDS);
    let whole = fs::read(&path).unwrap();
    append(&mut run, 1);
    let both = fs::read(&path).unwrap();
    for length in whole.len()..both.len() {
        fs::write(&path, &both[..length]).unwrap();
        let view = RunFolder::peek(run.path()).unwrap();
        let rounds: Vec<_> = view.rounds().unwrap().map(Result::unwrap).collect();
        assert_eq!(rounds, [record(0, MODEL_A)], "{length} bytes");
    }
}

#[test]
fn an_altered_line_is_told_by_its_number() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    append(&mut run, 1);
    let path = run.path().join(ROUNDS);
    let text = fs::read_to_string(&path).unwrap().replace("\"round\":1,", "\"rnd\":1,");
    fs::write(&path, text).unwrap();
    let view = RunFolder::peek(run.path()).unwrap();
    let error = view.rounds().unwrap().nth(1).unwrap().unwrap_err();
    assert!(
        error.to_string().ends_with("rounds.jsonl`, line 2: not a record of version 4"),
        "{error}"
    );
}

#[test]
fn rounds_out_of_order_are_refused() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    let round = |result: Result<(), LogError>| match result.unwrap_err() {
        LogError::Round { expected, found, .. } => (expected, found),
        other => panic!("{other:?}"),
    };
    assert_eq!(round(run.append(&record(1, MODEL_A), &[])), (0, 1));
    assert_eq!(round(run.checkpoint(&checkpoint(0, MODEL_A))), (0, 0));
    append(&mut run, 0);
    assert_eq!(round(run.append(&record(0, MODEL_A), &[])), (1, 0));
    assert_eq!(round(run.checkpoint(&checkpoint(1, MODEL_A))), (0, 1));
    let error = run.append(&record(1, MODEL_A), &agents(2, MODEL_A)).unwrap_err();
    let text = "the record of agent `a` is of round 2, it came with round 1";
    assert_eq!(error.to_string(), text);
}

#[test]
fn an_opened_folder_is_restored_before_it_is_written_to() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    let path = run.path().to_owned();
    drop(run);
    let mut run = RunFolder::open(&path).unwrap();
    assert_eq!(run.rounds().unwrap().count(), 1);
    let error = run.append(&record(1, MODEL_A), &[]).unwrap_err();
    assert!(matches!(error, LogError::Unrestored { .. }), "{error:?}");
    // There is no checkpoint, so the run starts over.
    assert_eq!(run.restore().unwrap(), None);
    assert_eq!(run.rounds().unwrap().count(), 0);
    append(&mut run, 0);
}

#[test]
fn the_newest_two_checkpoints_are_kept_and_the_newest_is_restored() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    for round in 0..5 {
        append(&mut run, round);
        run.checkpoint(&checkpoint(round, MODEL_A)).unwrap();
    }
    append(&mut run, 5);
    let path = run.path().to_owned();
    drop(run);
    let names: Vec<_> =
        snapshot(&path).into_keys().filter(|name| name.starts_with(CHECKPOINTS)).collect();
    assert_eq!(names, ["checkpoints/00000003.checkpoint", "checkpoints/00000004.checkpoint"]);
    let mut run = RunFolder::open(&path).unwrap();
    assert_eq!(run.restore().unwrap(), Some(checkpoint(4, MODEL_A)));
    assert_eq!(run.rounds().unwrap().count(), 5);
    assert!(run.damaged().is_empty());
    append(&mut run, 5);
}

#[test]
fn a_damaged_checkpoint_is_reported_and_the_one_before_is_used() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    for round in 0..3 {
        append(&mut run, round);
        run.checkpoint(&checkpoint(round, MODEL_A)).unwrap();
    }
    let newest = run.path().join("checkpoints/00000002.checkpoint");
    fs::write(&newest, "").unwrap();
    assert_eq!(run.restore().unwrap(), Some(checkpoint(1, MODEL_A)));
    let reason = "it is cut short".to_owned();
    assert_eq!(run.damaged(), [Damaged { path: newest.clone(), reason }]);
    assert!(!newest.exists());
    assert_eq!(run.rounds().unwrap().count(), 2);
    assert_eq!(run.agents().unwrap().count(), 4);

    fs::rename(run.path().join("checkpoints/00000001.checkpoint"), &newest).unwrap();
    assert_eq!(run.restore().unwrap(), None);
    assert_eq!(run.damaged()[0].reason, "it is of round 1");
    assert_eq!(run.rounds().unwrap().count(), 0);
}

#[test]
fn a_checkpoint_without_its_records_is_not_used() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    run.checkpoint(&checkpoint(0, MODEL_A)).unwrap();
    append(&mut run, 1);
    run.checkpoint(&checkpoint(1, MODEL_A)).unwrap();
    // What a power cut may leave: names and lengths are there, the last bytes are not.
    let path = run.path().join(AGENTS);
    let mut bytes = fs::read(&path).unwrap();
    *bytes.last_mut().unwrap() = 0;
    fs::write(&path, bytes).unwrap();
    assert_eq!(run.restore().unwrap(), Some(checkpoint(0, MODEL_A)));
    let reason = &run.damaged()[0].reason;
    assert_eq!(reason, "`agents.jsonl` does not hold the rounds before it");
}

#[test]
fn the_model_reads_back_and_damage_is_told() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    assert_eq!(run.view().model().unwrap(), None);
    let data = TensorData::F32(vec![1.0, 2.0]);
    let model = vec![Tensor { name: "dense.weight".to_owned(), shape: vec![1, 2], data }];
    run.save_model(&model).unwrap();
    assert_eq!(run.view().model().unwrap(), Some(model));
    let path = run.path().join(MODEL);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let error = run.view().model().unwrap_err();
    assert!(matches!(error, LogError::Model { .. }), "{error:?}");
}

#[test]
fn files_of_the_caller_have_plain_names_of_their_own() {
    let parent = tempfile::tempdir().unwrap();
    let run = new(parent.path());
    run.write("audit.json", "{}").unwrap();
    run.write("audit.json", "[]").unwrap();
    assert_eq!(fs::read_to_string(run.path().join("audit.json")).unwrap(), "[]");
    let refused = [
        "run.json",
        "checkpoints",
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/x",
        ".lock",
        "x.partial",
        "tensorboard",
        "rounds.jsonl",
    ];
    for name in refused {
        assert!(matches!(run.write(name, ""), Err(LogError::Name { .. })), "{name}");
    }
}

#[test]
fn folders_that_are_no_runs_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("absent")] {
        let error = RunFolder::open(&path).unwrap_err();
        assert!(matches!(error, LogError::NotARun { .. }), "{error:?}");
        assert!(RunFolder::peek(&path).is_err());
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_finished_run_can_be_opened_and_finished_again() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    train(&path).unwrap();
    let before = snapshot(&path);
    train(&path).unwrap();
    assert_eq!(snapshot(&path), before);
}

#[test]
fn state_keeps_its_floats_and_the_order_of_its_keys() {
    let parent = tempfile::tempdir().unwrap();
    let mut run = new(parent.path());
    append(&mut run, 0);
    let state = json!({"z": 0.1 + 0.2, "a": 5e-324, "text": "\u{0}\"\\é"});
    let taken = Checkpoint { round: 0, tensors: Vec::new(), state };
    run.checkpoint(&taken).unwrap();
    let restored = run.restore().unwrap().unwrap();
    assert_eq!(restored.state.to_string(), taken.state.to_string());
}
