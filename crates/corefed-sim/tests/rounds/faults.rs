//! Agents that fail, and trainings that explode.

use corefed_core::Seed;
use corefed_core::{Family, Weights};
use corefed_data::Design;
use corefed_rules::{CoreStep, LocalObjective, Rule};
use corefed_sim::{
    DeviceFailure, Engine, Evaluation, Federated, Job, LinearFederation, LocalTraining, Part,
    Samples, Terms, TrainError,
};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::testing::{Broken, gradient_steps, hospitals, logistic, run, terms};

/// Two agents with losses `(t - 1)^2` and `(t + 1)^2` in `f32`; the second sends what it is told to.
struct Pair {
    second: f32,
    /// The device fails when it is asked about a part after this many answers.
    broken: (Part, usize),
    asked: AtomicUsize,
}

impl Pair {
    /// Evaluates without fail.
    fn sending(second: f32) -> Self {
        Self::failing(second, Part::Train, usize::MAX)
    }

    fn failing(second: f32, part: Part, after: usize) -> Self {
        Self { second, broken: (part, after), asked: AtomicUsize::new(0) }
    }
}

fn failure() -> DeviceFailure {
    DeviceFailure { reason: "the GPU fell off the bus".into(), hint: "look at its fan".into() }
}

impl Federated for Pair {
    type Scalar = f32;
    type Model = f32;
    type Workspace = ();

    fn dim(&self) -> usize {
        1
    }
    fn agents(&self) -> usize {
        2
    }
    fn samples(&self, part: Part, _: usize) -> usize {
        usize::from(part == Part::Train)
    }
    fn initial(&self, _: Seed) -> Vec<f32> {
        vec![0.5]
    }
    fn prepare(&self, params: &[f32]) -> f32 {
        params[0]
    }
    fn workspace(&self) {}
    fn evaluate(
        &self,
        model: &f32,
        part: Part,
        agents: &[usize],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure> {
        if part == self.broken.0 && self.asked.fetch_add(1, Ordering::Relaxed) >= self.broken.1 {
            return Err(failure());
        }
        let best = [1.0, -1.0];
        let loss = |k: usize| (f64::from(*model) - best[k]).powi(2);
        let evaluation = |k: &usize| Evaluation { loss: loss(*k), accuracy: None };
        Ok(agents.iter().map(|k| (part == Part::Train).then(|| evaluation(k))).collect())
    }
    fn test(&self, _: &f32) -> Result<Option<Evaluation>, DeviceFailure> {
        Ok(None)
    }
    fn train(&self, model: &f32, agent: usize, _: &Job<'_, f32>, (): &mut (), update: &mut [f32]) {
        update[0] = if agent == 0 { 0.1 * (1.0 - model) } else { self.second };
    }
    fn exact_losses(&self, _: &f32) -> Option<Vec<f64>> {
        None
    }
    fn convex_gradient(&self, _: &f32, _: &[f64]) -> Option<Vec<f64>> {
        None
    }
}

fn pair_terms() -> Terms {
    Terms {
        names: vec!["good".into(), "bad".into()],
        weights: Weights::equal(2),
        average: Weights::equal(2),
        ceilings: vec![9.0; 2],
        radius: 100.0,
        premise: false,
        nonnegative: Some("a loss"),
    }
}

#[test]
fn a_bad_update_is_refused_by_name_and_the_others_go_on() {
    for second in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for rule in [
            Rule::Fedavg,
            Rule::corefed(CoreStep::Dynamic),
            Rule::Qffl { q: 1.0 },
            Rule::Fedmgda { epsilon: 1.0 },
            Rule::NashMtl,
        ] {
            let trained =
                run(&Pair::sending(second), &pair_terms(), &gradient_steps(rule, 3, 0.1)).unwrap();
            for record in &trained.rounds[1..] {
                assert_eq!((record.trained, record.rejected), (1, 1), "{rule:?}");
                assert_eq!(record.rejections[0].agent, "bad");
                assert_eq!(record.rejections[0].reason, "its update is not finite");
            }
            assert!(trained.params[0] > 0.5 && trained.params[0].is_finite(), "{rule:?}");
        }
    }
}

#[test]
fn a_long_update_is_shortened_to_the_clip() {
    let mut train = gradient_steps(Rule::Fedavg, 1, 0.1);
    train.safety.clip = 0.01;
    let trained = run(&Pair::sending(-1000.0), &pair_terms(), &train).unwrap();
    // Both are clipped, in opposite directions.
    assert!((trained.params[0] - 0.5).abs() < 1e-6, "{:?}", trained.params);
    assert_eq!(trained.rounds[1].clipped, ["good", "bad"]);
}

#[test]
fn a_rate_that_explodes_stops_with_the_last_good_model() {
    // Least squares on one row x = 1: a step of rate 5 multiplies the error by nine.
    let design = Design::dense(2, 1, vec![1.0, 1.0]).unwrap();
    let samples =
        Samples { rows: &design, target: vec![1.0, 1.0], offsets: vec![], owned: vec![0..1, 1..2] };
    let federation = LinearFederation::<_, f64>::new(Family::Linear, 0, 0.0, samples);
    let mut terms = pair_terms();
    terms.radius = 1e30;
    for evaluate in [true, false] {
        let mut train = gradient_steps(Rule::Fedavg, 50, 5.0);
        if !evaluate {
            train.record.evaluate_every = None;
        }
        let Broken { error, state } = *run(&federation, &terms, &train).unwrap_err();
        let TrainError::Exploded { round, loss, kept, .. } = error else {
            panic!("{error}");
        };
        // Errors 1, 9, 81: losses 1, 81, 6561 > 1000.
        assert_eq!((round, loss), (if evaluate { 2 } else { 3 }, 6561.0), "{evaluate}");
        assert_eq!((kept, state.params[0]), (1, 10.0), "{evaluate}");
    }
}

#[test]
fn a_device_that_fails_to_evaluate_is_to_blame_and_not_the_model() {
    // Round 0 evaluates twice; round 1 trains from its losses and is evaluated afterwards.
    for (part, after) in [(Part::Train, 1), (Part::HeldOut, 1)] {
        let pair = Pair::failing(-0.2, part, after);
        let broken = run(&pair, &pair_terms(), &gradient_steps(Rule::Fedavg, 3, 0.1)).unwrap_err();
        let Broken { error, state } = *broken;
        let DeviceFailure { reason, hint } = failure();
        assert_eq!(error, TrainError::Device { round: 1, reason, hint, kept: 0 });
        assert_eq!(error.hint(), "look at its fan");
        // The step of the round that could not be evaluated is taken back.
        assert_eq!((state.params, state.round), (vec![0.5], 0), "{part:?}");
    }
}

#[test]
fn a_device_that_fails_when_losses_are_reported_keeps_the_model() {
    let mut train = gradient_steps(Rule::Fedavg, 3, 0.1);
    train.record.evaluate_every = None;
    // Asked in round 0 and for the reports of round 2.
    let pair = Pair::failing(-0.2, Part::Train, 1);
    let Broken { error, state } = *run(&pair, &pair_terms(), &train).unwrap_err();
    assert!(matches!(error, TrainError::Device { round: 2, kept: 1, .. }), "{error}");
    // Updates of 0.05 and -0.2 from 0.5.
    assert!((state.params[0] - 0.425).abs() < 1e-6, "{:?}", state.params);
}

#[test]
fn a_device_that_fails_before_the_first_round_leaves_no_state() {
    let (pair, terms) = (Pair::failing(0.0, Part::Train, 0), pair_terms());
    let train = gradient_steps(Rule::Fedavg, 3, 0.1);
    let engine = Engine::new(&pair, None, &terms, &train, Seed(9)).unwrap();
    let error = engine.start().unwrap_err();
    assert!(matches!(error, TrainError::Device { round: 0, kept: 0, .. }), "{error}");
}

#[test]
fn descending_moves_by_the_weighted_sum_of_updates() {
    let pair = Pair::sending(-0.2);
    let job = Job {
        steps: 1,
        batch: 1,
        learning_rate: 0.1,
        momentum: 0.0,
        weight_decay: 0.0,
        seed: Seed(1),
        objective: LocalObjective::Loss,
        drift: None,
    };
    let tasks = [(1, job), (0, job)];
    let next = LocalTraining::new(&pair).descend(&[0.5], &[0.25, 0.75], &tasks).unwrap();
    // 0.5 + 0.25 (-0.2) + 0.75 * 0.1 (1 - 0.5).
    assert!((next[0] - 0.4875).abs() < 1e-6, "{next:?}");
}

#[test]
fn everybody_refused_is_an_error_that_names_the_first() {
    let mut terms = pair_terms();
    terms.names = vec!["a".into(), "b".into()];
    let fixed = corefed_spec::Draw::Fixed(vec!["b".into()]);
    let mut train = gradient_steps(Rule::Fedavg, 2, 0.1);
    train.participation.draw = fixed;
    let broken = run(&Pair::sending(f32::NAN), &terms, &train).unwrap_err();
    let Broken { error, state } = *broken;
    assert!(matches!(error, TrainError::NobodyLeft { ref agent, .. } if agent == "b"), "{error}");
    assert_eq!(state.params, [0.5]);
}

#[test]
fn rounds_that_nobody_attends_change_nothing() {
    let data = hospitals();
    let federation = logistic(&data);
    let mut train = gradient_steps(Rule::corefed(CoreStep::Normalised), 5, 0.1);
    train.participation.dropout = 0.999_999;
    let trained = run(&federation, &terms(&data, 1.0), &train).unwrap();
    assert!(trained.params.iter().all(|p| *p == 0.0));
    assert!(trained.rounds[1..].iter().all(|r| r.dropped == 4 && r.trained == 0));
}
