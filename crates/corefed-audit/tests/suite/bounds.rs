//! Cheap bounds against the exact `kappa`, and invariances of the whole chain.

use std::ops::ControlFlow;

use corefed_audit::{FirstOrder, Premise, Progress, audit};
use corefed_core::{Family, Obstacle, Verdict, Weights, WorstLoss, headroom, proportionality};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{FederationLosses, Quadratic, QuadraticLosses, worst_losses};
use corefed_solve::{Problem, Rule, solve};
use proptest::prelude::*;

fn finish(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Losses `scale (t - target)^2`.
fn parabolas(agents: &[(f64, f64)]) -> QuadraticLosses {
    let quadratic = |&(target, scale): &(f64, f64)| Quadratic {
        matrix: vec![scale],
        linear: vec![scale * target],
        constant: scale * target * target,
    };
    QuadraticLosses::new(1, agents.iter().map(quadratic).collect(), 0.0)
}

#[test]
fn what_agents_could_have_alone_is_their_best() {
    // Losses t^2 and (t-1)^2, M = 0.6: each could have 0.6 alone; in the middle both have 0.35. Each
    // is entitled to 0.3, and nobody can gain without the other losing.
    let losses = parabolas(&[(0.0, 1.0), (1.0, 1.0)]);
    let problem = Problem::new(&losses, vec![0.6; 2], Weights::equal(2), 2.0);
    let at = |t: f64| {
        let unproven = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; 2];
        audit(&problem, &[t], &unproven, &[], 1e-6, &mut finish)
    };
    let middle = at(0.5);
    let alone: Vec<f64> = middle.alone.iter().map(|u| u.expect("time enough")).collect();
    for factor in proportionality(&middle.utilities, &alone, &problem.weights) {
        assert!((factor - 0.3 / 0.35).abs() < 1e-7, "{factor}");
    }
    assert!(alone.iter().all(|u| (u - 0.6).abs() < 1e-7), "{alone:?}");
    let everybody = middle.everybody;
    assert!(everybody.lo.0 == 1.0 && everybody.hi.0 < 1.0 + 1e-6, "{everybody:?}");
    assert!(middle.progress.complete && middle.improvement.is_none());
    // Each alone reaches half of 0.6/0.35, below one, and the witness is kept all the same.
    assert_eq!(middle.verdict, Verdict::Stable);
    assert!((middle.kappa.lo.0 - 0.3 / 0.35).abs() < 1e-7, "{:?}", middle.kappa);
    assert_eq!(middle.witness.expect("the best rival").coalition.len(), 1);
    // At t = 1.2 agent 0 has nothing, and could have something alone: the gain is infinite.
    let low = at(1.2);
    assert!(low.kappa.lo.0.is_infinite() && low.everybody.hi.0.is_infinite(), "{low:?}");
}

#[test]
fn a_model_that_is_worse_for_all_is_improvable_and_not_blocked() {
    // (t - 1)^2 and (t - 1.1)^2 with M = 4: at t = 0.5 everybody gains by moving to about 1.05, and no
    // agent alone gains by a factor of two.
    let losses = parabolas(&[(1.0, 1.0), (1.1, 1.0)]);
    let problem = Problem::new(&losses, vec![4.0; 2], Weights::equal(2), 2.0);
    let unproven = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; 2];
    let found = audit(&problem, &[0.5], &unproven, &[], 1e-6, &mut finish);
    assert_eq!((found.verdict, found.obstacle), (Verdict::Improvable, None));
    // u = (3.75, 3.64); the best common factor is where (4 - (t-1)^2)/3.75 = (4 - (t-1.1)^2)/3.64 or
    // where the first is largest, t = 1: 4/3.75.
    let best = 4.0 / 3.75;
    assert!((found.everybody.lo.0 - best).abs() < 1e-6, "{:?}", found.everybody);
    assert!(found.everybody.hi.0 - found.everybody.lo.0 < 1e-6, "{:?}", found.everybody);
    assert!(found.kappa.hi.0 < 1.0, "{:?}", found.kappa);
    let improvement = found.improvement.expect("improvable");
    assert_eq!(improvement.coalition, [0, 1]);
    assert!(improvement.gains.iter().all(|gain| gain.0 >= found.everybody.lo.0));
}

#[test]
fn an_audit_without_time_still_bounds_everybody() {
    let losses = parabolas(&[(0.0, 1.0), (1.0, 1.0), (0.5, 1.0)]);
    let problem = Problem::new(&losses, vec![0.4; 3], Weights::equal(3), 2.0);
    let unproven = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; 3];
    let mut never = |_: &Progress| ControlFlow::Break(());
    let found = audit(&problem, &[0.5], &unproven, &[], 1e-6, &mut never);
    assert_eq!(found.alone, [None; 3]);
    // Headroom needs no search: gains are at most 0.4/0.15, 0.4/0.15 and 1.
    assert!((found.kappa.hi.0 - 2.0 / 3.0 * 0.4 / 0.15).abs() < 1e-12, "{:?}", found.kappa);
    assert!((found.everybody.hi.0 - 1.0).abs() < 1e-12, "{:?}", found.everybody);
    assert_eq!((found.verdict, found.obstacle), (Verdict::Undecided, Some(Obstacle::Time)));
}

prop_compose! {
    /// Three agents with five rows of two features; ridge makes the losses strongly convex.
    fn instance()(
        features in prop::collection::vec(-1.5..1.5_f64, 30),
        labels in prop::collection::vec(prop::bool::ANY, 15),
        weights in prop::collection::vec(0.5..2.0_f64, 3),
        params in prop::collection::vec(-0.7..0.7_f64, 2),
        l2 in 0.01..1.0_f64,
    ) -> (Federation, Weights, Vec<f64>, f64) {
        let agents = (0..3)
            .map(|k| Agent { name: format!("a{k}"), rows: 5 * k..5 * k + 5 })
            .collect();
        let design = Design::dense(15, 2, features).expect("shape");
        let target = labels.into_iter().map(f64::from).collect();
        let weights = Weights::new(weights).expect("positive");
        (Federation::new(design, target, agents), weights, params, l2)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// With ceilings at the provable worst loss, every bound holds at any incumbent, optimal or not.
    #[test]
    fn first_order_bounds_are_never_below_the_exact_kappa(
        (federation, weights, params, l2) in instance()
    ) {
        let losses = FederationLosses::new(&federation, Family::Logistic, 2, l2);
        let worst = worst_losses(&losses, 1.0);
        let ceilings = worst.iter().map(|worst| worst.bound).collect();
        let problem = Problem::new(&losses, ceilings, weights, 1.0);
        prop_assert_eq!(Premise::check(&problem, &worst), Premise::Holds);
        let now = problem.utilities_at(&params);
        let bounds = FirstOrder::at(&problem, &params, &now);
        // Told that nothing is proven, the audit searches.
        let unproven = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; 3];
        let exact = audit(&problem, &params, &unproven, &[], 1e-6, &mut finish).kappa.lo.0;
        let most = headroom(&now, &problem.ceilings, &problem.weights).kappa.value();
        let ridge = bounds.strong_convexity.expect("l2 > 0");
        for (name, bound) in [("FW", bounds.frank_wolfe), ("l2", ridge), ("headroom", most)] {
            prop_assert!(exact <= bound + 1e-9, "{name}: {exact} > {bound}");
        }
        // Theorem 3 with k(d) at a distance that reaches the whole ball.
        let reach = 1.0 + corefed_core::linalg::norm_l2(&params);
        prop_assert!(exact <= bounds.local.factor(reach) + 1e-9);
    }

    /// Relabelling permutes, rescaling one agent's loss and ceiling or doubling everybody changes
    /// nothing: not the optimum, not the verdict, not a `kappa` above one.
    #[test]
    fn the_core_optimum_is_invariant(
        targets in prop::collection::vec(-1.0..1.0_f64, 2..5),
        ceiling in 0.3..6.0_f64,
        scale in 0.2..5.0_f64,
    ) {
        let n = targets.len();
        let agents: Vec<(f64, f64)> = targets.iter().map(|t| (*t, 1.0)).collect();
        let run = |agents: &[(f64, f64)], ceilings: Vec<f64>| {
            let losses = parabolas(agents);
            let problem = Problem::new(&losses, ceilings, Weights::equal(agents.len()), 2.0);
            let found = solve(&problem, Rule::Core, 1e-12).ok()?;
            let unproven = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; agents.len()];
            let audit = audit(&problem, &found.params, &unproven, &[], 1e-6, &mut finish);
            // What is below one depends on how many leave somebody behind.
            Some((found.params[0], audit.kappa.lo.0.max(1.0), audit.verdict))
        };
        let base = run(&agents, vec![ceiling; n]);
        let same = |other: Option<(f64, f64, Verdict)>| match (base, other) {
            (Some(a), Some(b)) => (a.0 - b.0).abs() < 1e-5 && (a.1 - b.1).abs() < 1e-4 * a.1,
            (a, b) => a.is_none() && b.is_none(),
        };
        let mut turned = agents.clone();
        turned.rotate_left(1);
        prop_assert!(same(run(&turned, vec![ceiling; n])), "relabelled");
        let mut scaled = agents.clone();
        scaled[0].1 = scale;
        let mut ceilings = vec![ceiling; n];
        ceilings[0] *= scale;
        prop_assert!(same(run(&scaled, ceilings)), "rescaled");
        prop_assert!(same(run(&[&agents[..], &agents[..]].concat(), vec![ceiling; 2 * n])), "doubled");
    }
}
