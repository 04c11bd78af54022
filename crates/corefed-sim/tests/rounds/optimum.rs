//! Trainings that have a known end.

use corefed_core::Family;
use corefed_core::Seed;
use corefed_model::{ConvexLosses, FederationLosses};
use corefed_rules::{CoreStep, Rule};
use corefed_sim::Engine;
use corefed_solve::{Problem, Rule as Exact, solve};

use crate::testing::{gradient_steps, hospitals, logistic, run, terms};

const CEILING: f64 = 15.0;

fn exact(rule: Exact) -> Vec<f64> {
    let data = hospitals();
    let losses = FederationLosses::new(&data, Family::Logistic, 2, 0.01);
    let terms = terms(&data, CEILING);
    let weights = if rule == Exact::Utilitarian { &terms.average } else { &terms.weights };
    let problem = Problem::new(&losses, terms.ceilings.clone(), weights.clone(), terms.radius);
    solve(&problem, rule, 1e-12).expect("feasible").params
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
}

#[test]
fn full_batch_rounds_reach_the_optimum_of_their_rule() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, CEILING);
    for (rule, optimum) in [
        (Rule::Fedavg, Exact::Utilitarian),
        (Rule::corefed(CoreStep::Normalised), Exact::Core),
        (Rule::corefed(CoreStep::Dynamic), Exact::Core),
    ] {
        let trained = run(&federation, &terms, &gradient_steps(rule, 400, 1.0)).unwrap();
        let gap = distance(&trained.params, &exact(optimum));
        assert!(gap < 1e-6, "{rule:?}: {gap}");
    }
    // As printed, the step is divided by utilities around 14: fourteen times as many rounds.
    let printed = Rule::corefed(CoreStep::Printed);
    let trained = run(&federation, &terms, &gradient_steps(printed, 400, 14.0)).unwrap();
    assert!(distance(&trained.params, &exact(Exact::Core)) < 1e-6);
}

#[test]
fn the_certificate_of_a_round_bounds_kappa_and_ends_the_training() {
    let data = hospitals();
    let federation = logistic(&data);
    let terms = terms(&data, CEILING);
    let rule = Rule::corefed(CoreStep::Normalised);
    let mut train = gradient_steps(rule, 400, 1.0);
    train.stop.certificate = Some(1e-4);
    let mut engine = Engine::new(&federation, None, &terms, &train, Seed(1)).unwrap();
    let (mut state, first) = engine.start().unwrap();
    let mut bounds = vec![first.round.bound.unwrap()];
    loop {
        let outcome = engine.round(&mut state).unwrap();
        bounds.push(outcome.round.bound.unwrap());
        assert!(outcome.round.kappa.unwrap() <= outcome.round.bound.unwrap() + 1e-12);
        if outcome.certified {
            break;
        }
        assert!(state.round < 400, "the certificate is never reached: {bounds:?}");
    }
    assert!(bounds[0] > 1.01 && *bounds.last().unwrap() <= 1.0001, "{bounds:?}");
}

#[test]
fn ten_rounds_of_newton_are_at_the_core() {
    let data = hospitals();
    let federation = logistic(&data);
    let losses = FederationLosses::new(&data, Family::Logistic, 2, 0.01);
    let terms = terms(&data, CEILING);
    let train = gradient_steps(Rule::Newton, 10, 1.0);
    let hessians: &dyn ConvexLosses = &losses;
    let mut engine = Engine::new(&federation, Some(hessians), &terms, &train, Seed(1)).unwrap();
    let (mut state, _) = engine.start().unwrap();
    let mut last = None;
    while state.round < 10 {
        last = engine.round(&mut state).unwrap().round.bound;
    }
    assert!(last.unwrap() <= 1.0 + 1e-9, "{last:?}");
    assert!(distance(&state.params, &exact(Exact::Core)) < 1e-7);
    assert!(Engine::new(&federation, None, &terms, &train, Seed(1)).is_err());
}

#[test]
fn the_ball_holds_when_the_optimum_lies_outside() {
    let data = hospitals();
    let federation = logistic(&data);
    let mut terms = terms(&data, CEILING);
    terms.radius = 0.5;
    let train = gradient_steps(Rule::Fedavg, 200, 1.0);
    let trained = run(&federation, &terms, &train).unwrap();
    let norm = distance(&trained.params, &[0.0; 4]);
    assert!((0.499..=0.5).contains(&norm), "{norm}");
}
