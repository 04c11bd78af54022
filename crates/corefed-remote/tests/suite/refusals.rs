//! Budgets and broken-off sessions: intervals stay honest.

use corefed_core::Family;
use corefed_remote::{Account, Asked, Ceiling, Ended, Oracle, Refusal, Request, RowOracle};
use corefed_solve::{Problem, Rule, Until, solve};

use crate::testing::{ask, equal, federation, honest, losses, predictor, setup};

/// The best of every coalition but everybody, by brute force.
fn kappa(problem: &Problem<'_>, theta: &[f64]) -> f64 {
    let (agents, now) = (problem.agents(), problem.utilities_at(theta));
    let mut kappa = 0.0_f64;
    for coalition in 1..(1_usize << agents) - 1 {
        let members: Vec<usize> = (0..agents).filter(|agent| coalition >> agent & 1 == 1).collect();
        let program =
            corefed_audit::coalition_program(problem, &now, &members, theta, Until::Gap(1e-9));
        kappa = kappa.max(members.len() as f64 / agents as f64 * program.bounds.lower);
    }
    kappa
}

#[test]
fn a_budget_that_runs_out_leaves_an_interval_around_the_truth() {
    let federation = federation(0, Family::Logistic, 5, 3);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let problem = Problem::new(losses.as_ref(), vec![0.7; 5], equal(5), 10.0);
    let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
    let truth = kappa(&problem, &theta);
    let mut widths = Vec::new();
    // 60 rows of 4 columns and a target are 300 cells.
    for budget in [0.1, 0.2, 0.5, 1.0, 2.0] {
        let subject = predictor(Family::Logistic, 4, (0.0, 10.0), theta.clone());
        let mut oracles = honest(losses.as_ref(), 10.0);
        for oracle in &mut oracles {
            oracle.account.budget = Some(budget);
        }
        let found = ask(setup(subject, 5, &Ceiling::Absolute(0.7)), &mut oracles);
        assert!(found.absent.is_empty(), "{budget}");
        assert!(found.kappa.lo.0 <= truth * (1.0 + 1e-9), "{budget} {found:?}");
        assert!(found.kappa.hi.0 >= truth * (1.0 - 1e-9), "{budget} {found:?}");
        assert!(oracles.iter().all(|o| o.account.answered as f64 <= budget * 300.0));
        let closed = found.kappa.hi.0 <= found.kappa.lo.0.max(1.0) * (1.0 + 1.1e-6);
        assert_eq!(found.ended == Ended::Complete, closed, "{budget} {found:?}");
        widths.push(found.kappa.hi.0 - found.kappa.lo.0);
    }
    assert!(widths[0] > widths[4], "{widths:?}");
}

#[test]
fn a_limit_on_rounds_leaves_an_interval_around_the_truth() {
    let federation = federation(0, Family::Logistic, 5, 3);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let problem = Problem::new(losses.as_ref(), vec![0.7; 5], equal(5), 10.0);
    let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
    let truth = kappa(&problem, &theta);
    let mut last = f64::INFINITY;
    for rounds in 1..4 {
        let subject = predictor(Family::Logistic, 4, (0.0, 10.0), theta.clone());
        let mut setup = setup(subject, 5, &Ceiling::Absolute(0.7));
        setup.options.rounds = rounds;
        let found = ask(setup, &mut honest(losses.as_ref(), 10.0));
        assert!(found.rounds <= rounds);
        assert!(
            found.kappa.lo.0 <= truth * (1.0 + 1e-9) && found.kappa.hi.0 >= truth * (1.0 - 1e-9)
        );
        assert!(found.kappa.hi.0.is_finite(), "tangents at the predictor bound every coalition");
        assert!(found.kappa.hi.0 <= last * (1.0 + 1e-9));
        last = found.kappa.hi.0;
    }
}

#[test]
fn an_account_counts_numbers_against_cells() {
    let federation = federation(0, Family::Logistic, 2, 3);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let account = Account::new(60, 4, Some(0.1));
    let mut oracle = RowOracle::new(losses.as_ref(), 0, 10.0, None, account);
    let asked = Asked { gradients: vec![0], hessians: vec![1], own: true, ceiling: false };
    let request = Request { round: 1, points: vec![vec![0.0; 4], vec![0.1; 4]], asked };
    // Two losses, one gradient, a triangle of 4 * 5 / 2, a predictor.
    assert_eq!(request.numbers(), 2 + 4 + 10 + 4);
    assert_eq!(request.sent(), 8);
    assert!(oracle.answer(&request).is_ok());
    assert_eq!(oracle.account.answered, 20);
    let refused = oracle.answer(&request).unwrap_err();
    let expected = Refusal::Budget { round: 1, asked: 20, answered: 20, most: 30.0, cells: 300 };
    assert_eq!(refused, expected);
    assert!(refused.to_string().contains("300 cells") && refused.hint().contains("budget"));
}
