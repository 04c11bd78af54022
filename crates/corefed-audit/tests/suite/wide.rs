//! Searches with many open branches, against all groups of agents that want the same.

use std::ops::ControlFlow;

use corefed_audit::{Progress, audit};
use corefed_core::{Weights, WorstLoss};
use corefed_model::{Quadratic, QuadraticLosses};
use corefed_solve::{Maximin, Problem, Rule, Until, solve};

const DIM: usize = 3;
/// What agents want, and how many want it. The loss is the squared distance.
const GROUPS: [([f64; DIM], usize); 6] = [
    ([1.0, 0.1, 0.0], 5),
    ([0.9, -0.2, 0.3], 4),
    ([-0.5, 0.9, 0.1], 4),
    ([-0.4, 0.8, -0.4], 5),
    ([-0.6, -0.8, 0.2], 4),
    ([-0.3, -0.9, -0.5], 4),
];
const RADIUS: f64 = 3.0;

fn losses() -> QuadraticLosses {
    let distance = |wanted: [f64; DIM]| {
        let mut matrix = vec![0.0; DIM * DIM];
        for k in 0..DIM {
            matrix[k * DIM + k] = 1.0;
        }
        let constant = wanted.iter().map(|w| w * w).sum();
        Quadratic { matrix, linear: wanted.to_vec(), constant }
    };
    let agents = GROUPS.iter().flat_map(|&(wanted, count)| vec![distance(wanted); count]);
    QuadraticLosses::new(DIM, agents.collect(), 2.0)
}

/// `kappa` over whole groups: who wants the same as a member loses nothing by joining. Everybody but one
/// agent is the largest coalition with a member of every group.
fn by_groups(problem: &Problem<'_>, now: &[f64]) -> f64 {
    let mut first = 0;
    let firsts: Vec<(usize, usize)> = GROUPS
        .iter()
        .map(|&(_, count)| {
            first += count;
            (first - count, count)
        })
        .collect();
    let value = |set: u32| {
        let chosen = || firsts.iter().enumerate().filter(move |(k, _)| set >> k & 1 == 1);
        let members: Vec<usize> = chosen().map(|(_, (first, _))| *first).collect();
        let count: usize = chosen().map(|(_, (_, count))| *count).sum();
        let pick = |values: &[f64]| members.iter().map(|&i| values[i]).collect::<Vec<_>>();
        let program = Maximin {
            losses: problem.losses,
            members: &members,
            ceilings: &pick(&problem.ceilings),
            scales: &pick(now),
            ball: &problem.ball,
        };
        let best = program.solve(&[0.0; DIM], Until::Gap(1e-9), 200);
        let count = count.min(problem.agents() - 1);
        best.lower * count as f64 / problem.agents() as f64
    };
    (1_u32..1 << GROUPS.len()).map(value).fold(0.0, f64::max)
}

#[test]
fn a_wide_search_agrees_with_all_groups() {
    let losses = losses();
    let agents = GROUPS.iter().map(|(_, count)| count).sum();
    let worst = vec![WorstLoss { bound: f64::INFINITY, multiplier: None }; agents];
    let mut widest = 0;
    for (ceiling, rule) in [(1.6, Rule::Core), (1.9, Rule::Core), (1.75, Rule::Utilitarian)] {
        let problem = Problem::new(&losses, vec![ceiling; agents], Weights::equal(agents), RADIUS);
        let found = solve(&problem, rule, 1e-10).expect("the middle serves everybody");
        let now = problem.utilities_at(&found.params);
        let expected = by_groups(&problem, &now);
        let mut upper = Vec::new();
        let mut watch = |progress: &Progress| {
            widest = widest.max(progress.open);
            upper.push(progress.hi);
            ControlFlow::Continue(())
        };
        let audit = audit(&problem, &found.params, &worst, &[], 1e-6, &mut watch);
        assert!(audit.progress.complete);
        let (lo, hi) = (audit.kappa.lo.0, audit.kappa.hi.0);
        assert!(hi >= expected - 1e-7, "{ceiling} {rule}: {expected} above {hi}");
        // Below one nothing is resolved further.
        if expected > 1.0 + 1e-5 {
            assert!((lo - expected).abs() < 1e-5, "{ceiling} {rule}: {lo} is not {expected}");
        } else {
            assert!(hi <= 1.0 + 1e-5, "{ceiling} {rule}: {hi}");
        }
        // Every upper end on the way was true.
        assert!(upper.iter().all(|upper| *upper >= expected - 1e-7), "{upper:?}");
        assert!(audit.progress.hi >= hi);
    }
    assert!(widest > 64, "{widest} branches were open at most: nothing was wide");
}
