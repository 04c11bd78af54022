//! Sessions depend on answers alone: not on their order, not on when a coordinator died.

use corefed_core::Family;
use corefed_remote::{Answers, Ceiling, Oracle, Outcome, Questions, Session, Setup, Step};
use corefed_solve::{Problem, Rule, solve};

use crate::testing::{equal, federation, honest, losses, predictor, setup};

/// A session whose agents answer in the order given, with everything that travelled.
fn travel(
    setup: Setup,
    oracles: &mut [corefed_remote::RowOracle<'_>],
    order: &[usize],
) -> (Vec<Questions>, Vec<Vec<Option<Answers>>>, Outcome) {
    let mut session = Session::new(setup).expect("good terms");
    let (mut asked, mut answered) = (Vec::new(), Vec::new());
    loop {
        let questions = match session.next() {
            Step::Done(outcome) => return (asked, answered, outcome),
            Step::Ask(questions) => questions,
        };
        let mut round = vec![None; order.len()];
        for &agent in order {
            // Asking for the next step changes nothing while answers are missing.
            assert_eq!(session.next(), Step::Ask(questions.clone()));
            let answers =
                oracles[agent].answer(&questions.of(agent).expect("asked")).expect("no budget");
            session.receive(agent, answers.clone()).expect("a true answer");
            round[agent] = Some(answers);
        }
        asked.push(questions);
        answered.push(round);
    }
}

#[test]
fn the_same_answers_in_any_order_give_the_same_bytes() {
    let federation = federation(3, Family::Logistic, 6, 4);
    let losses = losses(&federation, Family::Logistic, 0.0);
    let problem = Problem::new(losses.as_ref(), vec![0.7; 6], equal(6), 10.0);
    let theta = solve(&problem, Rule::Core, 1e-10).unwrap().params;
    let setup =
        setup(predictor(Family::Logistic, 5, (0.0, 10.0), theta), 6, &Ceiling::Absolute(0.7));
    let mut oracles = honest(losses.as_ref(), 10.0);
    let (asked, answered, outcome) = travel(setup.clone(), &mut oracles, &[0, 1, 2, 3, 4, 5]);
    let mut again = honest(losses.as_ref(), 10.0);
    // Another order, and another number of threads.
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let backwards = one.install(|| travel(setup.clone(), &mut again, &[4, 2, 0, 5, 3, 1]));
    assert_eq!((&asked, &answered, &outcome), (&backwards.0, &backwards.1, &backwards.2));
    let text = |outcome: &Outcome| serde_json::to_string(&outcome.draft).unwrap();
    assert_eq!(text(&outcome), text(&backwards.2));
    assert!(asked.len() > 2, "nothing to replay");

    // A coordinator that died: another replays the files to the same end.
    let mut session = Session::new(setup).unwrap();
    for (questions, round) in asked.iter().zip(&answered) {
        let file = serde_json::to_string(questions).unwrap();
        let read: Questions = serde_json::from_str(&file).unwrap();
        assert_eq!(session.next(), Step::Ask(read));
        for (agent, answers) in round.iter().enumerate().rev() {
            let file = serde_json::to_string(answers.as_ref().unwrap()).unwrap();
            session.receive(agent, serde_json::from_str(&file).unwrap()).unwrap();
        }
    }
    let Step::Done(replayed) = session.next() else { panic!("asks more than before") };
    assert_eq!(text(&replayed), text(&outcome));
}
