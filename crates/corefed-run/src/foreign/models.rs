//! Models of any kind, by what each row loses with them, audited against each other.

use corefed_core::{
    Assumption, CeilingPolicy, Certificate, Number, Status, Weights, headroom, log_welfare,
    utilities,
};
use corefed_data::UtilityTable;
use corefed_documents::AuditDocument;
use num_rational::BigRational;

use super::constants::Constants;
use super::owned::OwnedRows;
use super::row_loss::{Predicted, RowLoss};
use crate::csv_text::csv_text;
use crate::table::{audit_utilities, float};
use crate::{ForeignError, RunError};

/// What one model says about every row.
#[derive(Clone, Debug, PartialEq)]
pub enum Predictions {
    /// Predictions, means or losses.
    Numbers(Vec<f64>),
    /// Classes by their place; a place beyond the last is a class that no row has.
    Classes(Vec<usize>),
    /// The probability of every class.
    Shares(Vec<Vec<f64>>),
}

/// How predictions become losses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// What a prediction costs.
    pub loss: RowLoss,
    /// Probabilities below this are raised to it, and all are divided by their sum; zero changes nothing.
    pub clip: f64,
}

/// Losses by model and agent.
#[derive(Clone, Debug)]
pub struct ForeignModels {
    /// The agents.
    pub agents: Vec<String>,
    /// The models.
    pub models: Vec<String>,
    /// Mean losses, by model and agent.
    pub losses: Vec<Vec<f64>>,
    /// The loss at which each agent's utility is zero.
    pub ceilings: Vec<f64>,
    samples: Vec<usize>,
    weights: Vec<BigRational>,
    judged: Judged,
    /// How many probabilities were raised.
    clipped: usize,
}

impl ForeignModels {
    /// Judges models on rows; `place` says where a row is, for errors.
    pub fn new(
        rows: &OwnedRows,
        models: Vec<(String, Predictions)>,
        judged: Judged,
        ceiling: &CeilingPolicy,
        weights: Vec<BigRational>,
        place: &dyn Fn(usize) -> String,
    ) -> Result<Self, RunError> {
        if models.len() < 2 {
            return Err(ForeignError::NoRivals { models: models.len() }.into());
        }
        let say = Weights::new(weights.iter().map(float).collect())
            .map_err(|error| ForeignError::Weight { agent: rows.agents[error.agent].clone() })?;
        let constants = Constants { rows, loss: judged.loss, weights: &say };
        let ceilings = ceiling.resolve(&constants)?;
        let (mut names, mut losses, mut clipped) = (Vec::new(), Vec::new(), 0);
        for (name, predictions) in models {
            let (own, raised) = judged.rows(rows, &name, &predictions, place)?;
            losses.push(rows.means(&own));
            names.push(name);
            clipped += raised;
        }
        let (agents, samples) = (rows.agents.clone(), rows.samples());
        Ok(Self { agents, models: names, losses, ceilings, samples, weights, judged, clipped })
    }

    /// The table of utilities that `corefed audit --incumbent` reads.
    pub fn utilities_csv(&self) -> Result<String, RunError> {
        csv_text(|writer| {
            let names = self.agents.iter().map(String::as_str);
            writer.write_record(std::iter::once("model").chain(names))?;
            for (model, losses) in self.models.iter().zip(&self.losses) {
                let own = utilities(&self.ceilings, losses);
                // Shortest digits that read back as the same number.
                let cells = own.iter().map(|utility| format!("{utility:?}"));
                writer.write_record(std::iter::once(model.clone()).chain(cells))?;
            }
            Ok(())
        })
    }

    /// One model against all others, in exact arithmetic on the table of utilities.
    pub fn audit(
        &self,
        incumbent: &str,
        tolerance: f64,
    ) -> Result<(AuditDocument, Certificate), RunError> {
        let table = UtilityTable::parse("the predictions", self.utilities_csv()?.as_bytes())?;
        let row = table.incumbent(incumbent)?;
        let (mut audit, certificate) = audit_utilities(&table, row, &self.weights, tolerance);
        for (k, agent) in audit.agents.iter_mut().enumerate() {
            agent.samples = Some(self.samples[k]);
            agent.ceiling = Some(self.ceilings[k]);
            agent.loss = Some(self.losses[row][k]);
        }
        let (now, weights) = (audit.utilities(), Weights::new(audit.weights()));
        if let Ok(weights) = weights {
            let room = headroom(&now, &self.ceilings, &weights);
            audit.headroom = Some(Number(room.kappa.value()));
            audit.log_welfare = Some(Number(log_welfare(&now, &weights)));
        }
        audit.assumptions.insert(0, self.computed());
        Ok((audit, certificate))
    }

    /// How utilities came about.
    fn computed(&self) -> Assumption {
        let loss = self.judged.loss.title();
        let raised = match self.clipped {
            0 => String::new(),
            count => format!("; {count} probabilities were raised to {}", self.judged.clip),
        };
        Assumption {
            statement: "predictions are those of the models".to_owned(),
            status: Status::Assumed,
            detail: format!("losses are means over the agent's rows of {loss}{raised}"),
        }
    }
}

impl Judged {
    /// The loss of every row, and how many probabilities were raised.
    fn rows(
        self,
        rows: &OwnedRows,
        model: &str,
        predictions: &Predictions,
        place: &dyn Fn(usize) -> String,
    ) -> Result<(Vec<f64>, usize), ForeignError> {
        let count = match predictions {
            Predictions::Numbers(cells) => cells.len(),
            Predictions::Classes(cells) => cells.len(),
            Predictions::Shares(cells) => cells.len(),
        };
        let (model, expected) = (model.to_owned(), rows.owners.len());
        if count != expected {
            return Err(ForeignError::Rows { model, found: count, expected });
        }
        let (mut losses, mut raised) = (Vec::with_capacity(count), 0);
        for row in 0..count {
            let (loss, value) = match predictions {
                Predictions::Numbers(cells) => {
                    let number = Predicted::Number(cells[row]);
                    (rows.targets.loss(row, self.loss, number), format!("{}", cells[row]))
                }
                Predictions::Classes(cells) => {
                    (rows.targets.loss(row, self.loss, Predicted::Class(cells[row])), String::new())
                }
                Predictions::Shares(cells) => {
                    let (shares, own) = self.clipped(&cells[row]);
                    raised += own;
                    let shares = shares.ok_or_else(|| ForeignError::Shares {
                        model: model.clone(),
                        place: place(row),
                        shares: cells[row].clone(),
                    })?;
                    let loss = rows.targets.loss(row, self.loss, Predicted::Shares(&shares));
                    if loss == f64::INFINITY {
                        return Err(ForeignError::Impossible { model, place: place(row) });
                    }
                    // The log of one is zero, and its negative is, too.
                    (loss.abs(), format!("{:?}", cells[row]))
                }
            };
            if !loss.is_finite() {
                let (place, loss, wanted) = (place(row), self.loss.name(), self.loss.wanted());
                return Err(ForeignError::Prediction { model, place, value, loss, wanted });
            }
            losses.push(loss);
        }
        Ok((losses, raised))
    }

    /// Probabilities as they count, if they are some, and how many were raised.
    fn clipped(self, shares: &[f64]) -> (Option<Vec<f64>>, usize) {
        /// What rounding to single precision may leave of a sum.
        const SLACK: f64 = 1e-5;
        let sum: f64 = shares.iter().sum();
        let within = shares.iter().all(|share| (0.0..=1.0 + SLACK).contains(share));
        if !within || (sum - 1.0).abs() > SLACK {
            return (None, 0);
        }
        let raised = shares.iter().filter(|share| **share < self.clip).count();
        if raised == 0 {
            return (Some(shares.to_vec()), 0);
        }
        let lifted: Vec<f64> = shares.iter().map(|share| share.max(self.clip)).collect();
        let sum: f64 = lifted.iter().sum();
        (Some(lifted.into_iter().map(|share| share / sum).collect()), raised)
    }
}

#[cfg(test)]
mod tests;
