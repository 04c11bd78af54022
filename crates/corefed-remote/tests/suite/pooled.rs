//! The audit of pooled rows is the oracle: verdicts and both ends agree.

use std::ops::ControlFlow;

use corefed_audit::{Audit, Progress, audit};
use corefed_core::{
    AttestedEvidence, Family, KappaInterval, KnownTangent, Verdict, WorstLoss, tangents_bound,
};
use corefed_remote::{Ceiling, Ended, Hessians, Outcome, Stop};
use corefed_solve::{Problem, Rule, ball_for, solve};

use crate::testing::{ask, equal, federation, honest, losses, predictor, setup};

fn pooled(problem: &Problem<'_>, theta: &[f64]) -> Audit {
    let worst = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; problem.agents()];
    let mut forever = |_: &Progress| ControlFlow::Continue(());
    audit(problem, theta, &worst, &[], 1e-6, &mut forever)
}

/// Below one neither search looks closer, so only that it is below counts.
fn close(a: KappaInterval, b: KappaInterval) -> bool {
    let near = |a: f64, b: f64| {
        let (a, b) = (a.max(1.0), b.max(1.0));
        a == b || (a - b).abs() <= 1.01e-6 * a
    };
    near(a.lo.0, b.lo.0) && near(a.hi.0, b.hi.0)
}

/// Both audits of a rule's optimum under one ceiling.
fn both(
    seed: u64,
    family: Family,
    (agents, columns): (usize, usize),
    (rule, ceiling, l2): (Rule, f64, f64),
) -> (Audit, Outcome) {
    let federation = federation(seed, family, agents, columns);
    let losses = losses(&federation, family, l2);
    let problem = Problem::new(losses.as_ref(), vec![ceiling; agents], equal(agents), 10.0);
    let theta = solve(&problem, rule, 1e-10).expect("feasible").params;
    let radius = ball_for(10.0, &theta).expect("inside");
    let problem = Problem::new(losses.as_ref(), vec![ceiling; agents], equal(agents), radius);
    let subject = predictor(family, columns + 1, (l2, radius), theta.clone());
    let setup = setup(subject, agents, &Ceiling::Absolute(ceiling));
    (pooled(&problem, &theta), ask(setup, &mut honest(losses.as_ref(), radius)))
}

#[test]
fn both_audits_agree_for_every_family() {
    let mut verdicts = Vec::new();
    for seed in 0..4 {
        for (family, ceiling, l2) in [
            (Family::Logistic, 0.7, 0.0),
            (Family::Logistic, 0.9, 0.01),
            (Family::Softmax, 1.2, 0.0),
            (Family::Linear, 4.0, 0.0),
            (Family::Poisson, 3.0, 0.001),
        ] {
            for rule in [Rule::Core, Rule::Utilitarian] {
                let (pooled, remote) = both(seed, family, (5, 3), (rule, ceiling, l2));
                let what = format!("{family} {rule} seed {seed}: {pooled:?} {remote:?}");
                assert_eq!(remote.ended, Ended::Complete, "{what}");
                assert_eq!(pooled.verdict, remote.verdict, "{what}");
                assert!(close(pooled.kappa, remote.kappa), "{what}");
                if remote.kappa.lo.0.is_finite() {
                    assert!(close(pooled.everybody, remote.everybody), "{what}");
                }
                verdicts.push(remote.verdict);
            }
        }
    }
    // The comparison means something only where both answers occur.
    assert!(verdicts.contains(&Verdict::Blocked) && verdicts.contains(&Verdict::Stable));
}

#[test]
fn ways_of_asking_cost_rounds_and_change_no_answer() {
    let federation = federation(3, Family::Logistic, 6, 4);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let problem = Problem::new(losses.as_ref(), vec![0.7; 6], equal(6), 10.0);
    let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
    let expected = pooled(&problem, &theta);
    let subject = predictor(Family::Logistic, 5, (0.0, 10.0), theta);
    for hessians in [Hessians::OnDemand, Hessians::Always, Hessians::First] {
        for (own, points) in [(true, 2000), (false, 2000), (true, 3)] {
            let mut setup = setup(subject.clone(), 6, &Ceiling::Absolute(0.7));
            setup.options.hessians = hessians;
            (setup.options.own, setup.options.points) = (own, points);
            setup.options.rounds = 200;
            let found = ask(setup, &mut honest(losses.as_ref(), 10.0));
            let what = format!("{hessians:?} {own} {points}: {expected:?} {found:?}");
            assert_eq!(found.verdict, expected.verdict, "{what}");
            assert!(found.kappa.lo.0 <= expected.kappa.hi.0 * (1.0 + 1e-9), "{what}");
            assert!(found.kappa.hi.0 >= expected.kappa.lo.0 * (1.0 - 1e-9), "{what}");
            if hessians != Hessians::First {
                assert!(close(expected.kappa, found.kappa), "{what}");
            }
        }
    }
}

#[test]
fn a_verdict_alone_takes_no_more_rounds() {
    for seed in 0..3 {
        let federation = federation(seed, Family::Logistic, 6, 4);
        let losses = losses(&federation, Family::Logistic, 0.0);
        let problem = Problem::new(losses.as_ref(), vec![0.7; 6], equal(6), 10.0);
        let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
        let subject = predictor(Family::Logistic, 5, (0.0, 10.0), theta);
        let exact = setup(subject, 6, &Ceiling::Absolute(0.7));
        let mut early = exact.clone();
        early.options.stop = Stop::Verdict;
        let exact = ask(exact, &mut honest(losses.as_ref(), 10.0));
        let early = ask(early, &mut honest(losses.as_ref(), 10.0));
        assert_eq!(early.verdict, exact.verdict);
        assert_eq!(Some(early.rounds), exact.verdict_round);
        assert!(early.kappa.lo <= exact.kappa.hi && early.kappa.hi >= exact.kappa.lo);
    }
}

/// Recomputes a draft by the definitions: leaves on the rows, bounds from leaves, the cover over every
/// coalition.
#[test]
fn a_draft_proves_its_claim_from_its_leaves_alone() {
    for (seed, ceiling) in [(0, 0.7), (1, 0.75), (2, 0.9)] {
        let federation = federation(seed, Family::Logistic, 6, 4);
        let losses = losses(&federation, Family::Logistic, 0.0);
        let problem = Problem::new(losses.as_ref(), vec![ceiling; 6], equal(6), 10.0);
        let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
        let subject = predictor(Family::Logistic, 5, (0.0, 10.0), theta.clone());
        let setup = setup(subject, 6, &Ceiling::Absolute(ceiling));
        let draft = ask(setup, &mut honest(losses.as_ref(), 10.0)).draft;
        assert_eq!(draft.points[0], theta);
        let mut used = vec![vec![false; draft.points.len()]; 6];
        let leaf = |agent: usize, point: usize| {
            draft.attestations[agent].leaves.iter().find(|leaf| leaf.point == point).unwrap()
        };
        for (agent, attestation) in draft.attestations.iter().enumerate() {
            assert!(attestation.leaves.is_sorted_by(|a, b| a.point < b.point));
            used[agent][0] = true;
            for leaf in &attestation.leaves {
                let (mut loss, mut gradient) = ([0.0], vec![0.0; 5]);
                losses.gradients(&draft.points[leaf.point], &[agent], &mut loss, &mut gradient);
                assert!((loss[0] - leaf.loss).abs() <= leaf.margin);
                if let Some(found) = &leaf.gradient {
                    let apart: f64 =
                        found.values.iter().zip(&gradient).map(|(a, b)| (a - b).powi(2)).sum();
                    assert!(apart.sqrt() <= found.margin);
                }
            }
        }
        let now: Vec<f64> = (0..6).map(|agent| ceiling - leaf(agent, 0).loss).collect();
        let AttestedEvidence::Tangents { conflicts, .. } = &draft.evidence else { panic!() };
        let mut bounds = Vec::new();
        for conflict in conflicts {
            let known: Vec<KnownTangent<'_>> = conflict
                .tangents
                .iter()
                .map(|tangent| {
                    used[tangent.agent][tangent.point] = true;
                    let leaf = leaf(tangent.agent, tangent.point);
                    KnownTangent {
                        multiplier: tangent.multiplier,
                        utility: ceiling - leaf.loss,
                        gradient: &leaf.gradient.as_ref().unwrap().values,
                        point: &draft.points[tangent.point],
                    }
                })
                .collect();
            let mass: f64 = conflict.tangents.iter().map(|t| t.multiplier * now[t.agent]).sum();
            let bound = tangents_bound(&known, 0.0, 10.0) / mass;
            assert!((bound - conflict.bound).abs() <= 1e-12 * bound);
            let mask = conflict.tangents.iter().fold(0_usize, |mask, t| mask | 1 << t.agent);
            bounds.push((mask, bound));
        }
        for coalition in 1..63_usize {
            let covered = bounds.iter().filter(|(mask, _)| mask & !coalition == 0);
            let gain = covered.map(|(_, bound)| *bound).fold(f64::INFINITY, f64::min);
            let share = f64::from(coalition.count_ones()) / 6.0;
            assert!(share * gain <= draft.claim.kappa.hi.0 * (1.0 + 1e-12), "{coalition:b}");
        }
        let witness = draft.witness.as_ref().unwrap();
        let gain = |&agent: &usize| {
            used[agent][witness.point] = true;
            (ceiling - leaf(agent, witness.point).loss) / now[agent]
        };
        let least = witness.coalition.iter().map(gain).fold(f64::INFINITY, f64::min);
        let share = witness.coalition.len() as f64 / 6.0;
        assert!((share * least - draft.claim.kappa.lo.0).abs() < 1e-12);
        if draft.improvement.is_none() {
            let leaves = |agent: usize| draft.attestations[agent].leaves.iter();
            let idle = |agent: usize| leaves(agent).any(|leaf| !used[agent][leaf.point]);
            assert!(!(0..6).any(idle), "a leaf that nothing uses");
        }
    }
}

#[test]
fn a_missing_agent_leaves_an_answer_about_the_others() {
    let federation = federation(0, Family::Logistic, 5, 3);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let problem = Problem::new(losses.as_ref(), vec![0.7; 5], equal(5), 10.0);
    let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
    let subject = predictor(Family::Logistic, 4, (0.0, 10.0), theta.clone());
    let mut oracles = honest(losses.as_ref(), 10.0);
    oracles[2].account.budget = Some(0.0);
    let found = ask(setup(subject, 5, &Ceiling::Absolute(0.7)), &mut oracles);
    assert_eq!(found.absent, [2]);
    assert_eq!(found.everybody, KappaInterval::UNKNOWN);
    assert_eq!(found.ended, Ended::Complete);
    assert!(found.draft.attestations[2].leaves.is_empty());
    // By brute force: the program of every coalition without agent 2.
    let now = problem.utilities_at(&theta);
    let mut kappa = 0.0_f64;
    for coalition in 1..32_usize {
        let members: Vec<usize> = (0..5).filter(|agent| coalition >> agent & 1 == 1).collect();
        if !members.contains(&2) {
            let until = corefed_solve::Until::Gap(1e-9);
            let program = corefed_audit::coalition_program(&problem, &now, &members, &theta, until);
            kappa = kappa.max(members.len() as f64 / 5.0 * program.bounds.lower);
        }
    }
    assert!(found.kappa.hi.0 >= kappa * (1.0 - 1e-9));
    assert!(
        (found.kappa.lo.0.max(1.0) - kappa.max(1.0)).abs() <= 1.1e-6 * kappa,
        "{kappa} {found:?}"
    );
}
