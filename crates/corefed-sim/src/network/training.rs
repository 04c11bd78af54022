//! Mini-batch descent of a network at one agent.

use corefed_core::{Seed, shuffle};
use corefed_nn::{Network, Samples, Workspace as Activations, sgd_step};

use super::ImageSamples;
use crate::{Drift, Job};

/// Scratch memory of one thread.
pub struct NetworkWorkspace {
    pub(super) activations: Activations,
    pub(super) pixels: Vec<f32>,
    labels: Vec<u8>,
    params: Vec<f32>,
    velocity: Vec<f32>,
    gradient: Vec<f32>,
    drift: Vec<f32>,
}

impl NetworkWorkspace {
    pub(super) fn new(network: &Network, batch: usize) -> Self {
        Self {
            activations: network.workspace(batch),
            pixels: Vec::new(),
            labels: Vec::new(),
            params: Vec::new(),
            velocity: Vec::new(),
            gradient: Vec::new(),
            drift: Vec::new(),
        }
    }
}

/// Which of an agent's rows every step takes: each epoch in an order of its own, the last step of an
/// epoch what is left.
pub(super) fn order(job: &Job<'_, f32>, count: usize) -> Vec<u32> {
    let mut epoch: Vec<u32> = (0_u32..).take(count).collect();
    let mut rng = job.seed.rng();
    let per_epoch = count.div_ceil(job.batch).max(1);
    let mut all = Vec::with_capacity(job.steps.div_ceil(per_epoch) * count);
    for _ in 0..job.steps.div_ceil(per_epoch) {
        shuffle(&mut epoch, &mut rng);
        all.extend_from_slice(&epoch);
    }
    all
}

/// Seed of the masks: step `t` draws with this plus `t`.
pub(super) fn masks(job: &Job<'_, f32>) -> Seed {
    job.seed.derive("dropout")
}

/// Trains from `start` on some images and writes what changed.
pub(super) fn train(
    network: &Network,
    images: &ImageSamples,
    agent: usize,
    job: &Job<'_, f32>,
    start: &[f32],
    workspace: &mut NetworkWorkspace,
    update: &mut [f32],
) {
    let own = images.owned[agent].clone();
    let NetworkWorkspace { activations, pixels, labels, params, velocity, gradient, drift } =
        workspace;
    params.clear();
    params.extend_from_slice(start);
    velocity.clear();
    velocity.resize(if job.momentum > 0.0 { start.len() } else { 0 }, 0.0);
    gradient.resize(start.len(), 0.0);
    drift.clear();
    drift.extend(job.drift.iter().flat_map(Drift::values));
    let order = order(job, own.len());
    let masks = masks(job);
    let [rate, momentum, decay] = [job.learning_rate, job.momentum, job.weight_decay].map(single);
    for (step, rows) in order
        .chunks(own.len())
        .flat_map(|epoch| epoch.chunks(job.batch))
        .take(job.steps)
        .enumerate()
    {
        let chosen = || rows.iter().map(|row| own.start + *row as usize);
        images.pixels.gather(chosen(), pixels);
        labels.clear();
        labels.extend(chosen().map(|row| images.labels[row]));
        let samples = Samples { pixels, labels };
        let mask = masks.0.wrapping_add(step as u64);
        let loss = network.gradient(params, samples, Some(mask), activations, gradient);
        scale(gradient, job.objective.factor(loss));
        for (g, drift) in gradient.iter_mut().zip(drift.iter()) {
            *g += drift;
        }
        sgd_step(params, velocity, gradient, rate, momentum, decay);
    }
    for ((update, now), before) in update.iter_mut().zip(params.iter()).zip(start) {
        *update = now - before;
    }
}

fn scale(gradient: &mut [f32], factor: f64) {
    if factor != 1.0 {
        for g in gradient {
            *g *= single(factor);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "networks are single precision")]
pub(super) fn single(number: f64) -> f32 {
    number as f32
}
