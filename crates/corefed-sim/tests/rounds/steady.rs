//! Trainings that are held steady: corrected local steps, and steps that are compared.

use std::num::NonZeroUsize;

use corefed_core::{Family, Seed};
use corefed_model::FederationLosses;
use corefed_rules::{AtCeiling, CoreStep, LocalObjective, Rule};
use corefed_sim::{
    Drift, Engine, Federated, FlooredWelfare, Job, LocalTraining, Outcome, Part, State, Terms,
};
use corefed_solve::{Problem, Rule as Exact, solve};
use corefed_spec::{Amount, Correction, Schedule, Search, Train};
use proptest::prelude::*;

use crate::testing::{Run, gradient_steps, hospitals, logistic, run, terms};

const CEILING: f64 = 1.0;

fn corefed() -> Rule {
    Rule::named("corefed").expect("a rule")
}

/// Ten full-batch epochs a round.
fn ten_epochs(rounds: usize, correction: Correction, search: Search) -> Train {
    let mut train = gradient_steps(corefed(), rounds, 0.1);
    train.local.amount = Amount::Epochs(NonZeroUsize::new(10).expect("not zero"));
    Train { correction, search, ..train }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn many_corrected_local_steps_end_at_the_core_and_plain_ones_do_not() {
    let data = hospitals();
    let (federation, terms) = (logistic(&data), terms(&data, CEILING));
    let losses = FederationLosses::new(&data, Family::Logistic, 2, 0.01);
    let (ceilings, weights) = (terms.ceilings.clone(), terms.weights.clone());
    let problem = Problem::new(&losses, ceilings, weights, terms.radius);
    let optimum = solve(&problem, Exact::Core, 1e-12).expect("feasible").params;
    let gap = |correction, search| {
        let trained = run(&federation, &terms, &ten_epochs(400, correction, search)).unwrap();
        distance(&trained.params, &optimum)
    };
    let plain = gap(Correction::None, Search::Off);
    assert!(plain > 1e-4, "{plain}");
    for search in [Search::Off, Search::On] {
        let corrected = gap(Correction::Control, search);
        assert!(corrected < 1e-6, "{search:?}: {corrected}");
    }
}

#[test]
fn after_one_plain_step_agents_remember_their_gradients() {
    let data = hospitals();
    let (federation, terms) = (logistic(&data), terms(&data, CEILING));
    let train = Train { correction: Correction::Control, ..gradient_steps(corefed(), 3, 0.25) };
    let mut engine = Engine::new(&federation, None, &terms, &train, Seed(9)).unwrap();
    let (mut state, _) = engine.start().unwrap();
    for _ in 0..3 {
        let model = federation.prepare(&state.params);
        engine.round(&mut state).unwrap();
        for (agent, control) in state.controls.iter().enumerate() {
            let mut only = vec![0.0; 4];
            only[agent] = 1.0;
            let gradient = federation.convex_gradient(&model, &only).unwrap();
            assert!(distance(control, &gradient) < 1e-13, "{agent}: {control:?} {gradient:?}");
        }
    }
}

/// With everything on, and steps that are drawn.
fn steady(rounds: usize) -> Train {
    let mut train = ten_epochs(rounds, Correction::Control, Search::On);
    train.local.batch = NonZeroUsize::new(7);
    train.local.momentum = 0.5;
    train.local.schedule = Schedule::Cosine;
    train
}

#[test]
fn steady_trainings_do_not_depend_on_threads() {
    let data = hospitals();
    let (federation, terms) = (logistic(&data), terms(&data, CEILING));
    let with = |threads: usize| -> Run<f64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(&federation, &terms, &steady(6)).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(8));
}

#[test]
fn a_steady_training_continues_to_the_same_bits() {
    let data = hospitals();
    let (federation, terms, train) = (logistic(&data), terms(&data, CEILING), steady(6));
    let whole = run(&federation, &terms, &train).unwrap();
    for cut in 1..6 {
        let mut engine = Engine::new(&federation, None, &terms, &train, Seed(9)).unwrap();
        let (mut state, _) = engine.start().unwrap();
        while state.round < cut {
            engine.round(&mut state).unwrap();
        }
        let State { round, params, previous, server, controls, newton, first_loss, best, .. } =
            state;
        let mut again =
            State::restored(round, (params, previous), server, controls, newton, first_loss, best);
        let mut engine = Engine::new(&federation, None, &terms, &train, Seed(9)).unwrap();
        let mut chosen = Vec::new();
        while again.round < 6 {
            chosen.push(engine.round(&mut again).unwrap().round.chosen);
        }
        assert_eq!(again.params, whole.params, "cut after {cut}");
        let expected: Vec<_> = whole.rounds[cut + 1..].iter().map(|r| r.chosen.clone()).collect();
        assert_eq!(chosen, expected);
    }
}

#[test]
fn the_record_says_which_step_was_taken_and_who_weighed_how_much() {
    let data = hospitals();
    let (federation, terms) = (logistic(&data), terms(&data, CEILING));
    let trained = run(&federation, &terms, &steady(8)).unwrap();
    assert!(trained.rounds[0].chosen.is_none());
    for round in &trained.rounds[1..] {
        let part = round.chosen_part.unwrap();
        let own = trained.agents.iter().filter(|agent| agent.round == round.round);
        let weight: f64 = own.map(|agent| agent.weight.unwrap()).sum();
        assert!((weight - part).abs() < 1e-12, "{weight} {part}");
        match round.chosen.as_deref() {
            Some("rule" | "fedavg") => assert!([1.0, 0.5, 0.25].contains(&part)),
            Some("stay") => assert_eq!((part, round.step_norm), (0.0, Some(0.0))),
            other => panic!("{other:?}"),
        }
    }
    let fedavg = Train { rule: Rule::Fedavg, ..steady(3) };
    let trained = run(&federation, &terms, &fedavg).unwrap();
    assert!(trained.rounds[1..].iter().all(|r| r.chosen.as_deref() != Some("fedavg")));
    // Nobody keeps rows back to choose by, so there is nothing to say of them.
    assert!(trained.rounds.iter().all(|r| r.validation_welfare.is_none()));
}

/// Floored log-welfare of a round, from its records.
fn worth(welfare: &FlooredWelfare, outcome: &Outcome) -> f64 {
    let losses: Vec<f64> = outcome.agents.iter().map(|agent| agent.loss.expect("a loss")).collect();
    welfare.value(&losses)
}

/// What FedAvg's whole step on the updates of the next round is worth: updates are made again.
fn fedavg_worth<F: Federated<Scalar = f64>>(
    (federation, terms, train): (&F, &Terms, &Train),
    welfare: &FlooredWelfare,
    state: &State<f64>,
    losses: &[f64],
) -> f64 {
    let floor = |ceiling: f64, loss: f64| (ceiling - loss).max(train.safety.floor * ceiling);
    let pulls = terms.ceilings.iter().zip(losses).map(|(c, l)| 1.0 / floor(*c, *l));
    let pulls: Vec<f64> = pulls.collect();
    let total: f64 = pulls.iter().sum();
    let mut common = vec![0.0; federation.dim()];
    for (control, pull) in state.controls.iter().zip(&pulls) {
        common.iter_mut().zip(control).for_each(|(c, own)| *c += pull / total * own);
    }
    let round = state.round + 1;
    let seed = Seed(9).derive("local").derive_index(round as u64);
    let task = |agent: usize| {
        let rows = federation.samples(Part::Train, agent);
        let batch = train.local.batch.map_or(rows, |batch| batch.get().min(rows));
        let Amount::Epochs(epochs) = train.local.amount else { panic!("epochs") };
        let own = state.controls.get(agent);
        let job = Job {
            steps: epochs.get() * rows.div_ceil(batch),
            batch,
            learning_rate: train.local.rate(round, train.rounds.get()),
            momentum: train.local.momentum,
            weight_decay: train.local.weight_decay,
            seed: seed.derive_index(agent as u64),
            objective: LocalObjective::Loss,
            drift: own.map(|own| Drift { common: &common, own }),
        };
        (agent, job)
    };
    let tasks: Vec<(usize, Job<'_, f64>)> = (0..federation.agents()).map(task).collect();
    let sum = terms.average.total();
    let shares: Vec<f64> =
        terms.average.values().iter().map(|w| train.server.step * w / sum).collect();
    let mut local = LocalTraining::new(federation);
    let mut next = local.descend(&state.params, &shares, &tasks).expect("no device");
    let norm = distance(&next, &[0.0; 4]);
    if norm > terms.radius {
        for p in &mut next {
            *p *= terms.radius / norm;
        }
    }
    let everybody: Vec<usize> = (0..federation.agents()).collect();
    let found = federation.evaluate(&federation.prepare(&next), Part::Train, &everybody);
    let losses: Vec<f64> =
        found.expect("no device").into_iter().map(|e| e.expect("rows").loss).collect();
    welfare.value(&losses)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Whatever the steps are: floored log-welfare never falls, not by a rounding, and is never below
    /// what FedAvg's step would have given.
    #[test]
    fn compared_steps_never_lose_welfare_and_never_less_than_fedavg_would(
        rate in 0.01..30.0_f64,
        momentum in prop_oneof![Just(0.0), 0.1..0.95_f64],
        epochs in 1_usize..6,
        batch in prop::option::of(1_usize..20),
        ceiling in 0.3..3.0_f64,
        server_step in 0.2..2.0_f64,
        corrected in any::<bool>(),
        at_ceiling in prop::sample::select(vec![AtCeiling::Floor, AtCeiling::WarmUp, AtCeiling::Raise]),
    ) {
        let data = hospitals();
        let (federation, terms) = (logistic(&data), terms(&data, ceiling));
        // Without memory, so that pulls follow from the losses of a round alone.
        let mut train = gradient_steps(Rule::corefed(CoreStep::Normalised), 6, rate);
        train.correction = if corrected { Correction::Control } else { Correction::None };
        train.search = Search::On;
        train.local.momentum = momentum;
        train.local.amount = Amount::Epochs(NonZeroUsize::new(epochs).expect("not zero"));
        train.local.batch = batch.and_then(NonZeroUsize::new);
        train.server.step = server_step;
        train.safety.at_ceiling = at_ceiling;
        let welfare = FlooredWelfare {
            weights: terms.weights.clone(),
            ceilings: terms.ceilings.clone(),
            floor: train.safety.floor,
        };
        let mut engine = Engine::new(&federation, None, &terms, &train, Seed(9)).unwrap();
        let (mut state, mut before) = engine.start().unwrap();
        while state.round < 6 {
            let losses: Vec<f64> = before.agents.iter().map(|a| a.loss.unwrap()).collect();
            // With other policies pulls are others, and so are corrections.
            let known = !corrected || at_ceiling == AtCeiling::Floor;
            let fedavg = known
                .then(|| fedavg_worth((&federation, &terms, &train), &welfare, &state, &losses));
            let now = engine.round(&mut state).unwrap();
            prop_assert!(worth(&welfare, &now) >= worth(&welfare, &before));
            if let Some(fedavg) = fedavg.filter(|worth| worth.is_finite()) {
                let slack = 1e-9 * (1.0 + fedavg.abs());
                prop_assert!(worth(&welfare, &now) >= fedavg - slack, "{fedavg}");
            }
            before = now;
        }
    }
}
