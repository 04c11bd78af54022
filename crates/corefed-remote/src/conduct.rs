//! A session with agents in this process.

use std::ops::ControlFlow;

use crate::bad_answer::BadAnswer;
use crate::oracle::Oracle;
use crate::outcome::Outcome;
use crate::questions::Questions;
use crate::session::{Session, Step};

/// Asks agents until the session is done. The observer sees every round before it is asked, and may
/// end the session's questions: everybody then counts as silent, and what is proven stands.
pub fn conduct(
    session: &mut Session,
    oracles: &mut [&mut dyn Oracle],
    observer: &mut dyn FnMut(&Questions) -> ControlFlow<()>,
) -> Result<Outcome, BadAnswer> {
    loop {
        let questions = match session.next() {
            Step::Done(outcome) => return Ok(outcome),
            Step::Ask(questions) => questions,
        };
        let over = observer(&questions) == ControlFlow::Break(());
        for (agent, oracle) in oracles.iter_mut().enumerate() {
            let Some(request) = questions.of(agent) else { continue };
            match if over { None } else { oracle.answer(&request).ok() } {
                Some(answers) => session.receive(agent, answers)?,
                None => session.refuse(agent),
            }
        }
    }
}
