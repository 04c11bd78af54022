use super::*;
use crate::CoreStep;

fn build(rule: Rule, safety: Safety, step: ServerStep) -> Result<Server, ServerError> {
    Server::new(rule, safety, step, &Weights::equal(2), vec![3.0; 2])
}

fn refused(rule: Rule, safety: Safety, step: ServerStep) -> &'static str {
    match build(rule, safety, step) {
        Err(ServerError::Setting { name, .. }) => name,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_knob_out_of_range_is_named() {
    let (safe, plain) = (Safety::default(), ServerStep::default());
    let core = Rule::corefed(CoreStep::Printed);
    for bad in [-1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(refused(Rule::Afl { gamma: bad }, safe, plain), "gamma");
        assert_eq!(refused(Rule::Qffl { q: bad }, safe, plain), "q");
        assert_eq!(refused(Rule::Fedmgda { epsilon: bad }, safe, plain), "spread");
        assert_eq!(refused(core, Safety { floor: bad, ..safe }, plain), "floor");
        assert_eq!(refused(core, safe, ServerStep { step: bad, ..plain }), "step");
        assert_eq!(refused(core, safe, ServerStep { momentum: bad, ..plain }), "momentum");
    }
    assert_eq!(refused(Rule::Term { t: f64::NAN }, safe, plain), "t");
    assert_eq!(refused(core, Safety { weight_cap: 0.5, ..safe }, plain), "weight_cap");
    assert_eq!(refused(core, Safety { clip: 0.0, ..safe }, plain), "clip");
    assert_eq!(refused(core, Safety { floor: 1.0, ..safe }, plain), "floor");
    assert_eq!(refused(core, safe, ServerStep { momentum: 1.0, ..plain }), "momentum");
}

#[test]
fn ceilings_must_be_usable_and_one_per_agent() {
    let with = |ceilings: Vec<f64>| {
        let (safe, plain) = (Safety::default(), ServerStep::default());
        Server::new(Rule::Fedavg, safe, plain, &Weights::equal(2), ceilings).unwrap_err()
    };
    let expected = ServerError::Length { what: What::Ceilings, found: 3, expected: 2 };
    assert_eq!(with(vec![1.0; 3]), expected);
    for value in [0.0, -1.0, f64::INFINITY] {
        assert_eq!(with(vec![1.0, value]), ServerError::Ceiling { agent: 1, value });
    }
}

#[test]
fn newton_is_refused_with_a_hint() {
    let error = build(Rule::Newton, Safety::default(), ServerStep::default()).unwrap_err();
    assert_eq!(error, ServerError::NotAnAverage);
    assert!(error.hint().is_some());
}

#[test]
fn only_afl_starts_with_multipliers_and_they_are_shares_of_weight() {
    let weights = Weights::new(vec![1.0, 3.0]).unwrap();
    let state = |rule| {
        let (safe, plain) = (Safety::default(), ServerStep::default());
        Server::new(rule, safe, plain, &weights, vec![3.0; 2]).unwrap().init::<f32>()
    };
    assert_eq!(state(Rule::Afl { gamma: 0.1 }).multipliers, [0.25, 0.75]);
    assert!(state(Rule::Fedavg).multipliers.is_empty());
    assert_eq!(state(Rule::Fedavg).ceilings, [3.0, 3.0]);
}

#[test]
fn weights_and_floors_beyond_all_measure_are_refused() {
    let server = |floor: f64, weights: Vec<f64>| {
        let safety = Safety { floor, ..Safety::DEFAULT };
        let weights = Weights::new(weights).unwrap();
        Server::new(Rule::Fedavg, safety, ServerStep::DEFAULT, &weights, vec![1.0; 2])
    };
    assert!(server(0.1, vec![1.0, 1e50]).is_ok());
    let ServerError::Setting { name, .. } = server(0.1, vec![1e-13, 1e-309]).unwrap_err() else {
        panic!("another error")
    };
    assert_eq!(name, "weight over the mean weight");
    let refused = server(2e-323, vec![1.0, 1.0]).unwrap_err();
    assert!(matches!(refused, ServerError::Setting { name: "floor", .. }), "{refused}");
}
