//! Small federations and short trainings.

use std::num::NonZeroUsize;

use corefed_core::{Family, Weights};
use corefed_core::{Seed, uniform};
use corefed_data::{Agent, Design, Federation};
use corefed_log::{AgentRecord, RoundRecord};
use corefed_rules::Rule;
use corefed_sim::{Engine, Federated, LinearFederation, Samples, State, Terms, TrainError};
use corefed_spec::{Amount, Correction, LocalWork, Search, Train};

/// Four logistic agents of different sizes whose labels follow different directions.
pub(crate) fn hospitals() -> Federation {
    let mut rng = Seed(3).rng();
    let sizes = [60, 40, 25, 12];
    let (mut dense, mut target, mut agents) = (Vec::new(), Vec::new(), Vec::new());
    for (k, size) in sizes.into_iter().enumerate() {
        let start = target.len();
        for _ in 0..size {
            let row: Vec<f64> = (0..3).map(|_| 4.0 * uniform(&mut rng) - 2.0).collect();
            let margin = row[0] + (k as f64 - 1.5) * row[1] + uniform(&mut rng) - 0.5;
            target.push(f64::from(margin > 0.0));
            dense.extend(row);
        }
        agents.push(Agent { name: format!("h{k}"), rows: start..target.len() });
    }
    let hot = vec![3; target.len()];
    let design = Design::new(target.len(), 4, (3, dense), (1, hot)).expect("valid by construction");
    Federation::new(design, target, agents)
}

pub(crate) fn logistic(data: &Federation) -> LinearFederation<&Design, f64> {
    let owned = data.agents().iter().map(|agent| agent.rows.clone()).collect();
    let samples =
        Samples { rows: data.design(), target: data.target().to_vec(), offsets: vec![], owned };
    LinearFederation::new(Family::Logistic, 2, 0.01, samples)
}

pub(crate) fn terms(data: &Federation, ceiling: f64) -> Terms {
    let sizes: Vec<f64> = data.agents().iter().map(|a| a.samples() as f64).collect();
    Terms {
        names: data.agents().iter().map(|agent| agent.name.clone()).collect(),
        weights: Weights::equal(sizes.len()),
        ceilings: vec![ceiling; sizes.len()],
        average: Weights::new(sizes).expect("valid by construction"),
        radius: 3.0,
        // With this ceiling no loss on the ball exceeds it, as the tests' data show.
        premise: ceiling >= 14.0,
        nonnegative: Some("a loss"),
    }
}

/// One full-batch step per round, and the rule as it is.
pub(crate) fn gradient_steps(rule: Rule, rounds: usize, learning_rate: f64) -> Train {
    Train {
        rule,
        rounds: NonZeroUsize::new(rounds).expect("valid by construction"),
        correction: Correction::None,
        search: Search::Off,
        local: LocalWork { batch: None, learning_rate, ..LocalWork::default() },
        ..Train::default()
    }
}

/// Mini-batches, momentum, part of the agents: everything that is drawn.
pub(crate) fn busy(rule: Rule, rounds: usize) -> Train {
    let mut train = gradient_steps(rule, rounds, 0.05);
    train.local.amount = Amount::Epochs(NonZeroUsize::new(2).expect("valid by construction"));
    train.local.batch = NonZeroUsize::new(7);
    train.local.momentum = 0.5;
    train.server.momentum = 0.3;
    train.participation.cohort =
        corefed_spec::Cohort::Count(NonZeroUsize::new(3).expect("valid by construction"));
    train.participation.dropout = 0.2;
    train.participation.stragglers = 0.3;
    train
}

/// Everything a run leaves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run<T> {
    pub(crate) params: Vec<T>,
    pub(crate) rounds: Vec<RoundRecord>,
    pub(crate) agents: Vec<AgentRecord>,
}

/// A training that did not get to its end.
#[derive(Debug)]
pub(crate) struct Broken<T> {
    pub(crate) error: TrainError,
    pub(crate) state: State<T>,
}

/// Trains from the beginning to the end.
pub(crate) fn run<F: Federated>(
    federation: &F,
    terms: &Terms,
    train: &Train,
) -> Result<Run<F::Scalar>, Box<Broken<F::Scalar>>> {
    let mut engine =
        Engine::new(federation, None, terms, train, Seed(9)).expect("valid by construction");
    let (mut state, first) = engine.start().expect("no device to fail");
    let (mut rounds, mut agents) = (vec![first.round], first.agents);
    while state.round < train.rounds.get() {
        match engine.round(&mut state) {
            Ok(outcome) => {
                rounds.push(outcome.round);
                agents.extend(outcome.agents);
            }
            Err(error) => return Err(Box::new(Broken { error, state })),
        }
    }
    Ok(Run { params: state.params, rounds, agents })
}
