//! Optima that can be worked out by hand.

use corefed_core::{Family, Weights};
use corefed_data::{Agent, Design, Federation};
use corefed_model::FederationLosses;
use corefed_solve::{
    Infeasible, Maximin, Problem, Rule, Until, fixed_point_residual, solve, solve_from,
};

/// Agents with one row each: agent `k` has loss `(t - targets[k])^2`.
fn parabolas(targets: &[f64]) -> Federation {
    let n = targets.len();
    let agents = (0..n).map(|k| Agent { name: format!("a{k}"), rows: k..k + 1 }).collect();
    let design = Design::dense(n, 1, vec![1.0; n]).expect("one column");
    Federation::new(design, targets.to_vec(), agents)
}

fn linear(federation: &Federation) -> FederationLosses<'_> {
    FederationLosses::new(federation, Family::Linear, 0, 0.0)
}

#[test]
fn two_parabolas_meet_in_the_middle_under_every_rule() {
    let federation = parabolas(&[0.0, 1.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![0.6; 2], Weights::equal(2), 2.0);
    for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
        let found = solve(&problem, rule, 1e-12).expect("feasible");
        assert!((found.params[0] - 0.5).abs() < 1e-6, "{rule}: {:?}", found.params);
        assert!((found.utilities[0] - 0.35).abs() < 1e-6, "{rule}");
        assert!(found.gap < 1e-9, "{rule}: gap {}", found.gap);
    }
}

#[test]
fn any_start_leads_to_the_same_optimum() {
    let federation = parabolas(&[0.0, 1.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![0.6; 2], Weights::equal(2), 2.0);
    for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
        // One end of the ball gives nobody anything, the other is nearly where it should be.
        for start in [-2.0, 0.1, 0.45, 0.7] {
            let found = solve_from(&problem, rule, 1e-12, &[start]).expect("feasible");
            assert!(
                (found.params[0] - 0.5).abs() < 1e-6,
                "{rule} from {start}: {:?}",
                found.params
            );
        }
    }
}

#[test]
fn weights_move_the_core_optimum_where_the_derivative_vanishes() {
    // Weights (2, 1), M = 2: 2 * 2t/(2 - t^2) = 2(1 - t)/(2 - (1 - t)^2), a cubic in t.
    let federation = parabolas(&[0.0, 1.0]);
    let losses = linear(&federation);
    let weights = Weights::new(vec![2.0, 1.0]).expect("positive");
    let problem = Problem::new(&losses, vec![2.0; 2], weights, 5.0);
    let t = solve(&problem, Rule::Core, 1e-12).expect("feasible").params[0];
    let left = 4.0 * t / (2.0 - t * t);
    let right = 2.0 * (1.0 - t) / (2.0 - (1.0 - t).powi(2));
    assert!((left - right).abs() < 1e-10, "{left} != {right} at {t}");
}

#[test]
fn the_ball_holds_every_rule_back() {
    // Both agents want t = 3; the ball ends at 1.
    let federation = parabolas(&[3.0, 3.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![20.0; 2], Weights::equal(2), 1.0);
    for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
        let found = solve(&problem, rule, 1e-12).expect("feasible");
        assert!((found.params[0] - 1.0).abs() < 1e-6, "{rule}: {:?}", found.params);
        assert!(found.gap < 1e-6 && found.params[0] <= 1.0, "{rule}: {}", found.gap);
    }
}

#[test]
fn phase_one_starts_where_zero_gives_nothing() {
    // At t = 0 both lose 4 > M = 2; at t = 2 nobody loses anything.
    let federation = parabolas(&[2.0, 2.5]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![2.0; 2], Weights::equal(2), 10.0);
    let found = solve(&problem, Rule::Core, 1e-10).expect("feasible");
    assert!((found.params[0] - 2.25).abs() < 1e-6, "{:?}", found.params);
}

#[test]
fn agents_that_cannot_all_be_served_are_named() {
    // Agents 0 and 2 are two apart: at M = 0.9 no t is within sqrt(0.9) of both. Agent 1 is fine.
    let federation = parabolas(&[0.0, 1.0, 2.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![0.9; 3], Weights::equal(3), 5.0);
    let refused = solve(&problem, Rule::Core, 1e-10).expect_err("infeasible");
    let Infeasible::Proven { agents, bound, shortfall, .. } = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(agents, [0, 2]);
    // Whatever t is, the mean of their utilities is at most 0.9 - 1.
    assert!(bound <= 0.0 && bound > -0.1 - 1e-6, "{bound}");
    assert!(shortfall > 0.0 && shortfall < 0.2, "{shortfall}");
}

#[test]
fn an_agent_with_a_small_multiplier_is_named_when_the_proof_needs_it() {
    // t^2 and 1e8 (t - 5)^2 with M = 1: each alone can have 1, both together cannot be positive, and
    // the multiplier of the second is about 2e-6.
    let agents = (0..2).map(|k| Agent { name: format!("a{k}"), rows: k..k + 1 }).collect();
    let design = Design::dense(2, 1, vec![1.0, 1e4]).expect("one column");
    let federation = Federation::new(design, vec![0.0, 5e4], agents);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![1.0; 2], Weights::equal(2), 10.0);
    match solve(&problem, Rule::Core, 1e-10) {
        Err(Infeasible::Proven { agents, bound, .. }) => {
            assert_eq!(agents, [0, 1]);
            assert!(bound < 0.0, "{bound}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn where_the_best_worst_off_agent_has_nothing_no_proof_is_claimed() {
    // At M = 1 the parabolas 0 and 2 leave exactly nothing in the middle: not clearly negative.
    let federation = parabolas(&[0.0, 2.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![1.0; 2], Weights::equal(2), 5.0);
    match solve(&problem, Rule::Core, 1e-10) {
        Err(Infeasible::NotFound { reached, bound }) => {
            assert!(reached <= 0.0 && bound >= reached && bound < 1e-6, "{reached} {bound}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_unit_of_the_losses_does_not_matter() {
    for unit in [1e-6, 1.0, 1e6] {
        let federation = parabolas(&[0.0, unit]);
        let losses = linear(&federation);
        let ceilings = vec![0.6 * unit * unit; 2];
        let problem = Problem::new(&losses, ceilings, Weights::equal(2), 2.0 * unit);
        for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
            let found = solve(&problem, rule, 1e-10).expect("feasible");
            assert!((found.params[0] / unit - 0.5).abs() < 1e-6, "{rule}: {:?}", found.params);
            assert!(found.converged, "{rule} in units of {unit}: {found:?}");
        }
    }
}

#[test]
fn a_huge_ball_does_not_hide_the_optimum() {
    // The tangent's gap is the radius times whatever rounding leaves of the gradient.
    let federation = parabolas(&[1e6 - 1.0, 1e6, 1e6 + 1.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![1.5; 3], Weights::equal(3), 1e9);
    for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
        let found = solve(&problem, rule, 1e-9).expect("feasible");
        assert!((found.params[0] - 1e6).abs() < 1e-4, "{rule}: {:?}", found.params);
        assert!(found.gap < 1e-7, "{rule}: gap {}", found.gap);
    }
}

#[test]
fn a_coalition_program_is_bracketed() {
    // V({0}) at t = 1/2, M = 0.4 is 0.4/0.15; V({0, 1}) is one: the middle cannot be improved.
    let federation = parabolas(&[0.0, 1.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![0.4; 2], Weights::equal(2), 2.0);
    for (members, expected) in [(vec![0], 8.0 / 3.0), (vec![0, 1], 1.0)] {
        let program = Maximin {
            losses: &losses,
            members: &members,
            ceilings: &vec![0.4; members.len()],
            scales: &vec![0.15; members.len()],
            ball: &problem.ball,
        };
        let bounds = program.solve(&[0.5], Until::Gap(1e-9), 100);
        assert!(bounds.lower <= expected + 1e-12 && expected <= bounds.upper + 1e-12, "{bounds:?}");
        assert!(bounds.upper - bounds.lower < 1e-8, "{bounds:?}");
        assert!((bounds.multipliers.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

#[test]
fn the_core_optimum_is_a_fixed_point_and_others_are_not() {
    let federation = parabolas(&[0.0, 1.0, 5.0]);
    let losses = linear(&federation);
    let problem = Problem::new(&losses, vec![40.0; 3], Weights::equal(3), 10.0);
    let core = solve(&problem, Rule::Core, 1e-12).expect("feasible").params;
    for within in [None, Some(0.3)] {
        let residual = fixed_point_residual(&problem, &core, within).expect("positive");
        assert!(residual.value.abs() < 1e-9 && residual.distance < 1e-4, "{residual:?}");
    }
    // At t = 0: u = (40, 39, 15), and the maximiser of sum u_i(x)/u_i(0) is the mean of the
    // targets weighted by 1/u: x = (1/39 + 5/15) / (1/40 + 1/39 + 1/15).
    let pulls = [1.0 / 40.0, 1.0 / 39.0, 1.0 / 15.0];
    let x = (pulls[1] + 5.0 * pulls[2]) / pulls.iter().sum::<f64>();
    let global = fixed_point_residual(&problem, &[0.0], None).expect("positive");
    assert!((global.distance - x).abs() < 1e-6, "{global:?}");
    // Within r = 0.3 the maximiser sits on that little sphere.
    let local = fixed_point_residual(&problem, &[0.0], Some(0.3)).expect("positive");
    assert!((local.distance - 0.3).abs() < 1e-9 && local.value < global.value, "{local:?}");
}
