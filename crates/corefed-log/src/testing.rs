//! A small run for tests: four rounds of two agents, with a checkpoint every second round.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::{
    AgentHeader, AgentRecord, Checkpoint, DataHeader, LogError, Part, Rejection, RoundRecord,
    RunFolder, RunHeader, Spread, Tensor, TensorData,
};

pub(crate) const ROUNDS: usize = 4;

pub(crate) fn header() -> RunHeader {
    let agent = |name: &str, weight| AgentHeader {
        name: name.to_owned(),
        samples: 10,
        held_out_samples: 2,
        weight,
        ceiling: 1.5,
        average: None,
    };
    RunHeader {
        name: "tiny".to_owned(),
        rule: "corefed".to_owned(),
        seed: u64::MAX,
        rounds: ROUNDS,
        model: json!({"family": "linear", "parameters": 2, "scalar": "f32"}),
        data: DataHeader { file: "t.csv".to_owned(), digest: "0".repeat(64) },
        agents: vec![agent("a", 1.0), agent("b", 2.0)],
        tolerance: 1e-6,
        radius: None,
        premise: None,
        device: None,
        steadiness: None,
        keeps: None,
        guards: Vec::new(),
    }
}

/// A record in which everything was measured.
pub(crate) fn full_round() -> RoundRecord {
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let spread = |scale: f64| Spread::of(&[0.1 * scale, 0.7 * scale]);
    RoundRecord {
        round: 5,
        cohort: 4,
        trained: 1,
        dropped: 1,
        stragglers: 1,
        rejected: 1,
        rejections: vec![Rejection { agent: "c, d".to_owned(), reason: "\"inf\"".to_owned() }],
        learning_rate: Some(0.1),
        step_norm: Some(1e-300),
        warm_up: true,
        floored: names(&["a"]),
        raised: BTreeMap::from([("b".to_owned(), 2.5), ("a".to_owned(), f64::INFINITY)]),
        capped: names(&["a", "b"]),
        clipped: names(&["b"]),
        contradicted: names(&["a"]),
        chosen: Some("fedavg".to_owned()),
        chosen_part: Some(0.5),
        loss: Some(1.0 / 3.0),
        accuracy: Some(1.0),
        log_welfare: Some(f64::NEG_INFINITY),
        kappa: Some(1.25),
        kappa_round: Some(2),
        coalition: names(&["a", "b"]),
        everybody: Some(1.125),
        headroom: Some(f64::INFINITY),
        headroom_everybody: Some(2.5),
        bound: Some(1.5),
        worst_agent: Some("b".to_owned()),
        equity_gap: Some(0.6),
        utility_spread: spread(1.0),
        accuracy_spread: spread(0.5),
        held_out_loss_spread: spread(3.0),
        held_out_accuracy_spread: spread(-1.0),
        held_out_utility_spread: spread(0.0),
        validation_welfare: Some(-1.5),
        test_loss: Some(0.3),
        test_accuracy: Some(0.9),
    }
}

/// Trains in `path`, from the start or from where it was left.
pub(crate) fn train(path: &Path) -> Result<(), LogError> {
    let (mut run, start) = if path.exists() {
        let mut run = RunFolder::open(path)?;
        let start = run.restore()?;
        (run, start)
    } else {
        (RunFolder::create(path, &header(), "rounds = 4\n", Some("{}\n"))?, None)
    };
    let (mut round, mut model) = match start {
        Some(checkpoint) => (checkpoint.round + 1, parameters(&checkpoint)),
        None => (0, [1.0, 0.0]),
    };
    while round <= ROUNDS {
        model = [model[0] * 0.7, model[1] + model[0]];
        run.append(&record(round, model), &agents(round, model))?;
        if round % 2 == 0 {
            run.save_model(&tensors(model)[..1])?;
            run.checkpoint(&checkpoint(round, model))?;
        }
        round += 1;
    }
    run.write("summary.md", "done\n")?;
    run.finish(&checkpoint(ROUNDS, model))
}

pub(crate) fn record(round: usize, model: [f64; 2]) -> RoundRecord {
    let utility_spread = Spread::of(&model);
    RoundRecord { round, cohort: 2, loss: Some(model[1]), utility_spread, ..Default::default() }
}

pub(crate) fn agents(round: usize, model: [f64; 2]) -> Vec<AgentRecord> {
    let agent = |name: &str, utility| AgentRecord {
        round,
        agent: name.to_owned(),
        part: Part::Trained,
        utility: Some(utility),
        ..Default::default()
    };
    vec![agent("a", model[0]), agent("b", model[1])]
}

pub(crate) fn checkpoint(round: usize, model: [f64; 2]) -> Checkpoint {
    Checkpoint { round, tensors: tensors(model), state: json!({"candidates": [round, "\"x\""]}) }
}

#[expect(clippy::cast_possible_truncation, reason = "any single-precision values will do")]
fn tensors(model: [f64; 2]) -> Vec<Tensor> {
    let single = TensorData::F32(vec![model[0] as f32; 3]);
    vec![
        Tensor { name: "model".to_owned(), shape: vec![2], data: TensorData::F64(model.to_vec()) },
        Tensor { name: "momentum".to_owned(), shape: vec![1, 3], data: single },
    ]
}

fn parameters(checkpoint: &Checkpoint) -> [f64; 2] {
    match &checkpoint.tensor("model").unwrap().data {
        TensorData::F64(values) => [values[0], values[1]],
        TensorData::F32(_) => panic!("the model is of double precision"),
    }
}

/// Every file below a folder with its bytes, by name.
pub(crate) fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.file_type().unwrap().is_dir() {
            let inner = snapshot(&entry.path());
            files
                .extend(inner.into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    files
}
