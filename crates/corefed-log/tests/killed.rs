//! Real processes, really killed.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use corefed_log::{
    AgentRecord, Checkpoint, DataHeader, LogError, RoundRecord, RunFolder, RunHeader, Tensor,
    TensorData,
};
use serde_json::json;

const ROUNDS: usize = 300;
const FOLDER: &str = "COREFED_LOG_TEST_FOLDER";

fn train(path: &Path) -> Result<(), LogError> {
    let (mut run, start) = if path.exists() {
        let mut run = RunFolder::open(path)?;
        let start = run.restore()?;
        (run, start)
    } else {
        (RunFolder::create(path, &header(), "", None)?, None)
    };
    let first = start.as_ref().map_or(0, |checkpoint| checkpoint.round + 1);
    let mut model = start.map_or_else(|| vec![1.0; 2000], |c| values(&c.tensors[0]));
    let mut board = run.tensorboard()?;
    for round in first..=ROUNDS {
        model.iter_mut().zip(1..).for_each(|(value, n)| *value = (*value + f64::from(n)).sin());
        let agent = AgentRecord { round, utility: Some(model[0]), ..AgentRecord::default() };
        let record = RoundRecord { round, loss: Some(model[1]), ..RoundRecord::default() };
        run.append(&record, std::slice::from_ref(&agent))?;
        board.round(&record, &[agent])?;
        if round % 3 == 0 {
            run.save_model(&tensors(&model))?;
            run.checkpoint(&Checkpoint { round, tensors: tensors(&model), state: json!(round) })?;
        }
    }
    run.finish(&Checkpoint { round: ROUNDS, tensors: tensors(&model), state: json!("end") })
}

fn header() -> RunHeader {
    RunHeader {
        name: "killed".to_owned(),
        rule: "fedavg".to_owned(),
        seed: 1,
        rounds: ROUNDS,
        model: json!({}),
        data: DataHeader { file: "none".to_owned(), digest: String::new() },
        agents: Vec::new(),
        tolerance: 0.0,
        radius: None,
        premise: None,
        device: None,
        steadiness: None,
        keeps: None,
        guards: Vec::new(),
    }
}

fn tensors(model: &[f64]) -> Vec<Tensor> {
    let data = TensorData::F64(model.to_vec());
    vec![Tensor { name: "model".to_owned(), shape: vec![model.len()], data }]
}

fn values(tensor: &Tensor) -> Vec<f64> {
    match &tensor.data {
        TensorData::F64(values) => values.clone(),
        TensorData::F32(_) => panic!("written in double precision"),
    }
}

/// This very program, asked to run only the child below.
fn child(path: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "the_child_trains", "--ignored"])
        .env(FOLDER, path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "started by the other test"]
fn the_child_trains() {
    if let Some(path) = std::env::var_os(FOLDER) {
        train(Path::new(&path)).unwrap();
    }
}

fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for name in ["", "checkpoints", "tensorboard"] {
        for entry in fs::read_dir(folder.join(name)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                files.insert(path.display().to_string(), fs::read(path).unwrap());
            }
        }
    }
    let prefix = folder.display().to_string();
    files.into_iter().map(|(name, bytes)| (name.replacen(&prefix, "", 1), bytes)).collect()
}

#[test]
fn a_process_killed_again_and_again_leaves_the_bytes_of_one_that_was_not() {
    let parent = tempfile::tempdir().unwrap();
    let calm = parent.path().join("calm");
    assert!(child(&calm).wait().unwrap().success());

    let path = parent.path().join("run");
    let mut kills = 0;
    // Longer each time, so that it ends on any machine.
    for wait in 1.. {
        let mut child = child(&path);
        std::thread::sleep(Duration::from_millis(4 * wait));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        if child.wait().unwrap().success() {
            break;
        }
        assert!(wait < 1000, "never finished");
        // A reader finds whole records at any moment.
        if path.exists() {
            let view = RunFolder::peek(&path).unwrap();
            assert!(view.rounds().unwrap().all(|round| round.is_ok()));
            view.model().unwrap();
        }
    }
    println!("{kills} kills");
    assert!(snapshot(&path) == snapshot(&calm), "after {kills} kills");
}

#[test]
fn a_second_process_is_told_that_the_run_is_busy() {
    let parent = tempfile::tempdir().unwrap();
    let path = parent.path().join("run");
    let run = RunFolder::create(&path, &header(), "", None).unwrap();
    assert!(!child(&path).wait().unwrap().success());
    drop(run);
    assert!(child(&path).wait().unwrap().success());
}
