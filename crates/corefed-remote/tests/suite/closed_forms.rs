//! Federations whose answer is worked out by hand.

use corefed_core::{AttestedEvidence, Family, Verdict};
use corefed_model::{Quadratic, QuadraticLosses};
use corefed_remote::{Ceiling, Ended};

use crate::testing::{ask, honest, predictor, setup};

/// `(t - at)^2`.
fn parabolas(at: &[f64]) -> QuadraticLosses {
    let parabola = |&at: &f64| Quadratic { matrix: vec![1.0], linear: vec![at], constant: at * at };
    QuadraticLosses::new(1, at.iter().map(parabola).collect(), 0.0)
}

#[test]
fn two_against_one_is_known_from_one_round() {
    // Ceiling 4; at t = -0.9 the two at 1 have 4 - 1.9^2 = 0.39 and could have 4: kappa = 2/3 * 4/0.39.
    let losses = parabolas(&[1.0, 1.0, -1.0]);
    let subject = predictor(Family::Linear, 1, (0.0, 3.0), vec![-0.9]);
    let setup = setup(subject, 3, &Ceiling::Absolute(4.0));
    let found = ask(setup, &mut honest(&losses, 3.0));
    let kappa = 2.0 / 3.0 * 4.0 / 0.39;
    assert_eq!((found.verdict, found.ended), (Verdict::Blocked, Ended::Complete));
    assert!((found.kappa.lo.0 - kappa).abs() < 1e-5, "{:?}", found.kappa);
    assert!((found.kappa.hi.0 - kappa).abs() < 1e-5 && found.kappa.hi >= found.kappa.lo);
    assert_eq!(found.witness.unwrap().coalition, [0, 1]);
    // Parabolas are known everywhere after one exchange to second order.
    assert_eq!(found.rounds, 1);
}

#[test]
fn initial_ceilings_are_losses_at_zero() {
    // Losses 1 and 4 at zero, times 1.5: ceilings 1.5 and 6; at t = 0.5 utilities 1.25 and 3.75.
    let losses = parabolas(&[1.0, 2.0]);
    let subject = predictor(Family::Linear, 1, (0.0, 3.0), vec![0.5]);
    let found = ask(setup(subject, 2, &Ceiling::Initial(1.5)), &mut honest(&losses, 3.0));
    let expected = [1.25, 3.75];
    for (found, expected) in found.utilities.iter().zip(expected) {
        assert!((found.unwrap() - expected).abs() < 1e-12);
    }
    let ceilings: Vec<f64> = found.draft.terms.agents.iter().map(|agent| agent.ceiling).collect();
    assert_eq!(ceilings, [1.5, 6.0]);
    // t = 1.25 and more is better for both.
    assert_eq!(found.verdict, Verdict::Improvable);
}

#[test]
fn an_agent_that_nothing_helps_has_a_proof_of_its_own() {
    // (t - 9)^2 on |t| <= 3 is at least 36 = its ceiling: no model gives it anything. The other is at
    // its optimum.
    let losses = parabolas(&[0.0, 9.0]);
    let subject = predictor(Family::Linear, 1, (0.0, 3.0), vec![0.0]);
    let mut setup = setup(subject, 2, &Ceiling::Absolute(36.0));
    setup.agents[0].ceiling = Ceiling::Absolute(1.0);
    let found = ask(setup, &mut honest(&losses, 3.0));
    let AttestedEvidence::Tangents { hopeless, .. } = &found.draft.evidence else {
        panic!("{:?}", found.draft.evidence)
    };
    assert_eq!(hopeless.iter().map(|hopeless| hopeless.agent).collect::<Vec<_>>(), [1]);
    assert!(found.kappa.hi.0 <= 1.0 && found.everybody.hi.0 == 0.0, "{found:?}");
    assert_eq!(found.verdict, Verdict::Stable);
}

#[test]
fn an_agent_that_has_nothing_and_could_have_something_blocks_alone() {
    let losses = parabolas(&[0.0, 2.0]);
    let subject = predictor(Family::Linear, 1, (0.0, 3.0), vec![0.0]);
    let found = ask(setup(subject, 2, &Ceiling::Absolute(1.0)), &mut honest(&losses, 3.0));
    assert_eq!(found.verdict, Verdict::Blocked);
    assert!(found.kappa.lo.0.is_infinite());
    assert_eq!(found.witness.unwrap().coalition, [1]);
}
