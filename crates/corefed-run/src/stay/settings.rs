//! What is asked of `stay`.

use corefed_documents::WhatIfQuestion;
use corefed_evidence::Level;
use corefed_solve::Rule;
use corefed_spec::Spec;

use crate::{HoldOut, StayError};

/// Share of rows that are held out unless told.
pub const HELD_OUT: f64 = 0.3;
/// Independent rows below which nothing is said unless told.
pub const SUPPORT: usize = 30;
/// The part of a loss that may be gained by leaving and still counts as staying, unless told.
pub const MARGIN: f64 = 0.05;

/// Everything besides the spec that the answer depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct StaySettings {
    /// The rule of exact models; trainings have their own.
    pub rule: Rule,
    /// Share of every agent's rows that is held out, in (0, 1).
    pub share: f64,
    /// Which rows these are.
    pub hold_out: HoldOut,
    /// How many splits, at least one.
    pub repeats: usize,
    /// Of intervals and verdicts.
    pub level: Level,
    /// The part of its loss that an agent may gain by leaving and still counts as staying, in [0, 1).
    pub margin: f64,
    /// Fewer independent rows than this say nothing.
    pub support: usize,
    /// Which groups are trained.
    pub which: Which,
    /// Questions about some agents, by name.
    pub questions: Vec<(WhatIfQuestion, Vec<String>)>,
    /// Seconds that training all groups may take, where it is limited.
    pub time_limit: Option<f64>,
}

/// Which groups are trained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Which {
    /// All of few agents; singles, pairs and complements of more.
    #[default]
    Usual,
    /// All of them.
    All,
    /// At least this many more, drawn.
    Sampled(usize),
}

impl Which {
    /// As users ask: all of them, or this many more than usual.
    #[must_use]
    pub fn asked(all: bool, more: Option<usize>) -> Self {
        match more {
            _ if all => Self::All,
            Some(count) => Self::Sampled(count),
            None => Self::Usual,
        }
    }
}

impl Default for StaySettings {
    fn default() -> Self {
        Self {
            rule: Rule::Core,
            share: HELD_OUT,
            hold_out: HoldOut::Rows,
            repeats: 1,
            level: Level::default(),
            margin: MARGIN,
            support: SUPPORT,
            which: Which::Usual,
            questions: Vec::new(),
            time_limit: None,
        }
    }
}

impl StaySettings {
    /// The rule as asked for, which a training has of its own.
    pub fn rule(asked: Option<Rule>, spec: &Spec) -> Result<Rule, StayError> {
        match (asked, &spec.train) {
            (Some(_), Some(train)) => Err(StayError::RuleOfTraining { rule: train.rule.label() }),
            _ => Ok(asked.unwrap_or(Rule::Core)),
        }
    }

    /// The share as asked for, else that which the spec holds out.
    #[must_use]
    pub fn share(asked: Option<f64>, spec: &Spec) -> f64 {
        asked.or(Some(spec.held_out).filter(|share| *share > 0.0)).unwrap_or(HELD_OUT)
    }

    /// How sure intervals and verdicts are.
    pub fn level(asked: f64) -> Result<Level, StayError> {
        Ok(Level::new(asked)?)
    }

    /// Questions about agents, from lists of names that commas separate.
    #[must_use]
    pub fn questions(
        asked: [(WhatIfQuestion, &[String]); 3],
    ) -> Vec<(WhatIfQuestion, Vec<String>)> {
        let names = |text: &String| text.split(',').map(|name| name.trim().to_owned()).collect();
        let each = |(question, lists): (WhatIfQuestion, &[String])| {
            lists.iter().map(|text| (question, names(text))).collect::<Vec<_>>()
        };
        asked.into_iter().flat_map(each).collect()
    }

    /// Refuses what makes no sense.
    pub(crate) fn check(&self) -> Result<(), StayError> {
        if !(self.share > 0.0 && self.share < 1.0) {
            return Err(StayError::Share { share: self.share });
        }
        if !(0.0..1.0).contains(&self.margin) {
            return Err(StayError::Margin { margin: self.margin });
        }
        // A spread needs two, and each half of the rows has one.
        if self.support < 4 {
            return Err(StayError::Support { support: self.support });
        }
        if let Some(seconds) = self.time_limit.filter(|seconds| seconds.is_nan() || *seconds < 0.0)
        {
            return Err(StayError::TimeLimit { seconds });
        }
        if self.repeats == 0 {
            return Err(StayError::NoSplit);
        }
        match &self.hold_out {
            HoldOut::Time(column) if self.repeats > 1 => {
                Err(StayError::RepeatedTime { column: column.clone() })
            }
            _ => Ok(()),
        }
    }

    /// The questions by index; every name must be an agent's, and somebody must be left.
    pub(crate) fn asked(&self, names: &[String]) -> Result<Vec<Vec<usize>>, StayError> {
        let find = |name: &String| {
            let found = names.iter().position(|other| other == name);
            found.ok_or_else(|| StayError::UnknownAgent {
                name: name.clone(),
                present: names.to_vec(),
            })
        };
        let each = |(_, about): &(WhatIfQuestion, Vec<String>)| {
            let mut members = about.iter().map(find).collect::<Result<Vec<usize>, _>>()?;
            members.sort_unstable();
            members.dedup();
            if members.len() == names.len() {
                return Err(StayError::NobodyLeft);
            }
            Ok(members)
        };
        self.questions.iter().map(each).collect()
    }
}
