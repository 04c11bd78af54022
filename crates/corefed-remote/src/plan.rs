//! What a session does, round by round: open, train if asked to, audit.

use crate::audit::{Audit, Review};
use crate::batch::Batch;
use crate::case::Case;
use crate::conclude::conclude;
use crate::outcome::{Ended, Outcome};
use crate::questions::Questions;
use crate::setup::{Ceiling, Hessians, Setup, Task};
use crate::state::State;
use crate::training::{ENOUGH, Standing, standing, step};

/// What comes next.
pub(crate) enum Next {
    Ask(Questions),
    Done(Box<Outcome>),
}

/// Where a session stands.
pub(crate) struct Plan {
    stage: Stage,
    /// Whether everybody was asked about everybody's own predictor.
    owns_asked: bool,
    training: Option<f64>,
    training_rounds: usize,
    verdict_round: Option<usize>,
}

enum Stage {
    Opening,
    Training { last: Option<usize> },
    Auditing(Box<Audit>),
}

impl Plan {
    pub(crate) fn opening(setup: &Setup) -> Self {
        let owns_asked = !setup.options.own || setup.predictor.is_quadratic();
        let (training, verdict_round) = (None, None);
        Self { stage: Stage::Opening, owns_asked, training, training_rounds: 0, verdict_round }
    }

    pub(crate) fn next(&mut self, state: &State) -> Next {
        if state.round == 0 {
            return Next::Ask(self.open(state));
        }
        let case = state.case();
        loop {
            match &mut self.stage {
                Stage::Opening if state.setup.task == Task::Train => {
                    self.stage = Stage::Training { last: None };
                }
                Stage::Opening => {
                    let theta = state.setup.predictor.parameters();
                    let theta = state.bundle.place(theta).unwrap_or(0);
                    self.stage = Stage::Auditing(Box::new(Audit::new(&case, &state.bundle, theta)));
                }
                Stage::Training { last } => {
                    let last = *last;
                    match self.train(state, &case, last) {
                        Ok(questions) => return Next::Ask(questions),
                        Err(theta) => {
                            self.training_rounds = state.round;
                            let found = standing(&case, &state.bundle, &state.heard(), theta);
                            self.training = found.map(|found| found.gap);
                            let audit = Audit::new(&case, &state.bundle, theta);
                            self.stage = Stage::Auditing(Box::new(audit));
                        }
                    }
                }
                Stage::Auditing(_) => return self.audit(state, &case),
            }
        }
    }

    /// The first round: the predictor and zero, at everybody.
    fn open(&self, state: &State) -> Questions {
        let setup = &state.setup;
        let everybody: Vec<usize> = (0..setup.agents.len()).collect();
        let zero = vec![0.0; setup.predictor.parameters().len()];
        let mut batch = Batch::default();
        batch.want(setup.predictor.parameters(), 1.0, &everybody, &everybody);
        let bent = setup.options.hessians == Hessians::Always || setup.task == Task::Train;
        let bent = bent && !setup.predictor.is_quadratic();
        batch.want(&zero, 1.0, &everybody, if bent { &everybody } else { &[] });
        let questions = batch.questions(&state.bundle, &state.silent, usize::MAX);
        let mut questions = questions.unwrap_or_else(|| unreachable!("nothing is known yet"));
        for (asked, participant) in questions.asked.iter_mut().zip(&setup.agents) {
            if let Some(asked) = asked {
                asked.own = !self.owns_asked;
                asked.ceiling = matches!(participant.ceiling, Ceiling::Declared(_));
            }
        }
        questions
    }

    /// Adds everybody's own predictors, once, to what is asked.
    fn add_owns(&mut self, state: &State, batch: &mut Batch) {
        if !std::mem::replace(&mut self.owns_asked, true) {
            let everybody: Vec<usize> = (0..state.silent.len()).collect();
            for own in state.owns.iter().flatten() {
                batch.want(own, 1.0, &everybody, &everybody);
            }
        }
    }

    /// The next point of training, or where it ended.
    fn train(
        &mut self,
        state: &State,
        case: &Case,
        last: Option<usize>,
    ) -> Result<Questions, usize> {
        let (bundle, present) = (&state.bundle, state.heard());
        let known: Vec<(usize, Standing)> = (0..bundle.points().len())
            .filter_map(|place| Some((place, standing(case, bundle, &present, place)?)))
            .collect();
        let by_gap = known.iter().min_by(|(_, a), (_, b)| a.gap.total_cmp(&b.gap));
        let best = known.iter().max_by(|(_, a), (_, b)| a.log_welfare.total_cmp(&b.log_welfare));
        // While nobody's welfare is finite, the last answer is the best guess.
        let best = match best {
            Some((place, standing)) if standing.log_welfare.is_finite() => *place,
            _ => last.unwrap_or(0),
        };
        let closest = by_gap.filter(|(_, standing)| standing.gap.is_finite());
        let closest = closest.map_or(best, |(place, _)| *place);
        let enough = by_gap.is_some_and(|(_, standing)| standing.gap <= ENOUGH);
        if enough || present.is_empty() || state.round >= state.setup.options.rounds {
            return Err(closest);
        }
        let from = bundle.point(best);
        let next = step(case, bundle, &present, from);
        let mut tried = vec![(next, 1.0)];
        if last.is_some_and(|last| last != best) {
            // The last step made things worse: half of the next one is tried beside it.
            let half = from.iter().zip(&tried[0].0).map(|(a, b)| 0.5 * (a + b)).collect();
            tried.push((half, 0.5));
        }
        // Where everybody has answered already, nothing is left to learn.
        let is_new = |point: &[f64]| {
            let place = bundle.place(point);
            present.iter().any(|&agent| place.and_then(|at| bundle.at(agent, at)).is_none())
        };
        let (first, _) = tried.iter().find(|(point, _)| is_new(point)).ok_or(closest)?;
        let last = bundle.place(first).unwrap_or(bundle.points().len());
        let mut batch = Batch::default();
        let everybody: Vec<usize> = (0..state.silent.len()).collect();
        for (point, worth) in &tried {
            batch.want(point, *worth, &everybody, &everybody);
        }
        self.add_owns(state, &mut batch);
        let questions = batch.questions(bundle, &state.silent, usize::MAX).ok_or(closest)?;
        self.stage = Stage::Training { last: Some(last) };
        Ok(questions)
    }

    /// The next batch of the audit, or what came of it.
    fn audit(&mut self, state: &State, case: &Case) -> Next {
        let options = state.setup.options;
        if !self.owns_asked {
            let mut batch = Batch::default();
            self.add_owns(state, &mut batch);
            let asked = batch.questions(&state.bundle, &state.silent, usize::MAX);
            if let Some(questions) = asked.filter(|_| state.round < options.rounds) {
                return Next::Ask(questions);
            }
        }
        let Stage::Auditing(audit) = &mut self.stage else { unreachable!("called for this stage") };
        let review = audit.review(case, &state.bundle, &state.silent, options.stop);
        if self.verdict_round.is_none() && audit.decided(case) {
            self.verdict_round = Some(state.round);
        }
        let ended = match review {
            Review::Done(_) if audit.absent.len() == case.agents() => Ended::Nobody,
            Review::Done(ended) => ended,
            Review::Ask { needed, again, rival } => {
                let bent = again.iter().map(|&again| match options.hessians {
                    Hessians::Always => true,
                    Hessians::OnDemand => again,
                    Hessians::First => false,
                });
                let bent: Vec<bool> = bent.collect();
                let mut batch = Batch::default();
                batch.conflicts(case, &state.bundle, &needed, &bent);
                if let Some(rival) = rival {
                    let bent = options.hessians == Hessians::Always;
                    let hessians = if bent { rival.coalition.as_slice() } else { &[] };
                    batch.want(&rival.params, f64::INFINITY, &rival.coalition, hessians);
                }
                let asked = batch.questions(&state.bundle, &state.silent, options.points);
                let free = state.setup.predictor.is_quadratic();
                match asked {
                    Some(questions) if free || state.round < options.rounds => {
                        return Next::Ask(questions);
                    }
                    Some(_) => Ended::Rounds,
                    None => Ended::Stalled,
                }
            }
        };
        let mut outcome = conclude(state, case, audit, ended);
        outcome.training_gap = self.training;
        outcome.training_rounds = self.training_rounds;
        outcome.verdict_round = self.verdict_round;
        Next::Done(Box::new(outcome))
    }
}
