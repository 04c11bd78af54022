use corefed_core::Weights;

use super::*;
use crate::testing::{close, params_after, round, server, weighted_server};
use crate::{AtCeiling, CoreStep, Reason, Rule, Safety, ServerStep};

const NORMALISED: Rule = Rule::corefed(CoreStep::Normalised);
const PRINTED: Rule = Rule::corefed(CoreStep::Printed);

fn safe(safety: Safety, rule: Rule, agents: usize) -> Server {
    weighted_server(rule, safety, vec![1.0; agents], 3.0)
}

fn update(agent: usize, loss: f64, delta: &[f64]) -> Update<'_, f64> {
    Update::measured(Report { agent, samples: 1, loss }, delta)
}

#[test]
fn whoever_cannot_count_is_left_out_with_a_reason() {
    let server = server(Rule::Fedavg, 6);
    let updates = [
        update(0, f64::NAN, &[1.0]),
        update(1, -0.1, &[1.0]),
        update(2, 1.0, &[f64::INFINITY]),
        update(3, 1.0, &[8.0]),
        update(3, 1.0, &[9.0]),
        update(6, 1.0, &[1.0]),
        update(4, 1.0, &[2.0]),
        update(5, 1.0, &[1e160]),
    ];
    let mut params = [0.0];
    let applied = server.apply(&mut server.init(), &mut params, &updates, 0.1).unwrap();
    assert_eq!(params, [5.0], "the mean of agents 3 and 4");
    assert_eq!(applied.coefficients, [(3, 0.5), (4, 0.5)]);
    let reasons: Vec<(usize, Reason)> =
        applied.rejected.iter().map(|r| (r.agent, r.reason)).collect();
    assert_eq!(
        reasons,
        [
            (0, Reason::LossNotFinite),
            (1, Reason::LossNegative),
            (2, Reason::UpdateNotFinite),
            (3, Reason::Repeated),
            (5, Reason::UpdateNotFinite),
            (6, Reason::Unknown),
        ]
    );
}

#[test]
fn nobody_left_is_an_error_that_changes_nothing() {
    let server = server(Rule::Afl { gamma: 1.0 }, 2);
    let mut state = server.init();
    let before = state.clone();
    let mut params = [7.0];
    let updates = [update(0, 5.0, &[f64::NAN])];
    let error = server.apply(&mut state, &mut params, &updates, 0.1).unwrap_err();
    let rejected = vec![Rejected { agent: 0, reason: Reason::UpdateNotFinite }];
    assert_eq!(error, ServerError::NobodyLeft { rejected });
    assert_eq!((state, params), (before, [7.0]));
}

#[test]
fn lengths_and_rates_are_checked_before_anything_moves() {
    let server = server(Rule::Fedavg, 2);
    let mut state = server.init();
    let mut params = [0.0, 0.0];
    let short = [update(0, 1.0, &[1.0, 1.0]), update(1, 1.0, &[1.0])];
    let error = server.apply(&mut state, &mut params, &short, 0.1).unwrap_err();
    assert_eq!(error, ServerError::Length { what: What::Update(1), found: 1, expected: 2 });
    let error = server.apply(&mut state, &mut params, &[], 0.0).unwrap_err();
    assert!(matches!(error, ServerError::Setting { name: "eta", .. }));
    state.ceilings.pop();
    let error = server.apply(&mut state, &mut params, &[], 0.1).unwrap_err();
    assert_eq!(error, ServerError::Length { what: What::State, found: 1, expected: 2 });
    assert_eq!(params, [0.0, 0.0]);
}

#[test]
fn momentum_remembers_earlier_steps() {
    // Updates 1 and 1, momentum 1/2, step 2: velocity 1, then 1.5; moves 2, then 3.
    let step = ServerStep { step: 2.0, momentum: 0.5 };
    let weights = Weights::equal(1);
    let server = Server::new(Rule::Fedavg, Safety::default(), step, &weights, vec![3.0]).unwrap();
    let mut state = server.init();
    let mut params = [0.0];
    let updates = [update(0, 1.0, &[1.0])];
    server.apply(&mut state, &mut params, &updates, 0.1).unwrap();
    assert_eq!((params, &state.velocity[..]), ([2.0], &[1.0][..]));
    server.apply(&mut state, &mut params, &updates, 0.1).unwrap();
    assert_eq!((params, &state.velocity[..]), ([5.0], &[1.5][..]));
}

#[test]
fn a_clipped_update_counts_with_its_clipped_norm() {
    // Clip 2: updates (1, 8) count as (1, 2), so FedAvg's mean is 1.5.
    let safety = Safety { clip: 2.0, ..Safety::default() };
    let fedavg = safe(safety, Rule::Fedavg, 2);
    let (params, applied) = round(&fedavg, &mut fedavg.init(), &[(1.0, 1.0), (1.0, 8.0)], 0.1);
    assert_eq!(params, 1.5);
    assert_eq!(applied.interventions.clipped, [1]);
    // q = 1, L = 1, eta = 1: (1 + 2)/(1 + 1 + 4 + 1) with |g|^2 of the clipped updates.
    let qffl = safe(safety, Rule::Qffl { q: 1.0 }, 2);
    close(params_after(&qffl, &[(1.0, 1.0), (1.0, 8.0)], 1.0), 3.0 / 7.0);
}

#[test]
fn a_capped_pull_is_cut_to_the_smallest_times_the_cap() {
    // u = (2, 0.5): pulls 1/2 and 2; with a cap of 2 the second is 1. Printed: (4/2 + 1)/2.
    let server = safe(Safety { weight_cap: 2.0, ..Safety::default() }, PRINTED, 2);
    let (params, applied) = round(&server, &mut server.init(), &[(1.0, 4.0), (2.5, 1.0)], 0.1);
    close(params, 1.5);
    assert_eq!(applied.interventions.capped, [1]);
}

#[test]
fn above_the_ceiling_the_step_still_goes_down() {
    // M = 3, floor 0.3, L = 5 counts as u = 0.3: (1/1)(-3/0.3) = -10, the update's own direction.
    let floor = server(PRINTED, 1);
    let (params, applied) = round(&floor, &mut floor.init(), &[(5.0, -3.0)], 0.1);
    close(params, -10.0);
    assert_eq!(applied.interventions.floored, [0]);
}

#[test]
fn a_warm_up_is_fedavgs_round() {
    let server = safe(Safety { at_ceiling: AtCeiling::WarmUp, ..Safety::default() }, PRINTED, 2);
    // Plain mean (4 + 1)/2, not divided by utilities.
    let (params, applied) = round(&server, &mut server.init(), &[(1.0, 4.0), (5.0, 1.0)], 0.1);
    assert_eq!(params, 2.5);
    assert!(applied.interventions.warm_up);
    // Everybody above the floor: (4/2 + 1/0.5)/2.
    let (params, applied) = round(&server, &mut server.init(), &[(1.0, 4.0), (2.5, 1.0)], 0.1);
    close(params, 2.0);
    assert!(!applied.interventions.warm_up);
}

#[test]
fn a_raised_ceiling_stays_raised() {
    let safety = Safety { at_ceiling: AtCeiling::Raise, ..Safety::default() };
    let server = safe(safety, NORMALISED, 2);
    let mut state = server.init();
    let (_, applied) = round(&server, &mut state, &[(1.0, 0.0), (9.0, 0.0)], 0.1);
    close(applied.interventions.raised[0].1, 10.0);
    close(state.ceilings[1], 10.0);
    // Now u = (2, 10 - 2): pulls 1/2 and 1/8.
    let (_, applied) = round(&server, &mut state, &[(1.0, 0.0), (2.0, 0.0)], 0.1);
    close(applied.coefficients[1].1, 0.2);
}

#[test]
fn fedmgda_steps_along_the_common_descent() {
    // Updates (3, 0) and (0, 1) become (1/2)(1, 0) + (1/2)(0, 1), times the mean norm 2.
    let server = server(Rule::Fedmgda { epsilon: 1.0 }, 2);
    let mut params = [0.0, 0.0];
    let updates = [update(0, 1.0, &[3.0, 0.0]), update(1, 2.0, &[0.0, 1.0])];
    server.apply(&mut server.init(), &mut params, &updates, 0.1).unwrap();
    close(params[0], 1.0);
    close(params[1], 1.0);
    // Opposite updates of any length: nothing helps both.
    let mut params = [0.0, 0.0];
    let updates = [update(0, 1.0, &[3.0, 0.0]), update(1, 2.0, &[-1.0, 0.0])];
    server.apply(&mut server.init(), &mut params, &updates, 0.1).unwrap();
    assert!(params[0].abs() < 1e-9);
}

#[test]
fn what_is_left_when_the_only_puller_is_rejected_does_not_explode() {
    // The tilt gives everything to agent 0, whose update is broken; e^-2000 is nothing.
    let server = server(Rule::Term { t: 1000.0 }, 2);
    let mut params = [1.0_f32];
    let report = |agent, loss| Report { agent, samples: 1, loss };
    for loss in [2.9, 2.2] {
        let updates = [
            Update::measured(report(0, 3.0), &[f32::NAN]),
            Update::measured(report(1, loss), &[1e10_f32]),
        ];
        let applied = server.apply(&mut server.init(), &mut params, &updates, 0.1).unwrap();
        assert!(applied.no_pull && params == [1.0], "{params:?}");
    }
}
