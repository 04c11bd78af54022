//! Equal inputs, equal bits: at any number of threads, and after any interruption.

use corefed_core::Seed;
use corefed_rules::{CoreStep, Rule};
use corefed_sim::{Engine, State};
use corefed_spec::Draw;

use crate::testing::{Run, busy, hospitals, logistic, run, terms};

const RULES: [Rule; 9] = [
    Rule::Fedavg,
    Rule::corefed(CoreStep::Printed),
    Rule::corefed(CoreStep::Dynamic),
    Rule::Propfair,
    Rule::Afl { gamma: 0.1 },
    Rule::Qffl { q: 1.0 },
    Rule::Term { t: 1.0 },
    Rule::Fedmgda { epsilon: 0.4 },
    Rule::NashMtl,
];

#[test]
fn bits_do_not_depend_on_threads() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, 1.0);
    for rule in RULES {
        let train = busy(rule, 6);
        let with = |threads: usize| -> Run<f64> {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&federation, &terms, &train).unwrap())
        };
        let one = with(1);
        assert_eq!(one, with(2), "{rule:?}");
        assert_eq!(one, with(8), "{rule:?}");
    }
}

#[test]
fn a_state_that_was_taken_apart_continues_to_the_same_bits() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, 1.0);
    for rule in RULES {
        let mut train = busy(rule, 8);
        train.participation.draw = Draw::Size;
        let whole = run(&federation, &terms, &train).unwrap();
        for cut in 1..8 {
            let mut engine = Engine::new(&federation, None, &terms, &train, Seed(9)).unwrap();
            let (mut state, first) = engine.start().unwrap();
            let mut rounds = vec![first.round];
            while state.round < cut {
                rounds.push(engine.round(&mut state).unwrap().round);
            }
            let mut again = State::restored(
                state.round,
                (state.params.clone(), state.previous.clone()),
                state.server.clone(),
                state.controls.clone(),
                state.newton.clone(),
                state.first_loss,
                state.best.clone(),
            );
            // The records know the utilities of every evaluated round.
            for record in &rounds {
                let own = whole.agents.iter().filter(|a| a.round == record.round);
                again.candidates.add(record.round, own.map(|a| a.utility.unwrap()).collect());
            }
            let mut engine = Engine::new(&federation, None, &terms, &train, Seed(9)).unwrap();
            while again.round < 8 {
                rounds.push(engine.round(&mut again).unwrap().round);
            }
            assert_eq!(again.params, whole.params, "{rule:?} cut after {cut}");
            assert_eq!(rounds, whole.rounds, "{rule:?} cut after {cut}");
        }
    }
}

#[test]
fn evaluating_less_often_changes_records_and_nothing_else() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, 1.0);
    let train = busy(Rule::corefed(CoreStep::Normalised), 7);
    let mut rare = train.clone();
    rare.record.evaluate_every = None;
    let (often, seldom) =
        (run(&federation, &terms, &train).unwrap(), run(&federation, &terms, &rare).unwrap());
    assert_eq!(often.params, seldom.params);
    assert_eq!(often.rounds.last().unwrap().loss, seldom.rounds.last().unwrap().loss);
    assert!(seldom.rounds[3].loss.is_none() && often.rounds[3].loss.is_some());
    // Between evaluations only the cohort is listed, with what it reported.
    let third: Vec<_> = seldom.agents.iter().filter(|a| a.round == 3).collect();
    assert_eq!(third.len(), 3);
    assert!(third.iter().all(|a| a.loss.is_none()));
}
