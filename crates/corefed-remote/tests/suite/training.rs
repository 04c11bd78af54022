//! Training on quadratic models ends where the pooled solver does.

use corefed_core::{Family, Verdict};
use corefed_remote::{Account, Ceiling, RowOracle, Task};
use corefed_solve::{Problem, Rule, solve};

use crate::testing::{ask, equal, federation, honest, losses, predictor, setup};

#[test]
fn the_largest_welfare_is_found_in_a_few_rounds() {
    for (family, factor, columns) in [
        (Family::Logistic, 1.0, 4),
        (Family::Logistic, 1.5, 6),
        (Family::Softmax, 1.1, 3),
        (Family::Linear, 1.2, 4),
        (Family::Poisson, 1.2, 3),
    ] {
        let federation = federation(2, family, 5, columns);
        let losses = losses(&federation, family, 0.0);
        let dim = losses.dim();
        let subject = predictor(family, columns + 1, (0.0, 10.0), vec![0.0; dim]);
        let mut setup = setup(subject, 5, &Ceiling::Initial(factor));
        setup.task = Task::Train;
        let found = ask(setup, &mut honest(losses.as_ref(), 10.0));
        let ceilings: Vec<f64> =
            found.draft.terms.agents.iter().map(|agent| agent.ceiling).collect();
        let problem = Problem::new(losses.as_ref(), ceilings, equal(5), 10.0);
        let pooled = solve(&problem, Rule::Core, 1e-10).unwrap();
        let utilities: Vec<f64> = found.utilities.iter().map(|utility| utility.unwrap()).collect();
        let welfare: f64 = utilities.iter().map(|utility| utility.ln()).sum();
        let gap = found.training_gap.unwrap();
        assert!(gap <= 1e-6, "{family}: {gap}");
        assert!(pooled.log_welfare - welfare <= 5.0 * gap + 1e-9, "{family}");
        let most = if family.is_quadratic() { 1 } else { 10 };
        assert!(found.training_rounds <= most, "{family}: {}", found.training_rounds);
        assert!(found.rounds >= found.training_rounds);
        assert_ne!(found.verdict, Verdict::Undecided, "{family}: {found:?}");
    }
}

#[test]
fn declared_ceilings_are_those_of_the_terms() {
    let federation = federation(2, Family::Logistic, 3, 3);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let subject = predictor(Family::Logistic, 4, (0.0, 10.0), vec![0.0; 4]);
    let mut setup = setup(subject, 3, &Ceiling::Declared("constant:1.5".to_owned()));
    setup.task = Task::Train;
    let mut oracles: Vec<RowOracle<'_>> = (0..3)
        .map(|agent| {
            let account = Account::new(60, 4, None);
            let ceiling = 0.9 + 0.1 * agent as f64;
            RowOracle::new(losses.as_ref(), agent, 10.0, Some(ceiling), account)
        })
        .collect();
    let found = ask(setup, &mut oracles);
    for (agent, party) in found.draft.terms.agents.iter().enumerate() {
        assert_eq!(party.ceiling, 0.9 + 0.1 * agent as f64);
        assert_eq!(party.policy, "constant:1.5");
    }
    assert!(found.training_gap.unwrap() <= 1e-6);
}
