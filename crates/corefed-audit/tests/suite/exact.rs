//! The audit against closed forms and against a search that knows no tricks.

use std::ops::ControlFlow;

use corefed_audit::{Audit, Premise, Progress, audit};
use corefed_core::{Evidence, Family, Rival, Verdict, Weights, WorstLoss};
use corefed_data::{Agent, Design, Federation};
use corefed_model::FederationLosses;
use corefed_solve::{Maximin, Problem, Rule, Until, solve};
use proptest::prelude::*;

fn finish(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Worst losses that prove nothing, so that the search must decide.
fn unproven(agents: usize) -> Vec<WorstLoss> {
    vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; agents]
}

/// `rows` rows per agent with the given features and targets, row after row.
fn federation(rows: usize, cols: usize, features: Vec<f64>, target: Vec<f64>) -> Federation {
    let n = target.len() / rows;
    let agents =
        (0..n).map(|k| Agent { name: format!("a{k}"), rows: k * rows..(k + 1) * rows }).collect();
    let design = Design::dense(target.len(), cols, features).expect("shape");
    Federation::new(design, target, agents)
}

/// Agent `k` has loss `(t - targets[k])^2`.
fn parabolas(targets: &[f64]) -> Federation {
    federation(1, 1, vec![1.0; targets.len()], targets.to_vec())
}

fn audit_parabolas(targets: &[f64], ceiling: f64, at: f64) -> Audit {
    let federation = parabolas(targets);
    let losses = FederationLosses::new(&federation, Family::Linear, 0, 0.0);
    let n = targets.len();
    let problem = Problem::new(&losses, vec![ceiling; n], Weights::equal(n), 2.0);
    audit(&problem, &[at], &unproven(n), &[], 1e-6, &mut finish)
}

#[test]
fn the_nash_optimum_of_two_parabolas_is_blocked_below_one_half() {
    let low = audit_parabolas(&[0.0, 1.0], 0.4, 0.5);
    assert_eq!(low.verdict, Verdict::Blocked);
    // Agent 0 alone with t' = 0, or agent 1 alone with t' = 1: kappa = (0.4/0.15)/2 = 4/3.
    assert!((low.kappa.lo.0 - 4.0 / 3.0).abs() < 1e-6, "{:?}", low.kappa);
    assert!(low.kappa.hi.0 - low.kappa.lo.0 < 1e-5, "{:?}", low.kappa);
    let witness = low.witness.expect("blocked");
    assert_eq!(witness.coalition.len(), 1);
    assert!(matches!(low.premise, Premise::Fails { .. }), "{:?}", low.premise);
    for ceiling in [0.5, 0.6] {
        let audit = audit_parabolas(&[0.0, 1.0], ceiling, 0.5);
        assert_eq!(audit.verdict, Verdict::Stable, "M = {ceiling}: {:?}", audit.kappa);
    }
}

#[test]
fn a_frank_wolfe_certificate_needs_no_search() {
    // On |t| <= 2 the losses t^2 and (t-1)^2 reach 4 and 9.
    let federation = parabolas(&[0.0, 1.0]);
    let losses = FederationLosses::new(&federation, Family::Linear, 0, 0.0);
    let problem = Problem::new(&losses, vec![9.0; 2], Weights::equal(2), 2.0);
    let worst = [4.0, 9.0].map(|bound| WorstLoss { bound, multiplier: None });
    let found = audit(&problem, &[0.5], &worst, &[], 1e-6, &mut finish);
    assert_eq!((found.verdict, &found.premise), (Verdict::Stable, &Premise::Holds));
    assert!(matches!(found.evidence, Evidence::FrankWolfe { .. }));
    // Only what each agent could have alone was solved; no coalition was looked at.
    assert_eq!((found.progress.nodes, found.progress.programs), (0, 2));
}

#[test]
fn an_agent_left_with_nothing_blocks_alone() {
    // At t = 2 agent 0 has utility 1 - 4 < 0.
    let audit = audit_parabolas(&[0.0, 2.0, 2.0], 1.0, 2.0);
    assert_eq!(audit.verdict, Verdict::Blocked);
    assert!(audit.kappa.lo.0.is_infinite() && audit.kappa.hi.0.is_infinite());
    let witness = audit.witness.expect("blocked");
    assert_eq!(witness.coalition, [0]);
    assert!(witness.gains[0].0.is_infinite());
}

#[test]
fn a_search_that_is_broken_off_leaves_an_honest_interval() {
    let federation = parabolas(&[0.0, 0.3, 0.6, 1.0, 1.4]);
    let losses = FederationLosses::new(&federation, Family::Linear, 0, 0.0);
    let problem = Problem::new(&losses, vec![1.2; 5], Weights::equal(5), 2.0);
    let core = solve(&problem, Rule::Core, 1e-10).expect("feasible");
    let mut stop = |_: &Progress| ControlFlow::Break(());
    let early = audit(&problem, &core.params, &unproven(5), &[], 1e-6, &mut stop);
    let late = audit(&problem, &core.params, &unproven(5), &[], 1e-6, &mut finish);
    assert!(!early.progress.complete && late.progress.complete);
    assert!(early.kappa.lo <= late.kappa.lo, "{early:?} {late:?}");
    // What is proven of both numbers is no worse.
    let worse = |audit: &Audit| audit.kappa.hi.0.max(audit.everybody.hi.0);
    assert!(worse(&late) <= worse(&early), "{early:?} {late:?}");
    assert!(early.kappa.hi.0.is_finite());
}

/// `max_S (w(S)/W) V(S)` over all coalitions but everybody, each by its own program.
fn kappa_by_brute_force(problem: &Problem<'_>, now: &[f64]) -> f64 {
    let n = problem.agents();
    (1_u32..(1 << n) - 1)
        .map(|mask| {
            let members: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
            let pick = |v: &[f64]| members.iter().map(|&i| v[i]).collect::<Vec<_>>();
            let program = Maximin {
                losses: problem.losses,
                members: &members,
                ceilings: &pick(&problem.ceilings),
                scales: &pick(now),
                ball: &problem.ball,
            };
            let start = vec![0.0; problem.losses.dim()];
            let bounds = program.solve(&start, Until::Gap(1e-8), 200);
            assert!(bounds.upper - bounds.lower < 1e-6 * (1.0 + bounds.upper), "{bounds:?}");
            problem.weights.share(&members) * bounds.lower
        })
        .fold(0.0, f64::max)
}

prop_compose! {
    /// Five agents with four rows of two features each, logistic labels, and uneven weights.
    fn instance()(
        features in prop::collection::vec(-2.0..2.0_f64, 40),
        labels in prop::collection::vec(prop::bool::ANY, 20),
        weights in prop::collection::vec(0.5..2.0_f64, 5),
        ceiling in 0.75..1.5_f64,
    ) -> (Federation, Weights, f64) {
        let target = labels.into_iter().map(f64::from).collect();
        let weights = Weights::new(weights).expect("positive");
        (federation(4, 2, features, target), weights, ceiling)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Branch and bound finds what brute force finds, for the core predictor and for FedAvg's; the
    /// witness is real; and nothing that is certified is ever blocked.
    #[test]
    fn the_search_agrees_with_every_coalition((federation, weights, ceiling) in instance()) {
        let losses = FederationLosses::new(&federation, Family::Logistic, 0, 0.0);
        let problem = Problem::new(&losses, vec![ceiling; 5], weights, 4.0);
        for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
            let incumbent = solve(&problem, rule, 1e-10).expect("zero serves everybody").params;
            let found = audit(&problem, &incumbent, &unproven(5), &[], 1e-6, &mut finish);
            let now = problem.utilities_at(&incumbent);
            if now.iter().any(|u| *u <= 0.0) {
                prop_assert_eq!(found.verdict, Verdict::Blocked);
                continue;
            }
            let brute = kappa_by_brute_force(&problem, &now);
            prop_assert!(found.kappa.lo.0 <= brute + 1e-5, "{:?} < {}", found.kappa, brute);
            prop_assert!(found.kappa.hi.0 >= brute - 1e-9, "{:?} > {}", found.kappa, brute);
            // Nothing below one needs to be resolved.
            let wanted = found.kappa.lo.0.max(1.0) * (1.0 + 2e-6);
            prop_assert!(found.kappa.hi.0 <= wanted, "{rule}: {:?} {:?} now {:?}", found.kappa, found.progress, now);
            prop_assert!(found.kappa.lo.0 >= brute * (1.0 - 3e-6) || brute <= 1.0 + 1e-6);
            prop_assert!(found.everybody.lo.0 >= 1.0 && found.everybody.lo <= found.everybody.hi);
            prop_assert_eq!(found.obstacle.is_some(), found.verdict == Verdict::Undecided);
            if let Some(witness) = found.witness {
                let Rival::Parameters(rival) = witness.rival else { unreachable!() };
                let then = problem.utilities_at(&rival);
                let least = witness.coalition.iter().map(|&i| then[i] / now[i])
                    .fold(f64::INFINITY, f64::min);
                let reached = problem.weights.share(&witness.coalition) * least;
                prop_assert!((reached - found.kappa.lo.0).abs() < 1e-12);
            }
        }
    }
}
