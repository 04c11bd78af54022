//! Losses and gradients again, one row at a time, from their definitions.

use corefed_core::{Family, Predictor};
use corefed_data::Federation;

use crate::VerifyError;
use crate::sum::{Sum, dot};

/// Encoded rows, read the way a predictor's family reads them.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) predictor: &'a Predictor,
    federation: &'a Federation,
}

/// One row of an agent.
pub(crate) struct Row {
    /// Non-zero entries as `(column, value)`.
    pub(crate) entries: Vec<(usize, f64)>,
    pub(crate) target: f64,
    /// How much it counts, with mean one over the agent.
    pub(crate) weight: f64,
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

    /// Number of rows of an agent.
    pub(crate) fn samples(&self, agent: usize) -> usize {
        self.federation.agents()[agent].samples()
    }

    /// Rows of an agent: non-zero entries as `(column, value)`, the target, and how much the row
    /// counts.
    pub(crate) fn rows(&self, agent: usize) -> impl Iterator<Item = Row> {
        let (design, target) = (self.federation.design(), self.federation.target());
        self.federation.agents()[agent].rows.clone().map(move |row| {
            let dense = design.dense_rows(row..row + 1).iter().copied().enumerate();
            let hot = design.hot_rows(row..row + 1).iter().map(|&column| (column as usize, 1.0));
            let weight = self.federation.row_weights(row..row + 1).first().map_or(1.0, |w| *w);
            Row { entries: dense.chain(hot).collect(), target: target[row], weight }
        })
    }

    /// Mean loss of an agent and its gradient, `(l2 / 2) |theta|^2` included.
    pub(crate) fn loss_and_gradient(&self, agent: usize, params: &[f64]) -> (f64, Vec<f64>) {
        let Predictor { family, l2, encoding, .. } = self.predictor;
        let dim = encoding.features.len();
        let samples = self.samples(agent) as f64;
        let mut total = Sum::default();
        let mut gradient = vec![0.0; params.len()];
        for Row { entries, target, weight } in self.rows(agent) {
            let scores: Vec<f64> = params
                .chunks_exact(dim)
                .map(|block| entries.iter().map(|&(column, x)| x * block[column]).sum())
                .collect();
            let (loss, slopes) = sample_loss(*family, &scores, target);
            total.add(weight * loss);
            for (block, slope) in gradient.chunks_exact_mut(dim).zip(slopes) {
                for &(column, x) in &entries {
                    block[column] += weight * slope * x;
                }
            }
        }
        for (entry, theta) in gradient.iter_mut().zip(params) {
            *entry = *entry / samples + l2 * theta;
        }
        (total.value() / samples + 0.5 * l2 * dot(params, params), gradient)
    }

    /// Losses of all agents.
    pub(crate) fn losses(&self, params: &[f64]) -> Vec<f64> {
        let agents = 0..self.federation.agents().len();
        agents.map(|agent| self.loss_and_gradient(agent, params).0).collect()
    }
}

/// Loss of one sample, and its derivative in each score.
fn sample_loss(family: Family, scores: &[f64], target: f64) -> (f64, Vec<f64>) {
    match family {
        Family::Linear => {
            let error = scores[0] - target;
            (error * error, vec![2.0 * error])
        }
        Family::Logistic => {
            let sign = if target == 1.0 { 1.0 } else { -1.0 };
            let against = -sign * scores[0];
            (log_one_plus_exp(against), vec![-sign / (1.0 + (-against).exp())])
        }
        Family::Softmax => {
            // Shifted by the largest score nothing overflows, and the loss does not change.
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let exps: Vec<f64> = scores.iter().map(|z| (z - largest).exp()).collect();
            let total: f64 = exps.iter().sum();
            let mut slopes: Vec<f64> = exps.iter().map(|e| e / total).collect();
            // `Reading::new` has seen every target.
            let label = class(target, scores.len()).unwrap_or(0);
            slopes[label] -= 1.0;
            ((largest - scores[label]) + total.ln(), slopes)
        }
    }
}

/// `log(1 + exp(t))` without overflow.
pub(crate) fn log_one_plus_exp(t: f64) -> f64 {
    t.max(0.0) + (-t.abs()).exp().ln_1p()
}

fn class(target: f64, classes: usize) -> Option<usize> {
    (0..classes).find(|&k| k as f64 == target)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{federation, predictor};

    #[test]
    fn a_zero_logistic_model_loses_ln_2() {
        let federation = federation(&[(&[1.0, -2.0], 1.0), (&[0.5, 3.0], 0.0)]);
        let predictor = predictor(Family::Logistic, 2, &[0.0, 0.0]);
        let reading = Reading::new(&predictor, &federation).unwrap();
        assert!(reading.losses(&[0.0, 0.0]).iter().all(|l| (l - 2.0_f64.ln()).abs() < 1e-15));
        // Slope -1/2 towards the label: the gradient is -x/2 for label 1.
        assert_eq!(reading.loss_and_gradient(0, &[0.0, 0.0]).1, [-0.5, 1.0]);
    }

    #[test]
    fn a_zero_softmax_model_loses_ln_k() {
        let federation = federation(&[(&[2.0], 0.0), (&[1.0], 2.0)]);
        let predictor = predictor(Family::Softmax, 3, &[0.0; 3]);
        let reading = Reading::new(&predictor, &federation).unwrap();
        assert!(reading.losses(&[0.0; 3]).iter().all(|l| (l - 3.0_f64.ln()).abs() < 1e-15));
        // Slopes (1/3 - 1, 1/3, 1/3) times x = 2.
        let expected = [-4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
        for (g, e) in reading.loss_and_gradient(0, &[0.0; 3]).1.iter().zip(expected) {
            assert!((g - e).abs() < 1e-15, "{g} != {e}");
        }
    }

    #[test]
    fn one_row_of_each_family_is_worked_by_hand() {
        // x = 2, theta = 3, z = 6, l2 = 0.1 adds 0.05 * 9 = 0.45 and 0.3 to the gradient.
        let federation = federation(&[(&[2.0], 1.0), (&[2.0], 0.0)]);
        let mut linear = predictor(Family::Linear, 0, &[3.0]);
        linear.l2 = 0.1;
        let (loss, gradient) =
            Reading::new(&linear, &federation).unwrap().loss_and_gradient(0, &[3.0]);
        // (6 - 1)^2 = 25 with slope 2 * 5 * 2 = 20.
        assert!((loss - 25.45).abs() < 1e-14 && (gradient[0] - 20.3).abs() < 1e-14);
        let logistic = predictor(Family::Logistic, 2, &[3.0]);
        let losses = Reading::new(&logistic, &federation).unwrap().losses(&[3.0]);
        // log(1 + e^-6) for label 1, and 6 more for label 0.
        assert!((losses[0] - 0.002_475_685_137_730_449).abs() < 1e-16);
        assert!((losses[1] - losses[0] - 6.0).abs() < 1e-14);
        let softmax = predictor(Family::Softmax, 2, &[0.0, 3.0]);
        let both = Reading::new(&softmax, &federation).unwrap().losses(&[0.0, 3.0]);
        // Two classes with scores (0, 6) are the logistic model.
        assert!((both[0] - losses[0]).abs() < 1e-15 && (both[1] - losses[1]).abs() < 1e-15);
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let federation = federation(&[(&[0.3, -1.2], 1.0), (&[1.1, 0.4], 0.0)]);
        for (family, classes, blocks) in
            [(Family::Linear, 0, 1_u32), (Family::Logistic, 2, 1), (Family::Softmax, 3, 3)]
        {
            let params: Vec<f64> = (0..2 * blocks).map(|k| 0.4 - 0.3 * f64::from(k)).collect();
            let mut predictor = predictor(family, classes, &params);
            predictor.encoding.features = vec![corefed_core::Feature::Intercept; 2];
            predictor.l2 = 0.2;
            let reading = Reading::new(&predictor, &federation).unwrap();
            let gradient = reading.loss_and_gradient(1, &params).1;
            for k in 0..params.len() {
                let at = |step: f64| {
                    let mut moved = params.clone();
                    moved[k] += step;
                    reading.loss_and_gradient(1, &moved).0
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - gradient[k]).abs() < 1e-8, "{family:?} {k}: {slope}");
            }
        }
    }

    #[test]
    fn unknown_labels_are_refused() {
        for (family, classes, bad) in
            [(Family::Logistic, 2, 2.0), (Family::Softmax, 3, 1.5), (Family::Softmax, 3, f64::NAN)]
        {
            let federation = federation(&[(&[1.0], 0.0), (&[1.0], bad)]);
            let predictor = predictor(family, classes, &[0.0]);
            assert!(Reading::new(&predictor, &federation).is_err(), "{family:?} {bad}");
        }
    }
}
