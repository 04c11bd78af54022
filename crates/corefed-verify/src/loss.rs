//! Losses and gradients again, one row at a time, from their definitions, with proven errors.

use corefed_core::{Family, Predictor};
use corefed_data::Federation;

use crate::VerifyError;
use crate::enclosed::Enclosed;
use crate::functions::{cross_entropy, log_one_plus_exp};
use crate::sum::{Sum, dot};

/// Encoded rows, read the way a predictor's family reads them.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) predictor: &'a Predictor,
    federation: &'a Federation,
}

/// One row of an agent.
pub(crate) struct Row<'a> {
    /// Values of the first columns.
    pub(crate) dense: &'a [f64],
    /// Further columns that are one in this row; all others are zero.
    pub(crate) hot: &'a [u32],
    pub(crate) target: f64,
    /// How much it counts, with mean one over the agent.
    pub(crate) weight: f64,
}

impl Row<'_> {
    /// Its entries as `(column, value)`.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (usize, f64)> {
        let dense = self.dense.iter().copied().enumerate();
        dense.chain(self.hot.iter().map(|&column| (column as usize, 1.0)))
    }

    /// `x · block`, as a sum that can still be added to.
    fn score(&self, block: &[f64]) -> Sum {
        let mut score = Sum::default();
        for (x, parameter) in self.dense.iter().zip(block) {
            score.add_product(*x, *parameter);
        }
        for &column in self.hot {
            score.add(block[column as usize]);
        }
        score
    }
}

impl<'a> Reading<'a> {
    /// Checks that rows and targets are what the predictor expects.
    pub(crate) fn new(
        predictor: &'a Predictor,
        federation: &'a Federation,
    ) -> Result<Self, VerifyError> {
        let (expected, found) = (federation.design().dim(), predictor.encoding.features.len());
        if expected != found {
            let field = "subject.encoding.features".to_owned();
            return Err(VerifyError::Length { field, expected, found });
        }
        let classes = predictor.encoding.classes.len();
        for (row, &value) in federation.target().iter().enumerate() {
            let (known, must) = match predictor.family {
                Family::Linear => (value.is_finite(), "finite"),
                Family::Logistic => (value == 0.0 || value == 1.0, "0 or 1"),
                Family::Softmax => (class(value, classes).is_some(), "the index of a class"),
            };
            if !known {
                return Err(VerifyError::Target { row, value, must });
            }
        }
        Ok(Self { predictor, federation })
    }

    /// Number of agents.
    pub(crate) fn agents(&self) -> usize {
        self.federation.agents().len()
    }

    /// Numbers in all rows, zeros left out.
    pub(crate) fn numbers(&self) -> usize {
        let design = self.federation.design();
        design.rows() * (design.dense_cols() + design.hot_cols())
    }

    /// Number of rows of an agent.
    pub(crate) fn samples(&self, agent: usize) -> Enclosed {
        Enclosed::exact(self.federation.agents()[agent].samples() as f64)
    }

    /// Rows of an agent.
    pub(crate) fn rows(&self, agent: usize) -> impl Iterator<Item = Row<'a>> {
        let (design, target) = (self.federation.design(), self.federation.target());
        let federation = self.federation;
        federation.agents()[agent].rows.clone().map(move |row| Row {
            dense: design.dense_rows(row..row + 1),
            hot: design.hot_rows(row..row + 1),
            target: target[row],
            weight: federation.row_weights(row..row + 1).first().map_or(1.0, |w| *w),
        })
    }

    /// Mean loss of an agent, `(l2 / 2) |theta|^2` included.
    pub(crate) fn loss(&self, agent: usize, params: &[f64]) -> Enclosed {
        self.evaluate(agent, params, None)
    }

    /// Mean loss of an agent and its gradient.
    pub(crate) fn loss_and_gradient(
        &self,
        agent: usize,
        params: &[f64],
    ) -> (Enclosed, Vec<Enclosed>) {
        let mut sums = vec![Sum::default(); params.len()];
        let loss = self.evaluate(agent, params, Some(&mut sums));
        let (samples, l2) = (self.samples(agent), Enclosed::exact(self.predictor.l2));
        let gradient = sums
            .into_iter()
            .zip(params)
            .map(|(sum, &theta)| sum.total().over(samples) + l2 * Enclosed::exact(theta));
        (loss, gradient.collect())
    }

    /// One pass over an agent's rows: the mean loss, and the sum of the rows' gradients where asked.
    fn evaluate(&self, agent: usize, params: &[f64], gradient: Option<&mut [Sum]>) -> Enclosed {
        let dim = self.predictor.encoding.features.len();
        let mut total = Sum::default();
        let mut gradient = gradient;
        for row in self.rows(agent) {
            let scores = params.chunks_exact(dim).map(|block| row.score(block));
            let (loss, slopes) = sample_loss(self.predictor.family, scores, row.target);
            let weight = Enclosed::exact(row.weight);
            total.add_enclosed(weight * loss);
            let Some(gradient) = gradient.as_deref_mut() else { continue };
            for (block, slope) in gradient.chunks_exact_mut(dim).zip(slopes) {
                let slope = weight * slope;
                for (sum, x) in block.iter_mut().zip(row.dense) {
                    sum.add_scaled(slope, *x);
                }
                for &column in row.hot {
                    block[column as usize].add_enclosed(slope);
                }
            }
        }
        let ridge = Enclosed::exact(0.5 * self.predictor.l2) * dot(params, params);
        total.total().over(self.samples(agent)) + ridge
    }
}

/// Loss of one sample, and its derivative in each score.
fn sample_loss(
    family: Family,
    mut scores: impl Iterator<Item = Sum>,
    target: f64,
) -> (Enclosed, Vec<Enclosed>) {
    match family {
        Family::Linear => {
            let mut error = scores.next().unwrap_or_default();
            // Subtracted before rounding: a score and a target may be large and their difference small.
            error.add(-target);
            let error = error.total();
            (error.square(), vec![error + error])
        }
        Family::Logistic => {
            let score = scores.next().unwrap_or_default().total();
            let against = if target == 1.0 { -score } else { score };
            let (loss, slope) = log_one_plus_exp(against);
            (loss, vec![if target == 1.0 { -slope } else { slope }])
        }
        Family::Softmax => {
            let scores: Vec<Enclosed> = scores.map(Sum::total).collect();
            // `Reading::new` has seen every target.
            cross_entropy(&scores, class(target, scores.len()).unwrap_or(0))
        }
    }
}

fn class(target: f64, classes: usize) -> Option<usize> {
    (0..classes).find(|&k| k as f64 == target)
}
