//! A model of the agents' own: nothing is known of it but the answers, and they prove the same.

use corefed_core::{AgreedModel, AttestedEvidence, Family, OWN_MODEL_VERSION, OwnModel, Status};
use corefed_remote::{Ceiling, Ended, Setup, Task};

use crate::testing::{ask, federation, honest, losses, predictor, setup};

/// The same terms about a model that has no family.
fn owned(setup: &Setup) -> Setup {
    let model = &setup.predictor;
    let own = OwnModel {
        own: "something convex".to_owned(),
        l2: model.l2(),
        radius: model.radius(),
        parameters: model.parameters().to_vec(),
    };
    Setup { predictor: AgreedModel::Own(own), ..setup.clone() }
}

#[test]
fn answers_prove_the_same_whatever_computes_them() {
    for (seed, family, ceiling, l2) in [
        (0, Family::Logistic, 0.7, 0.0),
        (1, Family::Logistic, 0.9, 0.01),
        (2, Family::Softmax, 1.2, 0.0),
        (3, Family::Poisson, 3.0, 0.001),
        // Of least squares one answer would do, if anybody knew that it is.
        (4, Family::Linear, 4.0, 0.0),
    ] {
        let federation = federation(seed, family, 4, 3);
        let losses = losses(&federation, family, l2);
        let subject = predictor(family, 4, (l2, 10.0), vec![0.0; losses.dim()]);
        let mut known = setup(subject, 4, &Ceiling::Absolute(ceiling));
        known.task = Task::Train;
        let own = owned(&known);
        let known = ask(known, &mut honest(losses.as_ref(), 10.0));
        let own = ask(own, &mut honest(losses.as_ref(), 10.0));
        let what = format!("{family}: {known:?} {own:?}");
        assert_eq!((own.verdict, own.ended), (known.verdict, Ended::Complete), "{what}");
        for (a, b) in [(own.kappa, known.kappa), (own.everybody, known.everybody)] {
            assert!((a.lo.0.max(1.0) - b.lo.0.max(1.0)).abs() <= 2e-6 * b.lo.0.max(1.0), "{what}");
            assert!((a.hi.0.max(1.0) - b.hi.0.max(1.0)).abs() <= 2e-6 * b.hi.0.max(1.0), "{what}");
        }
        let draft = own.draft;
        assert_eq!(draft.version, OWN_MODEL_VERSION);
        assert_eq!(draft.terms.predictor.parameters(), own.parameters);
        assert!(matches!(draft.evidence, AttestedEvidence::Tangents { .. }));
        // Nobody knows that it is convex.
        assert_eq!(draft.assumptions[0].status, Status::Assumed);
        assert!(draft.assumptions[0].detail.contains("`something convex`"));
    }
}

#[test]
fn a_ceiling_that_was_settled_before_is_the_number_with_the_name_of_its_policy() {
    let federation = federation(5, Family::Logistic, 3, 2);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let subject = predictor(Family::Logistic, 3, (0.0, 10.0), vec![0.1; 3]);
    let settled = Ceiling::Settled { value: 0.8, policy: "baseline:1.5".to_owned() };
    let by_policy = ask(setup(subject.clone(), 3, &settled), &mut honest(losses.as_ref(), 10.0));
    let number = setup(subject, 3, &Ceiling::Absolute(0.8));
    let number = ask(number, &mut honest(losses.as_ref(), 10.0));
    assert_eq!(by_policy.kappa, number.kappa);
    for party in &by_policy.draft.terms.agents {
        assert_eq!((party.ceiling, party.policy.as_str()), (0.8, "baseline:1.5"));
    }
}
