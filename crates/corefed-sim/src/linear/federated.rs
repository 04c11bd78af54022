//! What a linear predictor's agents do in a round: evaluate, train, and give a gradient that certifies.

use std::ops::Range;

use corefed_core::Seed;
use corefed_core::linalg::axpy;
use corefed_rules::{Scalar, norm_sqr};

use super::aligned::Aligned;
use super::compiled::Kernels;
use super::measure::{Sums, gradient, sums};
use super::train::{Lesson, Workspace};
use super::{LinearFederation, Packed, Samples};
use crate::{DeviceFailure, Evaluation, Federated, Job, Part};

impl<R: Kernels<T>, T: Scalar> LinearFederation<R, T> {
    /// Loss of every row of an agent, without ridge, and whether the prediction is right; never, where
    /// targets are not classes.
    #[must_use]
    pub fn row_losses(&self, params: &[T], part: Part, agent: usize) -> Vec<(f64, bool)> {
        let Some(samples) = self.part(part) else { return Vec::new() };
        let (weights, view) = (self.layout.pack(params), self.view(samples));
        let one = |row: usize| R::sum(&view, weights.as_slice(), row..row + 1);
        let each = samples.owned[agent].clone().map(one);
        each.map(|sums| (sums.loss, sums.correct == 1)).collect()
    }

    fn evaluation(&self, sums: Sums, rows: usize, ridge: f64) -> Option<Evaluation> {
        let count = rows as f64;
        let is_class = self.link.family.targets().is_class();
        let accuracy = is_class.then(|| sums.correct as f64 / count);
        (rows > 0).then(|| Evaluation { loss: sums.loss / count + ridge, accuracy })
    }

    /// Sums over each of several ranges of rows.
    fn sums(&self, samples: &Samples<R>, model: &Packed<T>, ranges: &[Range<usize>]) -> Vec<Sums> {
        let view = self.view(samples);
        sums(ranges, |rows| R::sum(&view, model.weights.as_slice(), rows))
    }
}

impl<R: Kernels<T>, T: Scalar> Federated for LinearFederation<R, T> {
    type Scalar = T;
    type Model = Packed<T>;
    type Workspace = Workspace<T>;

    fn dim(&self) -> usize {
        self.layout.dim * self.layout.blocks
    }

    fn agents(&self) -> usize {
        self.train.owned.len()
    }

    fn samples(&self, part: Part, agent: usize) -> usize {
        self.part(part).map_or(0, |samples| samples.owned[agent].len())
    }

    fn initial(&self, _: Seed) -> Vec<T> {
        vec![T::ZERO; self.dim()]
    }

    fn prepare(&self, params: &[T]) -> Packed<T> {
        let ridge = 0.5 * self.l2 * norm_sqr(params);
        Packed { weights: self.layout.pack(params), ridge }
    }

    fn workspace(&self) -> Workspace<T> {
        Workspace::default()
    }

    fn evaluate(
        &self,
        model: &Packed<T>,
        part: Part,
        agents: &[usize],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure> {
        let Some(samples) = self.part(part) else { return Ok(vec![None; agents.len()]) };
        let ranges: Vec<Range<usize>> =
            agents.iter().map(|&agent| samples.owned[agent].clone()).collect();
        let sums = self.sums(samples, model, &ranges);
        let evaluation =
            |(sums, range): (Sums, &Range<usize>)| self.evaluation(sums, range.len(), model.ridge);
        Ok(sums.into_iter().zip(&ranges).map(evaluation).collect())
    }

    fn test(&self, model: &Packed<T>) -> Result<Option<Evaluation>, DeviceFailure> {
        let Some(samples) = &self.test else { return Ok(None) };
        let all = 0..samples.target.len();
        let sums = self.sums(samples, model, std::slice::from_ref(&all));
        Ok(self.evaluation(sums[0], all.len(), model.ridge))
    }

    fn train(
        &self,
        model: &Packed<T>,
        agent: usize,
        job: &Job<'_, T>,
        workspace: &mut Workspace<T>,
        update: &mut [T],
    ) {
        let own = self.train.owned[agent].clone();
        let drift = job.drift.map(|drift| self.layout.pack(&drift.values().collect::<Vec<_>>()));
        let lesson = &Lesson {
            rows: &self.train.rows,
            target: &self.train.target,
            offsets: &self.train.offsets,
            first: own.start,
            count: own.len(),
            layout: self.layout,
            link: self.link,
            l2: self.l2,
            job,
            drift: drift.as_ref().map_or(&[], Aligned::as_slice),
        };
        R::train(lesson, model.weights.as_slice(), workspace, update);
    }

    fn exact_losses(&self, model: &Packed<T>) -> Option<Vec<f64>> {
        let (weights, view) = (exact(&model.weights), self.view(&self.train));
        let sums = sums(&self.train.owned, |rows| R::exact_sum(&view, &weights, rows, None));
        let mean = |(sums, range): (Sums, &Range<usize>)| sums.loss / range.len() as f64;
        let losses = sums.into_iter().zip(&self.train.owned).map(mean);
        Some(losses.map(|loss| loss + model.ridge).collect())
    }

    fn convex_gradient(&self, model: &Packed<T>, coefficients: &[f64]) -> Option<Vec<f64>> {
        let parts: Vec<(f64, Range<usize>)> = coefficients
            .iter()
            .zip(&self.train.owned)
            .map(|(c, range)| (c / range.len() as f64, range.clone()))
            .collect();
        let (weights, view) = (exact(&model.weights), self.view(&self.train));
        let mut packed = gradient(self.layout.len(), &parts, |rows, factor, out| {
            R::exact_sum(&view, &weights, rows, Some((factor, out)));
        });
        // The ridge: sum_i c_i l2 theta.
        axpy(self.l2 * coefficients.iter().sum::<f64>(), &weights, &mut packed);
        let mut gradient = vec![0.0; self.dim()];
        self.layout.unpack_difference(&packed, &vec![0.0; packed.len()], &mut gradient);
        Some(gradient)
    }
}

fn exact<T: Scalar>(weights: &Aligned<T>) -> Vec<f64> {
    weights.as_slice().iter().map(|w| w.to_f64()).collect()
}
