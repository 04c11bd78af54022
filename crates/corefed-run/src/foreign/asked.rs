//! What is asked of predictions in a file: which options go together, and what must be said.

use std::path::Path;

use corefed_core::{CeilingPolicy, Writing};
use corefed_spec::Ceiling;

use super::files::PredictionFiles;
use super::models::Judged;
use super::row_loss::RowLoss;
use crate::{ForeignError, RunError};

/// Predictions in a file, and what was said about them.
#[derive(Clone, Copy, Debug)]
pub struct AskedPredictions<'a> {
    /// Rows with owners and targets.
    pub data: &'a Path,
    /// How the data are written, where that is told.
    pub written: Writing,
    /// One column per model, in the order of the data's rows.
    pub predictions: &'a Path,
    /// Column of owners.
    pub agent: Option<&'a str>,
    /// Column of targets.
    pub target: Option<&'a str>,
    /// What a prediction costs.
    pub loss: Option<RowLoss>,
    /// The class that lone columns of probabilities speak of.
    pub positive: Option<&'a str>,
    /// What small probabilities are raised to.
    pub clip: Option<f64>,
    /// Ceilings; half as much again as the best common constant costs unless told.
    pub ceiling: Option<&'a Ceiling>,
}

impl<'a> AskedPredictions<'a> {
    /// The files and what they mean, once nothing is missing or without effect.
    pub fn files(&self) -> Result<(PredictionFiles<'a>, Judged), RunError> {
        let Some(loss) = self.loss else { return missing("@loss") };
        let Some(agent) = self.agent else { return missing("@agent COLUMN") };
        match (self.target, loss == RowLoss::Given) {
            (Some(_), true) => return Err(ForeignError::UnusedTarget.into()),
            (None, false) => return missing("@target COLUMN"),
            _ => {}
        }
        for (setting, given) in
            [("@positive", self.positive.is_some()), ("@clip", self.clip.is_some())]
        {
            if given && loss != RowLoss::Log {
                return Err(ForeignError::OnlyLog { setting, loss: loss.name() }.into());
            }
        }
        let clip = self.clip.unwrap_or(0.0);
        if !(0.0..=0.5).contains(&clip) {
            return Err(ForeignError::Clip { clip }.into());
        }
        let Self { data, written, predictions, target, positive, .. } = *self;
        let files = PredictionFiles { data, written, predictions, agent, target, loss, positive };
        Ok((files, Judged { loss, clip }))
    }

    /// What ceilings are; losses that rows come with do not say what they could be.
    pub fn ceiling(&self, agents: &[String]) -> Result<CeilingPolicy, RunError> {
        let usual = self.loss.and_then(RowLoss::usual_ceiling);
        let Some(ceiling) = self.ceiling.or(usual.as_ref()) else {
            return Err(ForeignError::NoCeiling.into());
        };
        let policy = ceiling.policy(agents.iter().map(String::as_str));
        Ok(policy?)
    }
}

fn missing<T>(setting: &'static str) -> Result<T, RunError> {
    Err(ForeignError::Missing { setting }.into())
}
