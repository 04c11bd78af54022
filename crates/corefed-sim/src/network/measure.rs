//! What a network is worth to agents, measured in parallel over fixed chunks of their images.

use std::ops::Range;

use corefed_core::linalg::{axpy, norm_l2};
use corefed_nn::{Samples, Sums};
use rayon::prelude::*;

use super::{ImageSamples, NetworkFederation, NetworkWorkspace};
use crate::{DeviceFailure, Evaluation, Part};

/// Images evaluated at a time; fixed, so that bits do not depend on the number of threads.
pub(super) const CHUNK: usize = 64;

/// The same for products with Hessians, which take long for every image: agents with few images keep all cores busy, too.
const SMALL_CHUNK: usize = 32;

/// Chunks whose vectors are held at a time: memory stays that of one group.
const GROUP: usize = 16;

impl NetworkFederation {
    /// Mean loss and accuracy over runs of images; `None` for an empty run.
    pub(super) fn measure(
        &self,
        params: &[f32],
        part: Option<Part>,
        samples: &ImageSamples,
        ranges: &[Range<usize>],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure> {
        if let Some(found) = self.with_device(|device| device.measure(part, params, ranges)) {
            let sums = found?;
            let sums = sums.iter().map(|sums| (sums.loss, sums.correct));
            return Ok(evaluations(sums, ranges));
        }
        let sums = self.over_chunks(CHUNK, samples, ranges, |samples, workspace| {
            self.network.measure(params, samples, workspace)
        });
        let mut found = vec![Sums { loss: 0.0, correct: 0 }; ranges.len()];
        for (range, part) in sums {
            found[range].loss += part.loss;
            found[range].correct += part.correct;
        }
        Ok(evaluations(found.iter().map(|sums| (sums.loss, sums.correct)), ranges))
    }

    /// Loss of every image of an agent, in order.
    pub fn sample_losses(
        &self,
        params: &[f32],
        part: Part,
        agent: usize,
    ) -> Result<Vec<f64>, DeviceFailure> {
        let Some(samples) = self.part(part) else { return Ok(Vec::new()) };
        let own = samples.owned[agent].clone();
        if let Some(found) = self.with_device(|device| device.losses(part, params, own.clone())) {
            return found;
        }
        let own = std::slice::from_ref(&own);
        let chunks = self.over_chunks(CHUNK, samples, own, |samples, workspace| {
            let mut losses = Vec::with_capacity(CHUNK);
            self.network.losses(params, samples, workspace, &mut losses);
            losses
        });
        Ok(chunks.into_iter().flat_map(|(_, losses)| losses).collect())
    }

    /// Every agent's `|grad L_i|`, and `sum_i coefficients_i grad L_i`, over training images, summed
    /// in `f64`.
    pub fn gradients(
        &self,
        params: &[f32],
        coefficients: &[f64],
    ) -> Result<(Vec<f64>, Vec<f64>), DeviceFailure> {
        let mut total = vec![0.0; params.len()];
        let mut lengths = Vec::with_capacity(coefficients.len());
        for (own, coefficient) in self.train.owned.iter().zip(coefficients) {
            let on_device = self.with_device(|device| device.gradient(params, own.clone()));
            let gradient = if let Some(found) = on_device {
                found?
            } else {
                let mean = self.mean_over(CHUNK, own, |samples, workspace, out| {
                    self.network.gradient(params, samples, None, workspace, out)
                });
                mean.1
            };
            lengths.push(norm_l2(&gradient));
            axpy(*coefficient, &gradient, &mut total);
        }
        Ok((lengths, total))
    }

    /// The Hessian of an agent's mean training loss times a direction; `None` for a network with
    /// kinks.
    #[must_use]
    pub fn hessian_product(
        &self,
        params: &[f32],
        agent: usize,
        direction: &[f32],
    ) -> Option<Vec<f64>> {
        if !self.network.is_smooth() {
            return None;
        }
        let (failures, product) =
            self.mean_over(SMALL_CHUNK, &self.train.owned[agent], |samples, workspace, out| {
                let found =
                    self.network.hessian_product(params, samples, direction, workspace, out);
                f64::from(u8::from(found.is_err()))
            });
        (failures == 0.0).then_some(product)
    }

    /// The mean over images of something that is a mean over a chunk, in `f64`.
    fn mean_over(
        &self,
        chunk: usize,
        own: &Range<usize>,
        work: impl Fn(Samples<'_>, &mut corefed_nn::Workspace, &mut [f32]) -> f64 + Sync,
    ) -> (f64, Vec<f64>) {
        let dim = self.network.dim();
        let mut sum = (0.0, vec![0.0; dim]);
        let starts: Vec<usize> = own.clone().step_by(chunk).collect();
        for group in starts.chunks(GROUP) {
            let first = group[0];
            let last = (group[group.len() - 1] + chunk).min(own.end);
            let ranges = std::slice::from_ref(&(first..last)).to_vec();
            let parts = self.over_chunks(chunk, &self.train, &ranges, |samples, workspace| {
                let (count, mut out) = (samples.labels.len(), vec![0.0; dim]);
                (count, work(samples, workspace, &mut out), out)
            });
            for (_, (count, value, vector)) in parts {
                let share = count as f64 / own.len() as f64;
                sum.0 += share * value;
                for (total, part) in sum.1.iter_mut().zip(vector) {
                    *total += share * f64::from(part);
                }
            }
        }
        sum
    }

    /// Does something to every chunk of runs of images; results in order, with the run's index.
    fn over_chunks<R: Send>(
        &self,
        chunk: usize,
        samples: &ImageSamples,
        ranges: &[Range<usize>],
        work: impl Fn(Samples<'_>, &mut corefed_nn::Workspace) -> R + Sync,
    ) -> Vec<(usize, R)> {
        let chunks: Vec<(usize, Range<usize>)> = ranges
            .iter()
            .enumerate()
            .flat_map(|(k, range)| {
                let end = range.end;
                range.clone().step_by(chunk).map(move |at| (k, at..(at + chunk).min(end)))
            })
            .collect();
        let one = |(k, rows): &(usize, Range<usize>)| {
            self.with_workspace(|workspace| {
                let NetworkWorkspace { activations, pixels, .. } = workspace;
                samples.pixels.gather(rows.clone(), pixels);
                let labels = &samples.labels[rows.clone()];
                (*k, work(Samples { pixels, labels }, activations))
            })
        };
        chunks.par_iter().map(one).collect()
    }
}

/// Means from sums; `None` for an empty run.
fn evaluations(
    sums: impl Iterator<Item = (f64, usize)>,
    ranges: &[Range<usize>],
) -> Vec<Option<Evaluation>> {
    let evaluation = |((loss, correct), range): ((f64, usize), &Range<usize>)| {
        let count = range.len() as f64;
        let accuracy = Some(correct as f64 / count);
        (!range.is_empty()).then(|| Evaluation { loss: loss / count, accuracy })
    };
    sums.zip(ranges).map(evaluation).collect()
}
