//! Losses and gradients again, one row at a time, from their definitions, with proven errors.

use corefed_core::Predictor;
use corefed_data::Federation;

use crate::enclosed::Enclosed;
use crate::family::sample_loss;
use crate::place::Place;
use crate::sum::Sum;
use crate::{VerifyError, family};

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
    /// For how long, or how many, it was observed.
    pub(crate) exposure: f64,
}

impl Row<'_> {
    /// Its entries as `(column, value)`.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (usize, f64)> {
        let dense = self.dense.iter().copied().enumerate();
        dense.chain(self.hot.iter().map(|&column| (column as usize, 1.0)))
    }

    /// `x · block`, as a sum that can still be added to.
    fn score(&self, block: Place<'_>) -> Sum {
        let mut score = Sum::default();
        for part in block.parts() {
            for (x, parameter) in self.dense.iter().zip(part) {
                score.add_product(*x, *parameter);
            }
            for &column in self.hot {
                score.add(part[column as usize]);
            }
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
            family::check_target(predictor.family, value, classes)
                .map_err(|must| VerifyError::Target { row, value, must })?;
        }
        let present = federation.exposure(0..federation.design().rows());
        if present.is_empty() == predictor.encoding.exposure_column.is_some() {
            let field = "subject.encoding.exposure_column".to_owned();
            return Err(VerifyError::Misplaced {
                field,
                about: "rows without exposures, or vice versa",
            });
        }
        if let Some(row) = present.iter().position(|value| !(*value > 0.0 && value.is_finite())) {
            let must = "an exposure that is positive and finite";
            return Err(VerifyError::Target { row, value: present[row], must });
        }
        Ok(Self { predictor, federation })
    }

    /// Number of agents.
    pub(crate) fn agents(&self) -> usize {
        self.federation.agents().len()
    }

    /// Numbers in all rows, zeros left out.
    pub(crate) fn numbers(&self) -> usize {
        self.federation.design().rows() * self.width()
    }

    /// Numbers in a row, zeros left out.
    pub(crate) fn width(&self) -> usize {
        let design = self.federation.design();
        design.dense_cols() + design.hot_cols()
    }

    /// How many rows an agent has.
    pub(crate) fn count(&self, agent: usize) -> usize {
        self.federation.agents()[agent].samples()
    }

    /// The same as a number to prove with.
    pub(crate) fn samples(&self, agent: usize) -> Enclosed {
        Enclosed::exact(self.count(agent) as f64)
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
            exposure: federation.exposure(row..row + 1).first().map_or(1.0, |e| *e),
        })
    }

    /// Mean loss of an agent, `(l2 / 2) |theta|^2` included.
    pub(crate) fn loss(&self, agent: usize, params: &[f64]) -> Enclosed {
        self.evaluate(agent, Place::from(params), None)
    }

    /// Mean loss of an agent and its gradient, the latter in twice the precision: gradients of several
    /// agents nearly cancel, and what is left is multiplied by the radius.
    pub(crate) fn loss_and_gradient(&self, agent: usize, place: Place<'_>) -> (Enclosed, Vec<Sum>) {
        let mut gradient = vec![Sum::default(); place.len()];
        let loss = self.evaluate(agent, place, Some(&mut gradient));
        let samples = self.samples(agent).value();
        for entry in &mut gradient {
            *entry = entry.over(samples);
        }
        for part in place.parts() {
            for (entry, theta) in gradient.iter_mut().zip(part) {
                entry.add_product(self.predictor.l2, *theta);
            }
        }
        (loss, gradient)
    }

    /// One pass over an agent's rows: the mean loss, and the sum of the rows' gradients where asked.
    fn evaluate(&self, agent: usize, place: Place<'_>, gradient: Option<&mut [Sum]>) -> Enclosed {
        let dim = self.predictor.encoding.features.len();
        let mut total = Sum::default();
        let mut gradient = gradient;
        for row in self.rows(agent) {
            let scores = place.blocks(dim).map(|block| row.score(block));
            let (loss, slopes) =
                sample_loss(self.predictor.family, scores, (row.target, row.exposure));
            total.add_enclosed(Enclosed::exact(row.weight) * loss);
            let Some(gradient) = gradient.as_deref_mut() else { continue };
            for (block, slope) in gradient.chunks_exact_mut(dim).zip(slopes) {
                let slope = slope.times(row.weight);
                for (sum, x) in block.iter_mut().zip(row.dense) {
                    sum.add_multiple(slope, *x);
                }
                for &column in row.hot {
                    block[column as usize].add_multiple(slope, 1.0);
                }
            }
        }
        let ridge = Enclosed::exact(0.5 * self.predictor.l2) * place.square();
        total.total().over(self.samples(agent)) + ridge
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::Exact;
    use corefed_core::{Encoding, Family, Feature};
    use corefed_data::{Agent, Design};
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    /// One agent per row.
    fn federation(rows: &[(&[f64], f64)]) -> Federation {
        let values = rows.iter().flat_map(|(x, _)| x.iter().copied()).collect();
        let design = Design::dense(rows.len(), rows[0].0.len(), values).unwrap();
        let agents = (0..rows.len()).map(|i| Agent { name: format!("agent-{i}"), rows: i..i + 1 });
        Federation::new(design, rows.iter().map(|(_, y)| *y).collect(), agents.collect())
    }

    /// A predictor with radius 2 and without a penalty.
    fn predictor(family: Family, classes: usize, parameters: &[f64]) -> Predictor {
        let columns = parameters.len() / family.blocks(classes).max(1);
        Predictor {
            family,
            l2: 0.0,
            radius: 2.0,
            encoding: Encoding {
                agent_column: "agent".to_owned(),
                target_column: "y".to_owned(),
                exposure_column: None,
                classes: (0..classes).map(|k| k.to_string()).collect(),
                target_scale: None,
                intake: corefed_core::Intake::default(),
                features: vec![Feature::Intercept; columns.max(1)],
            },
            parameters: parameters.to_vec(),
        }
    }

    fn loss_and_gradient(
        reading: &Reading<'_>,
        agent: usize,
        params: &[f64],
    ) -> (Enclosed, Vec<Enclosed>) {
        let (loss, gradient) = reading.loss_and_gradient(agent, Place::from(params));
        (loss, gradient.into_iter().map(Sum::total).collect())
    }

    fn assert_close(found: Enclosed, expected: f64) {
        let off = (found.value() - expected).abs();
        assert!(off <= 4e-16 * expected.abs().max(1e-2), "{found:?} != {expected}");
    }

    #[test]
    fn zero_models_lose_the_log_of_the_number_of_classes() {
        let rows = federation(&[(&[1.0, -2.0], 1.0), (&[0.5, 3.0], 0.0)]);
        let logistic = predictor(Family::Logistic, 2, &[0.0, 0.0]);
        let reading = Reading::new(&logistic, &rows).unwrap();
        let (loss, gradient) = loss_and_gradient(&reading, 0, &[0.0, 0.0]);
        assert_close(loss, 2.0_f64.ln());
        // Slope -1/2 towards the label: the gradient is -x/2 for label 1, and exact.
        assert_eq!(gradient, [-0.5, 1.0].map(Enclosed::exact));
        let rows = federation(&[(&[2.0], 0.0), (&[1.0], 2.0)]);
        let softmax = predictor(Family::Softmax, 3, &[0.0; 3]);
        let reading = Reading::new(&softmax, &rows).unwrap();
        let (loss, gradient) = loss_and_gradient(&reading, 0, &[0.0; 3]);
        assert_close(loss, 3.0_f64.ln());
        // Slopes (1/3 - 1, 1/3, 1/3) times x = 2.
        for (g, e) in gradient.into_iter().zip([-4.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]) {
            assert_close(g, e);
        }
    }

    #[test]
    fn one_row_of_each_family_is_worked_by_hand() {
        // x = 2, theta = 3, z = 6, l2 = 0.1 adds 0.05 * 9 = 0.45 and 0.3 to the gradient.
        let rows = federation(&[(&[2.0], 1.0), (&[2.0], 0.0)]);
        let mut linear = predictor(Family::Linear, 0, &[3.0]);
        linear.l2 = 0.1;
        let reading = Reading::new(&linear, &rows).unwrap();
        let (loss, gradient) = loss_and_gradient(&reading, 0, &[3.0]);
        // (6 - 1)^2 = 25 with slope 2 * 5 * 2 = 20.
        assert_close(loss, 25.45);
        assert_close(gradient[0], 20.3);
        let logistic = predictor(Family::Logistic, 2, &[3.0]);
        let reading = Reading::new(&logistic, &rows).unwrap();
        // log(1 + e^-6) for label 1, and 6 more for label 0.
        assert_close(reading.loss(0, &[3.0]), 0.002_475_685_137_730_449);
        assert_close(reading.loss(1, &[3.0]), 6.002_475_685_137_73);
        let softmax = predictor(Family::Softmax, 2, &[0.0, 3.0]);
        let both = Reading::new(&softmax, &rows).unwrap();
        // Two classes with scores (0, 6) are the logistic model.
        assert_close(both.loss(0, &[0.0, 3.0]), 0.002_475_685_137_730_449);
        assert_close(both.loss(1, &[0.0, 3.0]), 6.002_475_685_137_73);
    }

    #[test]
    fn gradients_agree_with_central_differences() {
        let rows = federation(&[(&[0.3, -1.2], 1.0), (&[1.1, 0.4], 0.0)]);
        for (family, classes, blocks) in
            [(Family::Linear, 0, 1_u32), (Family::Logistic, 2, 1), (Family::Softmax, 3, 3)]
        {
            let params: Vec<f64> = (0..2 * blocks).map(|k| 0.4 - 0.3 * f64::from(k)).collect();
            let mut predictor = predictor(family, classes, &params);
            predictor.l2 = 0.2;
            let reading = Reading::new(&predictor, &rows).unwrap();
            let gradient = loss_and_gradient(&reading, 1, &params).1;
            for k in 0..params.len() {
                let at = |step: f64| {
                    let mut moved = params.clone();
                    moved[k] += step;
                    reading.loss(1, &moved).value()
                };
                let slope = (at(1e-5) - at(-1e-5)) / 2e-5;
                assert!((slope - gradient[k].value()).abs() < 1e-8, "{family:?} {k}: {slope}");
            }
        }
    }

    #[test]
    fn unknown_labels_are_refused() {
        for (family, classes, bad) in
            [(Family::Logistic, 2, 2.0), (Family::Softmax, 3, 1.5), (Family::Softmax, 3, f64::NAN)]
        {
            let rows = federation(&[(&[1.0], 0.0), (&[1.0], bad)]);
            let predictor = predictor(family, classes, &[0.0]);
            assert!(Reading::new(&predictor, &rows).is_err(), "{family:?} {bad}");
        }
    }

    struct Draws(ChaCha8Rng);

    impl Draws {
        fn new() -> Self {
            Self(ChaCha8Rng::seed_from_u64(7))
        }

        fn below(&mut self, count: i32) -> i32 {
            i32::try_from(self.0.next_u32() >> 1).unwrap() % count
        }

        fn unit(&mut self) -> f64 {
            (self.0.next_u64() >> 11) as f64 * f64::EPSILON / 2.0
        }
    }

    /// Numbers of every kind: ordinary, huge, tiny, small integers, zero.
    fn nasty(draws: &mut Draws) -> f64 {
        let sign = if draws.below(2) == 0 { 1.0 } else { -1.0 };
        let mantissa = 1.0 + draws.unit();
        sign * match draws.below(6) {
            0 => mantissa * 2.0_f64.powi(draws.below(120) - 60),
            1 => mantissa * 2.0_f64.powi(draws.below(30) + 90),
            2 => mantissa * 2.0_f64.powi(draws.below(30) - 120),
            3 => f64::from(draws.below(9)),
            _ => mantissa,
        }
    }

    /// A row and parameters; often the products nearly cancel the target, or each other.
    fn nasty_row(draws: &mut Draws) -> (Vec<f64>, Vec<f64>, f64) {
        let terms = 1 + draws.below(6);
        let x: Vec<f64> = (0..terms).map(|_| nasty(draws)).collect();
        let mut theta: Vec<f64> = (0..terms).map(|_| nasty(draws)).collect();
        let plain = |theta: &[f64]| x.iter().zip(theta).map(|(x, t)| x * t).sum::<f64>();
        let target = if draws.below(2) == 0 { plain(&theta) } else { nasty(draws) };
        if draws.below(3) == 0 && x[0] != 0.0 {
            theta[0] -= plain(&theta) / x[0];
        }
        let fits = |value: &f64| *value == 0.0 || (1e-45..1e45).contains(&value.abs());
        if fits(&target) && theta.iter().all(fits) { (x, theta, target) } else { nasty_row(draws) }
    }

    fn exact_score(x: &[f64], theta: &[f64]) -> Exact {
        let terms = x.iter().zip(theta).map(|(x, t)| Exact::of(*x).times(&Exact::of(*t)));
        terms.fold(Exact::zero(), |sum, term| sum.plus(&term))
    }

    fn assert_encloses(found: Enclosed, exact: &Exact, resolution: f64, row: &str) {
        if found.error().is_infinite() {
            return;
        }
        let off = Exact::of(found.value()).minus(exact).abs();
        let allowed = Exact::of(found.error()).plus(&Exact::of(resolution));
        assert!(off <= allowed, "{found:?} does not contain {exact:?} of {row}");
    }

    #[test]
    fn squared_errors_of_a_million_nasty_rows_are_enclosed() {
        let mut draws = Draws::new();
        for _ in 0..1_000_000 {
            let (x, theta, target) = nasty_row(&mut draws);
            let row = Row { dense: &x, hot: &[], target, weight: 1.0, exposure: 1.0 };
            let scores = [row.score(Place::from(theta.as_slice()))].into_iter();
            let (loss, slopes) = sample_loss(Family::Linear, scores, (target, 1.0));
            let error = exact_score(&x, &theta).minus(&Exact::of(target));
            let shown = || format!("{x:?} {theta:?} {target}");
            let slope = slopes[0].total();
            assert_encloses(slope, &error.plus(&error), 0.0, &shown());
            // Tight, too: a few roundings of the exact value and of a squared rounding of what cancels.
            let terms = x.iter().zip(&theta).map(|(x, t)| (x * t).abs()).sum::<f64>();
            let size = 1e-15 * slope.value().abs() + 1e-30 * (terms + target.abs());
            assert!(slope.error() <= size, "{slope:?} of {}", shown());
            assert_encloses(loss, &error.times(&error), 0.0, &shown());
        }
    }

    #[test]
    fn logistic_losses_of_nasty_rows_are_enclosed() {
        let mut draws = Draws::new();
        for _ in 0..60_000 {
            let (x, theta, _) = nasty_row(&mut draws);
            let row = Row { dense: &x, hot: &[], target: 0.0, weight: 1.0, exposure: 1.0 };
            let (loss, _) = sample_loss(
                Family::Logistic,
                [row.score(Place::from(theta.as_slice()))].into_iter(),
                (0.0, 1.0),
            );
            let exact = Exact::log_sum_exp(&[exact_score(&x, &theta)]);
            assert_encloses(loss, &exact, 1e-90, &format!("{x:?} {theta:?}"));
        }
    }

    #[test]
    fn cross_entropies_of_nasty_rows_are_enclosed() {
        let mut draws = Draws::new();
        for _ in 0..30_000 {
            let (x, theta, _) = nasty_row(&mut draws);
            let other: Vec<f64> = theta.iter().map(|t| t * draws.unit()).collect();
            let blocks = [theta.as_slice(), other.as_slice(), &vec![0.0; x.len()]];
            let row = Row { dense: &x, hot: &[], target: 2.0, weight: 1.0, exposure: 1.0 };
            let scores = blocks.map(|block| row.score(Place::from(block))).into_iter();
            let (loss, slopes) = sample_loss(Family::Softmax, scores, (2.0, 1.0));
            // The label's score is zero: the loss is the log of the sum of exponentials.
            let scores = [exact_score(&x, &theta), exact_score(&x, &other)];
            let exact = Exact::log_sum_exp(&scores);
            assert_encloses(loss, &exact, 1e-90, &format!("{x:?} {theta:?} {other:?}"));
            let total = slopes.iter().fold(Enclosed::ZERO, |sum, slope| sum + slope.total());
            assert!(total.lo() <= 0.0 && total.hi() >= 0.0, "slopes sum to zero");
        }
    }
}
