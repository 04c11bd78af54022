//! A session: a state machine that asks in rounds and is moved by answers alone.

use crate::bad_answer::BadAnswer;
use crate::bundle::{Known, unpack};
use crate::outcome::{Outcome, Traffic};
use crate::plan::{Next, Plan};
use crate::questions::{Answers, Questions};
use crate::receive::Door;
use crate::setup::{BadSetup, Setup};
use crate::state::State;

/// What a session wants next.
#[expect(clippy::large_enum_variant, reason = "a session ends once")]
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Answers of everybody who is asked and has not answered yet.
    Ask(Questions),
    /// Nothing: this is what came of it.
    Done(Outcome),
}

/// An exact audit, perhaps after training, of agents that keep their rows.
///
/// The same answers lead to the same questions, in whatever order they come: a session that died is
/// brought back by handing its successor the answers again.
pub struct Session {
    state: State,
    open: Option<Questions>,
    inbox: Vec<Option<Answers>>,
    plan: Plan,
    done: Option<Outcome>,
}

impl Session {
    /// Starts a session; nothing is asked yet.
    pub fn new(setup: Setup) -> Result<Self, BadSetup> {
        let plan = Plan::opening(&setup);
        let state = State::new(setup)?;
        let inbox = vec![None; state.silent.len()];
        Ok(Self { state, open: None, inbox, plan, done: None })
    }

    /// What to do next. Asking again without new answers gives the same again.
    #[expect(clippy::should_implement_trait, reason = "a session is not an iterator")]
    pub fn next(&mut self) -> Step {
        loop {
            if let Some(outcome) = &self.done {
                return Step::Done(outcome.clone());
            }
            if let Some(open) = &self.open {
                if self.missing().next().is_some() {
                    return Step::Ask(open.clone());
                }
                self.fold();
            }
            match self.plan.next(&self.state) {
                Next::Ask(questions) if self.derive(&questions) => {}
                Next::Ask(mut questions) => {
                    self.state.round += 1;
                    questions.round = self.state.round;
                    self.open = Some(questions);
                }
                Next::Done(outcome) => self.done = Some(*outcome),
            }
        }
    }

    /// Agents whose answers the open round waits for.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let asked =
            |agent: usize| self.open.as_ref().is_some_and(|open| open.asked[agent].is_some());
        (0..self.inbox.len()).filter(move |&agent| {
            asked(agent) && self.inbox[agent].is_none() && !self.state.silent[agent]
        })
    }

    /// Takes one agent's answers to the open round. Of an answer that is refused, nothing is kept.
    pub fn receive(&mut self, agent: usize, answers: Answers) -> Result<(), BadAnswer> {
        let name = &self.state.setup.agents[agent].name;
        let request = self.open.as_ref().and_then(|open| open.of(agent));
        let Some(request) = request.filter(|_| !self.state.silent[agent]) else {
            return Err(BadAnswer::NotAsked { agent: name.clone() });
        };
        let door = Door {
            bundle: &self.state.bundle,
            agent,
            name,
            l2: self.state.setup.predictor.l2(),
            ball: &self.state.ball,
        };
        door.check(&request, &answers)?;
        self.inbox[agent] = Some(answers);
        Ok(())
    }

    /// Notes that an agent answers no more, from the open round on. What it answered before stays.
    pub fn refuse(&mut self, agent: usize) {
        self.state.silent[agent] = true;
        self.inbox[agent] = None;
    }

    /// Moves the answers of a complete round into the bundle, in the order of agents.
    fn fold(&mut self) {
        let Some(open) = self.open.take() else { return };
        let places: Vec<usize> =
            open.points.iter().map(|point| self.state.bundle.add(point)).collect();
        for agent in 0..self.inbox.len() {
            let mut traffic = Traffic::default();
            if let (Some(answers), Some(request)) = (self.inbox[agent].take(), open.of(agent)) {
                traffic = Traffic { answered: request.numbers(), sent: request.sent() };
                let dim = self.state.ball.center().len();
                for (k, &place) in places.iter().enumerate() {
                    let at = |asked: &[usize]| asked.iter().position(|&asked| asked == k);
                    let gradient = at(&request.asked.gradients);
                    let hessian = at(&request.asked.hessians);
                    let known = Known {
                        loss: answers.losses[k],
                        gradient: gradient.map(|k| answers.gradients[k].clone()),
                        hessian: hessian.map(|k| unpack(&answers.hessians[k], dim)),
                        scale: 0.0,
                    };
                    self.state.bundle.record(agent, place, known);
                }
                self.state.owns[agent] = self.state.owns[agent].take().or(answers.own);
                self.state.declared[agent] = self.state.declared[agent].or(answers.ceiling);
            }
            self.state.traffic[agent].push(traffic);
        }
    }

    /// Quadratic losses are known everywhere once they are known to second order anywhere: answers
    /// follow, and nobody is asked (ledger E81).
    fn derive(&mut self, questions: &Questions) -> bool {
        let quadratic = self.state.setup.predictor.is_quadratic();
        let asked = (0..self.state.silent.len()).filter(|&agent| questions.asked[agent].is_some());
        let agents: Vec<usize> = asked.collect();
        if !quadratic || !agents.iter().all(|&agent| self.state.bundle.base(agent).is_some()) {
            return false;
        }
        for point in &questions.points {
            let place = self.state.bundle.add(point);
            for &agent in &agents {
                let Some(base) = self.state.bundle.base(agent) else { continue };
                let (loss, gradient, scale) = base.evaluate(point);
                let (gradient, hessian) = (Some(gradient), None);
                self.state.bundle.record(agent, place, Known { loss, gradient, hessian, scale });
            }
        }
        true
    }
}
