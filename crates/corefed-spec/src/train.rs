//! A training by rounds.

use std::num::NonZeroUsize;

use corefed_rules::{Rule, Safety, ServerStep};

use crate::{Correction, LocalWork, Participation, Schedule, Search};

/// As `[train]` and its tables describe it.
#[derive(Clone, Debug, PartialEq)]
pub struct Train {
    /// How updates become a step.
    pub rule: Rule,
    /// How many rounds.
    pub rounds: NonZeroUsize,
    /// What the server does with the combined update.
    pub server: ServerStep,
    /// Part of that step in the first round, in (0, 1]; see [`Train::step_part`].
    pub first_step: f64,
    /// Whether parameters are brought back into the ball after every step.
    pub project: bool,
    /// Whether local steps are corrected for drift.
    pub correction: Correction,
    /// Whether several steps are compared.
    pub search: Search,
    /// Which round's model the run keeps.
    pub keep: Keep,
    /// Whether every agent's own model is trained and measured, too.
    pub alone: Alone,
    /// What agents do.
    pub local: LocalWork,
    /// Which agents do it.
    pub participation: Participation,
    /// Safeguards of the rule.
    pub safety: Safety,
    /// When to stop before the last round.
    pub stop: Stop,
    /// What is written down.
    pub record: Record,
}

/// Which round's model a run keeps, audits and is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// The best where rows are held out to choose by, else the last.
    #[default]
    Auto,
    /// The last.
    Last,
    /// The best by floored log-welfare on those rows.
    Best,
}

impl Keep {
    /// Every choice with its name in specs.
    pub const NAMES: &[(&str, Self)] =
        &[("auto", Self::Auto), ("last", Self::Last), ("best", Self::Best)];
}

/// Whether every agent's own model is trained by the same settings, to be measured on held-out rows beside
/// everybody's. It takes about as long as the training itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Alone {
    /// Where rows are held out; once in a comparison.
    #[default]
    Auto,
    /// Where rows are held out.
    On,
    /// Never.
    Off,
}

impl Alone {
    /// Every choice with its name in specs.
    pub const NAMES: &[(&str, Self)] =
        &[("auto", Self::Auto), ("on", Self::On), ("off", Self::Off)];
}

/// When to stop before the last round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Stop when the Frank-Wolfe bound on kappa is at most one plus this, > 0; `None`: never.
    pub certificate: Option<f64>,
    /// A mean loss this many times the first one is an explosion, > 1.
    pub loss_factor: f64,
    /// Stop after this many rounds without a better one on the rows to choose by; `None`: never.
    pub patience: Option<NonZeroUsize>,
}

/// What is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Rounds between two evaluations of all agents; `None`: only at the beginning and the end.
    pub evaluate_every: Option<NonZeroUsize>,
    /// Rounds between two checkpoints; `None`: a twentieth of all rounds, see
    /// [`Record::checkpoint_every`].
    pub checkpoint_every: Option<NonZeroUsize>,
    /// Whether to write event files for `TensorBoard`.
    pub tensorboard: bool,
}

impl Train {
    /// Part of the server's step that is taken in a round, counted from 1: `first_step` at the beginning,
    /// and along half a cosine all of it.
    ///
    /// Agents that train for epochs drift furthest apart in the first rounds, before anything is known to
    /// correct them by.
    #[must_use]
    pub fn step_part(&self, round: usize) -> f64 {
        1.0 - (1.0 - self.first_step) * Schedule::Cosine.rate(1.0, round, self.rounds.get())
    }
}

impl Record {
    /// Rounds between two checkpoints of a training of this many rounds, at least one.
    #[must_use]
    pub fn checkpoint_every(&self, rounds: NonZeroUsize) -> NonZeroUsize {
        let twentieth = NonZeroUsize::new(rounds.get() / 20).unwrap_or(NonZeroUsize::MIN);
        self.checkpoint_every.unwrap_or(twentieth)
    }

    /// Whether all agents are evaluated after this round; round 0 is the beginning.
    #[must_use]
    pub fn evaluates(&self, round: usize, rounds: NonZeroUsize) -> bool {
        let regular = self.evaluate_every.is_some_and(|every| round.is_multiple_of(every.get()));
        regular || round == 0 || round == rounds.get()
    }
}

impl Default for Train {
    fn default() -> Self {
        Self {
            rule: Rule::default(),
            rounds: NonZeroUsize::MIN.saturating_add(99),
            server: ServerStep::default(),
            first_step: 1.0,
            project: true,
            correction: Correction::default(),
            search: Search::default(),
            keep: Keep::default(),
            alone: Alone::default(),
            local: LocalWork::default(),
            participation: Participation::default(),
            safety: Safety::default(),
            stop: Stop::default(),
            record: Record::default(),
        }
    }
}

impl Default for Stop {
    fn default() -> Self {
        Self { certificate: None, loss_factor: 1000.0, patience: None }
    }
}

impl Default for Record {
    fn default() -> Self {
        let evaluate_every = Some(NonZeroUsize::MIN);
        Self { evaluate_every, checkpoint_every: None, tensorboard: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_first_step_grows_to_a_whole_one() {
        let rounds = NonZeroUsize::new(4).unwrap();
        let train = Train { rounds, first_step: 0.5, ..Train::default() };
        // 1 - (1 - 1/2) times 1, (1 + sqrt(1/2))/2, 1/2, (1 - sqrt(1/2))/2.
        let root = 0.5_f64.sqrt();
        let expected = [0.5, 0.75 - root / 4.0, 0.75, 0.75 + root / 4.0];
        for (round, expected) in (1..).zip(expected) {
            assert!((train.step_part(round) - expected).abs() < 1e-15, "{round}");
        }
        let whole = Train { rounds, ..Train::default() };
        assert!((1..=4).all(|round| whole.step_part(round) == 1.0));
    }

    #[test]
    fn checkpoints_are_a_twentieth_apart_unless_told() {
        let count = |n| NonZeroUsize::new(n).unwrap();
        let record = Record::default();
        assert_eq!(record.checkpoint_every(count(5)), count(1));
        assert_eq!(record.checkpoint_every(count(100)), count(5));
        let told = Record { checkpoint_every: Some(count(7)), ..record };
        assert_eq!(told.checkpoint_every(count(100)), count(7));
    }

    #[test]
    fn the_beginning_and_the_end_are_always_evaluated() {
        let rounds = NonZeroUsize::new(10).unwrap();
        let every = |n| Record { evaluate_every: NonZeroUsize::new(n), ..Record::default() };
        let evaluated = |record: Record| -> Vec<usize> {
            (0..=10).filter(|&round| record.evaluates(round, rounds)).collect()
        };
        assert_eq!(evaluated(every(0)), [0, 10]);
        assert_eq!(evaluated(every(4)), [0, 4, 8, 10]);
        assert_eq!(evaluated(every(1)).len(), 11);
    }
}
