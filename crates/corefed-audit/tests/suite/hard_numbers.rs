//! Verdicts where floating point is in the way: offsets, units, perfect fits, thresholds, zeros.

use std::ops::ControlFlow;

use corefed_audit::{Audit, Progress, audit};
use corefed_core::{Evidence, Family, Obstacle, Rival, Verdict, Weights, WorstLoss};
use corefed_core::{Seed, normal, uniform};
use corefed_data::{Agent, Design, Federation};
use corefed_model::{FederationLosses, QuadraticLosses};
use corefed_solve::{Problem, Rule, solve};
use proptest::prelude::*;

fn finish(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn unproven(agents: usize) -> Vec<WorstLoss> {
    vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; agents]
}

/// Agents with these rows each; rows of one feature and an intercept, and targets.
fn federation(agents: &[Vec<(f64, f64)>]) -> Federation {
    let mut start = 0;
    let owners = agents.iter().enumerate().map(|(k, rows)| {
        let own = start..start + rows.len();
        start = own.end;
        Agent { name: format!("a{k}"), rows: own }
    });
    let owners = owners.collect();
    let rows: Vec<(f64, f64)> = agents.concat();
    let dense = rows.iter().flat_map(|(x, _)| [*x, 1.0]).collect();
    let design = Design::dense(rows.len(), 2, dense).expect("shape");
    Federation::new(design, rows.iter().map(|(_, y)| *y).collect(), owners)
}

/// Two agents whose lines differ, with noise; everything in this unit and at this offset.
fn two_lines(unit: f64, offset: f64) -> Federation {
    let mut rng = Seed(7).rng();
    let mut agent = |level: f64| -> Vec<(f64, f64)> {
        let mut draw = || 2.0 * uniform(&mut rng) - 1.0;
        (0..20).map(|_| (draw(), offset + unit * (level + 1.2 * draw()))).collect()
    };
    federation(&[agent(-1.0), agent(1.0)])
}

fn audit_core(federation: &Federation, ceiling: f64, radius: f64) -> Audit {
    let losses = QuadraticLosses::from_least_squares(federation, 0.0);
    let problem = Problem::new(&losses, vec![ceiling; 2], Weights::equal(2), radius);
    let core = solve(&problem, Rule::Core, 1e-10).expect("feasible");
    let found = audit(&problem, &core.params, &unproven(2), &[], 1e-6, &mut finish);
    // Whatever is returned lies in the ball.
    for witness in found.witness.iter().chain(&found.improvement) {
        let Rival::Parameters(rival) = &witness.rival else { panic!("a predictor") };
        assert!(problem.ball.contains(rival));
    }
    if let Evidence::Conflicts { conflicts, .. } = &found.evidence {
        assert!(conflicts.iter().all(|conflict| problem.ball.contains(&conflict.point)));
    }
    found
}

#[test]
fn an_offset_and_a_huge_ball_change_no_verdict() {
    for (ceiling, verdict) in [(1.8, Verdict::Blocked), (6.0, Verdict::Stable)] {
        let plain = audit_core(&two_lines(1.0, 0.0), ceiling, 20.0);
        assert_eq!(plain.verdict, verdict, "{plain:?}");
        for power in [3, 5, 8, 10, 12] {
            let offset = 10_f64.powi(power);
            let moved = audit_core(&two_lines(1.0, offset), ceiling, 10.0 * offset);
            assert_eq!(moved.verdict, verdict, "1e{power}: {:?} {:?}", moved.kappa, plain.kappa);
            // Targets are rounded at this offset, and so are parameters.
            let allowed = 1e-6 + 100.0 * offset * f64::EPSILON;
            let off = (moved.kappa.lo.0 - plain.kappa.lo.0).abs();
            assert!(off < allowed, "1e{power}: {:?} {:?}", moved.kappa, plain.kappa);
        }
    }
}

#[test]
fn the_unit_of_the_targets_changes_no_verdict() {
    for (ceiling, verdict) in [(1.8, Verdict::Blocked), (6.0, Verdict::Stable)] {
        let plain = audit_core(&two_lines(1.0, 0.0), ceiling, 20.0);
        for unit in [1e-6, 1e-3, 1e3, 1e6] {
            let other = audit_core(&two_lines(unit, 0.0), ceiling * unit * unit, 20.0 * unit);
            assert_eq!(other.verdict, verdict, "{unit}: {:?}", other.kappa);
            let off = (other.kappa.lo.0 - plain.kappa.lo.0).abs();
            assert!(off < 1e-6, "{unit}: {:?} {:?}", other.kappa, plain.kappa);
        }
    }
}

#[test]
fn agents_that_agree_perfectly_are_stable() {
    // Everybody's rows lie on one line: the optimum has no loss at all.
    for (slope, level) in [(2.0, 1.0), (2.0, 1e6), (-1e4, 3.0)] {
        let rows = |from: i32| -> Vec<(f64, f64)> {
            (from..from + 4).map(|k| f64::from(k) * 0.7).map(|x| (x, slope * x + level)).collect()
        };
        let federation = federation(&[rows(0), rows(3)]);
        let losses = QuadraticLosses::from_least_squares(&federation, 0.0);
        let problem = Problem::new(&losses, vec![5.0; 2], Weights::equal(2), 1e7);
        let core = solve(&problem, Rule::Core, 1e-10).expect("feasible");
        assert!(core.losses.iter().all(|loss| *loss >= 0.0), "{core:?}");
        let found = audit(&problem, &core.params, &unproven(2), &[], 1e-6, &mut finish);
        assert_eq!(found.verdict, Verdict::Stable, "{:?} {:?}", found.kappa, found.everybody);
        assert!(found.kappa.lo <= found.kappa.hi && found.everybody.lo <= found.everybody.hi);
    }
}

/// Agents with losses `(t - target)^2`.
fn parabolas(targets: &[f64]) -> Federation {
    let agents =
        (0..targets.len()).map(|k| Agent { name: format!("a{k}"), rows: k..k + 1 }).collect();
    let design = Design::dense(targets.len(), 1, vec![1.0; targets.len()]).expect("shape");
    Federation::new(design, targets.to_vec(), agents)
}

#[test]
fn a_gain_within_the_tolerance_is_stable_and_just_above_it_blocked() {
    // t^2 and (t-1)^2 at t = 1/2 with ceiling M: each alone reaches kappa = M / (2 (M - 1/4)), so
    // M = kappa / (2 (2 kappa - 1)).
    for (excess, verdict) in [
        (0.51, Verdict::Stable),
        (0.95, Verdict::Stable),
        (1.05, Verdict::Blocked),
        (1.5, Verdict::Blocked),
    ] {
        let kappa = 1.0 + excess * 1e-6;
        let ceiling = 0.5 * kappa / (2.0 * kappa - 1.0);
        let federation = parabolas(&[0.0, 1.0]);
        let losses = QuadraticLosses::from_least_squares(&federation, 0.0);
        let problem = Problem::new(&losses, vec![ceiling; 2], Weights::equal(2), 2.0);
        let found = audit(&problem, &[0.5], &unproven(2), &[], 1e-6, &mut finish);
        assert_eq!(found.verdict, verdict, "{excess}: {:?}", found.kappa);
        assert!((found.kappa.lo.0 - kappa).abs() < 1e-9, "{excess}: {:?}", found.kappa);
        assert!(found.progress.complete);
    }
}

/// One agent with rows 0 and 1, so that its loss is at least 1/4, and one with rows 1/2.
fn zero_utility(ceiling: f64, at: f64) -> Audit {
    let agents =
        vec![Agent { name: "a".into(), rows: 0..2 }, Agent { name: "b".into(), rows: 2..4 }];
    let design = Design::dense(4, 1, vec![1.0; 4]).expect("shape");
    let federation = Federation::new(design, vec![0.0, 1.0, 0.5, 0.5], agents);
    let losses = QuadraticLosses::from_least_squares(&federation, 0.0);
    let problem = Problem::new(&losses, vec![ceiling, 1.0], Weights::equal(2), 10.0);
    audit(&problem, &[at], &unproven(2), &[], 1e-6, &mut finish)
}

#[test]
fn an_agent_with_nothing_that_nobody_can_give_more_is_no_reason_to_block() {
    // With the ceiling 1/4 agent a has exactly nothing at its own optimum, and less elsewhere; with
    // 0.2 it has less than nothing everywhere.
    for ceiling in [0.25, 0.2] {
        let found = zero_utility(ceiling, 0.5);
        assert_eq!(found.verdict, Verdict::Stable, "{found:?}");
        let Evidence::Conflicts { hopeless, .. } = &found.evidence else { panic!("{found:?}") };
        assert_eq!(hopeless.iter().map(|h| h.agent).collect::<Vec<_>>(), [0]);
        // Agent b alone has all it can have, and half of the say.
        assert!((found.kappa.hi.0 - 0.5).abs() < 1e-6, "{:?}", found.kappa);
        assert_eq!((found.everybody.lo.0, found.everybody.hi.0), (0.0, 0.0));
    }
    // Elsewhere agent b would leave, hopeless or not the other one.
    let away = zero_utility(0.2, 1.4);
    assert_eq!(away.verdict, Verdict::Blocked);
    assert_eq!(away.witness.expect("blocked").coalition, [1]);
}

#[test]
fn an_agent_with_nothing_that_could_have_something_blocks_alone() {
    let found = zero_utility(0.3, 1.0);
    assert_eq!(found.verdict, Verdict::Blocked);
    assert!(found.kappa.lo.0.is_infinite() && matches!(found.evidence, Evidence::Unbounded));
    assert_eq!(found.witness.expect("blocked").coalition, [0]);
}

#[test]
fn hopeless_agents_lend_nobody_their_weight() {
    // Agent 2 wants t = 50 at M = 1 on |t| <= 2 and can have nothing. At t = 1/2 with M = 0.4 the other two
    // have 0.15 each and could have 0.4 alone: with a third of the say, (0.4/0.15)/3 < 1. With two
    // copies of each the pairs have two fifths, and block: 0.4 * 0.4/0.15 = 16/15.
    for (targets, verdict, kappa) in [
        (vec![0.0, 1.0, 50.0], Verdict::Stable, 0.4 / 0.15 / 3.0),
        (vec![0.0, 1.0, 50.0, 0.0, 1.0], Verdict::Blocked, 16.0 / 15.0),
    ] {
        let n = targets.len();
        let federation = parabolas(&targets);
        let losses = QuadraticLosses::from_least_squares(&federation, 0.0);
        let mut ceilings = vec![0.4; n];
        ceilings[2] = 1.0;
        let problem = Problem::new(&losses, ceilings, Weights::equal(n), 2.0);
        let found = audit(&problem, &[0.5], &unproven(n), &[], 1e-6, &mut finish);
        assert_eq!(found.verdict, verdict, "{found:?}");
        assert!((found.kappa.lo.0 - kappa).abs() < 1e-7, "{:?}", found.kappa);
        let Evidence::Conflicts { conflicts, hopeless } = &found.evidence else {
            panic!("{found:?}")
        };
        assert_eq!(hopeless.iter().map(|h| h.agent).collect::<Vec<_>>(), [2]);
        assert!(conflicts.iter().all(|conflict| !conflict.agents.contains(&2)));
        assert!(hopeless.iter().all(|h| problem.ball.contains(&h.point)));
    }
}

#[test]
fn a_threshold_closer_than_rounding_is_undecided_for_want_of_digits() {
    // Nobody would leave, and the optimum cannot be improved; but that everybody gains by a factor of at
    // most one, with no tolerance at all, is more than a bound computed here can say.
    let agents =
        vec![Agent { name: "a".into(), rows: 0..3 }, Agent { name: "b".into(), rows: 3..6 }];
    let design = Design::dense(6, 1, vec![1.0, 2.0, -1.0, 0.5, -2.0, 3.0]).expect("shape");
    let federation = Federation::new(design, vec![1.0, 0.0, 1.0, 1.0, 0.0, 0.0], agents);
    let losses = FederationLosses::new(&federation, Family::Logistic, 2, 0.0);
    let problem = Problem::new(&losses, vec![2.0; 2], Weights::equal(2), 5.0);
    let core = solve(&problem, Rule::Core, 1e-10).expect("feasible");
    let at = |tolerance| audit(&problem, &core.params, &unproven(2), &[], tolerance, &mut finish);
    assert_eq!((at(1e-6).verdict, at(1e-6).obstacle), (Verdict::Stable, None));
    let strict = at(0.0);
    assert!(strict.progress.complete && strict.everybody.hi.0 > 1.0, "{strict:?}");
    assert_eq!((strict.verdict, strict.obstacle), (Verdict::Undecided, Some(Obstacle::Precision)));
}

#[test]
fn an_agent_whose_best_is_nothing_but_for_rounding_is_named() {
    // Labels 1 1 0 at x = 1: the least loss is the entropy of one third, at t = ln 2. With that for a
    // ceiling the agent has nothing at t = 0, and whether it could have anything is not known.
    let agents =
        vec![Agent { name: "a".into(), rows: 0..3 }, Agent { name: "b".into(), rows: 3..5 }];
    let design = Design::dense(5, 1, vec![1.0; 5]).expect("shape");
    let federation = Federation::new(design, vec![1.0, 1.0, 0.0, 1.0, 0.0], agents);
    let losses = FederationLosses::new(&federation, Family::Logistic, 2, 0.0);
    let entropy = 3_f64.ln() - 2.0 / 3.0 * 2_f64.ln();
    let problem = Problem::new(&losses, vec![entropy, 2.0], Weights::equal(2), 1e3);
    let found = audit(&problem, &[0.0], &unproven(2), &[], 1e-6, &mut finish);
    assert_eq!(found.verdict, Verdict::Undecided, "{found:?}");
    assert_eq!(found.obstacle, Some(Obstacle::ZeroUtility { agent: 0 }));
    assert!(found.kappa.hi.0.is_infinite());
}

/// Up to five agents with lines of their own: `y = offset + unit * (...)`, features in units of `scales`.
fn several(seed: u64, offset: f64, unit: f64, scales: [f64; 2]) -> Federation {
    let mut rng = Seed(seed).rng();
    let mut draw = || normal(&mut rng);
    let agents = [2, 3, 4, 5][usize::from(seed.to_le_bytes()[0] % 4)];
    let common = [draw(), draw()];
    let (mut dense, mut target) = (Vec::new(), Vec::new());
    for _ in 0..agents {
        let own = [common[0] + 0.8 * draw(), common[1] + 0.8 * draw()];
        let level = 0.7 * draw();
        for _ in 0..12 {
            let x = [draw(), draw()];
            let y = level + own[0] * x[0] + own[1] * x[1] + 0.5 * draw();
            target.push(offset + unit * y);
            dense.extend([x[0] * scales[0], x[1] * scales[1], 1.0]);
        }
    }
    let owners = (0..agents).map(|k| Agent { name: format!("a{k}"), rows: 12 * k..12 * k + 12 });
    let design = Design::dense(12 * agents, 3, dense).expect("shape");
    Federation::new(design, target, owners.collect())
}

/// The verdict on the core's predictor, with `kappa.lo` where that is above one; nothing where
/// nobody can be served.
fn verdict(federation: &Federation, ceiling: f64, radius: f64) -> Option<(Verdict, f64)> {
    let losses = QuadraticLosses::from_least_squares(federation, 0.0);
    let n = federation.agents().len();
    let problem = Problem::new(&losses, vec![ceiling; n], Weights::equal(n), radius);
    let core = solve(&problem, Rule::Core, 1e-10).ok()?;
    let found = audit(&problem, &core.params, &unproven(n), &[], 1e-6, &mut finish);
    Some((found.verdict, found.kappa.lo.0.max(1.0)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Neither an offset of the targets with the ball that it needs, nor units of targets or columns,
    /// make another verdict.
    #[test]
    fn verdicts_do_not_depend_on_offsets_or_units(
        seed in 0..100_000_u64,
        ceiling in 1.5..8.0_f64,
        (offset, unit, scales) in prop::sample::select(vec![
            (1e3, 1.0, [1.0, 1.0]),
            (1e6, 1.0, [1e-3, 1e3]),
            (1e9, 1.0, [1.0, 1.0]),
            (1e12, 1.0, [1.0, 1.0]),
            (0.0, 1e-6, [1.0, 1.0]),
            (1e12, 1e6, [1.0, 1.0]),
            (0.0, 1.0, [1e-6, 1e6]),
        ]),
    ) {
        let plain = verdict(&several(seed, 0.0, 1.0, [1.0, 1.0]), ceiling, 50.0);
        // Large enough for the offset, and for what columns in small units need.
        let radius = 10.0 * (offset + 10.0 * unit / scales[0]);
        let other = verdict(&several(seed, offset, unit, scales), ceiling * unit * unit, radius);
        match (plain, other) {
            (Some((verdict, kappa)), Some((other, moved))) => {
                // At 1e12 the parameters are rounded to 1e-4.
                let near = kappa.max(moved) > 1.0 && kappa.max(moved) < 1.001;
                prop_assert!(verdict == other || near, "{verdict} {kappa} {other} {moved}");
                // Who could have many times what it has, has little: the same rounding is more of that.
                let room = 2e-3_f64.max(5e-4 * kappa) * kappa;
                prop_assert!((kappa - moved).abs() <= room || kappa == moved, "{kappa} {moved}");
            }
            (plain, other) => prop_assert!(plain.is_none() && other.is_none(), "{plain:?} {other:?}"),
        }
    }
}
