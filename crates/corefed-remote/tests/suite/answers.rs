//! Bad answers are named and leave no trace.

use corefed_core::Family;
use corefed_remote::{Answers, BadAnswer, BadSetup, Ceiling, Oracle, Questions, Session, Step};

use crate::testing::{federation, honest, losses, predictor, setup};

/// A session in its second round, with everybody's answer at hand.
fn second_round(check: impl Fn(&mut Session, &Questions, Answers)) {
    let federation = federation(0, Family::Logistic, 4, 3);
    let losses = losses(&federation, Family::Logistic, 0.01);
    let subject = predictor(Family::Logistic, 4, (0.01, 10.0), vec![0.1; 4]);
    let mut session = Session::new(setup(subject, 4, &Ceiling::Absolute(0.9))).expect("good terms");
    let mut oracles = honest(losses.as_ref(), 10.0);
    let Step::Ask(first) = session.next() else { panic!() };
    for (agent, oracle) in oracles.iter_mut().enumerate() {
        let answers = oracle.answer(&first.of(agent).expect("asked")).expect("no budget");
        session.receive(agent, answers).expect("a true answer");
    }
    let Step::Ask(questions) = session.next() else { panic!() };
    let answers = oracles[2].answer(&questions.of(2).expect("asked")).expect("no budget");
    check(&mut session, &questions, answers);
}

#[test]
fn each_bad_answer_is_named_and_nothing_of_it_is_kept() {
    type Spoil = fn(&mut Answers);
    let cases: [(Spoil, &str); 12] = [
        (|a| a.round = 1, "round 1"),
        (|a| a.points = "0".repeat(64), "other points"),
        (|a| a.losses[1] = f64::NAN, "loss of `a2` at point 1"),
        (|a| a.gradients[0][2] = f64::INFINITY, "gradient of `a2` at point 0"),
        (|a| a.hessians[1][0] = f64::NAN, "Hessian of `a2` at point 1"),
        (|a| a.losses.truncate(1), "losses"),
        (|a| a.gradients.truncate(1), "gradients"),
        (|a| a.gradients[0].truncate(3), "numbers in a gradient"),
        (|a| a.hessians[0].truncate(3), "numbers in a Hessian"),
        (|a| a.hessians[0][0] = -1.0, "positive semidefinite"),
        (|a| a.losses.iter_mut().for_each(|loss| *loss -= 4.0), "no convex loss agrees with `a2`"),
        (|a| a.ceiling = Some(3.0), "ceiling of `a2`"),
    ];
    second_round(|session, questions, answers| {
        for (spoil, expected) in cases {
            let mut corrupted = answers.clone();
            spoil(&mut corrupted);
            let error = session.receive(2, corrupted).unwrap_err();
            assert!(error.to_string().contains(expected), "{error} lacks {expected}");
            assert!(error.to_string().contains("`a2`") && !error.hint().is_empty());
            assert_eq!(session.missing().collect::<Vec<_>>(), [0, 1, 2, 3]);
        }
        session.receive(2, answers.clone()).unwrap();
        assert_eq!(session.missing().collect::<Vec<_>>(), [0, 1, 3]);
        assert_eq!(session.next(), Step::Ask(questions.clone()));
    });
}

#[test]
fn a_second_answer_about_a_point_is_the_first() {
    let federation = federation(0, Family::Logistic, 3, 3);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let subject = predictor(Family::Logistic, 4, (0.0, 10.0), vec![0.1; 4]);
    let mut session = Session::new(setup(subject, 3, &Ceiling::Absolute(0.9))).unwrap();
    let mut oracles = honest(losses.as_ref(), 10.0);
    let Step::Ask(first) = session.next() else { panic!() };
    for (agent, oracle) in oracles.iter_mut().enumerate() {
        let mut answers = oracle.answer(&first.of(agent).unwrap()).unwrap();
        // Agent 0 claims that its best predictor is the one under audit.
        if agent == 0 {
            answers.own = Some(vec![0.1; 4]);
        }
        session.receive(agent, answers).unwrap();
    }
    // So that point is not asked again.
    let Step::Ask(second) = session.next() else { panic!() };
    assert!(!second.points.contains(&vec![0.1; 4]));
    let late = oracles[1].answer(&first.of(1).unwrap()).unwrap();
    assert!(matches!(session.receive(1, late), Err(BadAnswer::Round { got: 1, round: 2, .. })));
    session.refuse(1);
    let now = oracles[1].answer(&second.of(1).unwrap()).unwrap();
    assert_eq!(session.receive(1, now), Err(BadAnswer::NotAsked { agent: "a1".to_owned() }));
}

fn known(setup: &mut corefed_remote::Setup) -> &mut corefed_core::Predictor {
    match &mut setup.predictor {
        corefed_core::AgreedModel::Known(predictor) => predictor,
        corefed_core::AgreedModel::Own(own) => panic!("{own:?}"),
    }
}

#[test]
fn terms_that_nobody_could_answer_are_refused() {
    let subject = predictor(Family::Logistic, 2, (0.0, 1.0), vec![0.1, 0.2]);
    let good = setup(subject, 2, &Ceiling::Absolute(0.9));
    let refused = |change: fn(&mut corefed_remote::Setup)| {
        let mut setup = good.clone();
        change(&mut setup);
        Session::new(setup).err().unwrap()
    };
    assert_eq!(refused(|s| s.agents.clear()), BadSetup::Nobody);
    let twice = BadSetup::Name { name: "a0".to_owned() };
    assert_eq!(refused(|s| s.agents[1].name = "a0".to_owned()), twice);
    assert!(matches!(refused(|s| s.agents[1].weight = 0.0), BadSetup::Weight(_)));
    assert!(matches!(refused(|s| known(s).radius = 0.1), BadSetup::Outside { .. }));
    assert!(matches!(refused(|s| known(s).l2 = -1.0), BadSetup::Range { .. }));
    assert!(matches!(refused(|s| s.tolerance = 1.0), BadSetup::Range { .. }));
    let nan = |s: &mut corefed_remote::Setup| s.agents[0].ceiling = Ceiling::Absolute(f64::NAN);
    let error = refused(nan);
    assert!(error.to_string().contains("ceiling of a0") && !error.hint().is_empty());
}
