//! Compares the engine with the one on the CPU, and with the definitions where there are kinks.
//!
//! Rounding may move a number across a kink of ReLU or of a maximum, and then the gradient of an image jumps, on either engine.
//! Gradients of images that are clear of kinks get no more room than smooth networks do. Steps pass kinks on their way:
//! what they change gets room if there are any near by, and how many is said.

use std::error::Error;
use std::ops::Range;
use std::slice::from_ref;
use std::thread;
use std::time::Instant;

use corefed_core::Seed;
use corefed_cuda::{Device, Engine, Objective, Pixels, Precision, Task};
use corefed_nn::{Init, Network, PRESETS, Samples, oracle, sgd_step};

use crate::Outcome;
use crate::kinks::{REACH, Row, rows};
use crate::work::{SCALE, SHIFT, SMALL, network, noise, upload};

const ROWS: usize = 23;

/// Relative distance that single precision alone explains.
const STRICT: f64 = 2e-5;

pub(crate) fn check(device: &Device, names: &[&str], precisions: &[Precision]) -> Outcome {
    let smooth: Vec<String> = PRESETS.iter().map(|name| format!("{name}-smooth")).collect();
    let small = SMALL.iter().map(|(name, _)| *name);
    let all: Vec<&str> = small
        .chain(PRESETS)
        .chain(smooth.iter().map(String::as_str))
        .chain(["cnn@28x28x1"])
        .collect();
    let mut failed = 0;
    for name in if names.is_empty() { &all } else { names } {
        let case = Case::new(name)?;
        for &precision in precisions {
            failed += usize::from(!case.compare(device, name, precision)?);
        }
    }
    if failed > 0 { Err(format!("{failed} checks failed").into()) } else { Ok(()) }
}

/// A network, its images, and what the CPU engine makes of them.
pub(crate) struct Case {
    pub(crate) network: Network,
    pub(crate) bytes: Vec<u8>,
    pixels: Vec<f32>,
    pub(crate) labels: Vec<u8>,
    pub(crate) start: Vec<f32>,
    orders: Vec<Vec<u32>>,
    drift: [Vec<f32>; 2],
    wanted: Vec<Vec<f32>>,
    /// Near by on the way of all agents.
    kinks: usize,
    gradient: Vec<f32>,
    loss: f64,
    correct: usize,
    seconds: f64,
}

/// Agents that differ in everything: batches that leave rests, one to six steps, and one whose gradients are
/// corrected.
fn tasks<'a>(orders: &'a [Vec<u32>], drift: &'a [Vec<f32>; 2]) -> Vec<Task<'a>> {
    let [common, own] = drift;
    let task = |agent: usize, batch: usize, steps: usize, objective: Objective| Task {
        order: &orders[agent],
        epoch_rows: ROWS - agent,
        batch,
        steps,
        learning_rate: 0.02,
        momentum: 0.4 * agent as f32,
        weight_decay: 0.01,
        objective,
        dropout_seed: 3 + agent as u64,
        drift: (agent == 2).then_some((common.as_slice(), own.as_slice())),
    };
    let utility = Objective::LogUtility { ceiling: 4.0, floor: 0.2 };
    vec![task(0, 10, 1, Objective::Loss), task(1, 7, 6, utility), task(2, 10, 3, Objective::Loss)]
}

impl Case {
    pub(crate) fn new(name: &str) -> Result<Self, Box<dyn Error>> {
        let began = Instant::now();
        let network = network(name)?;
        let (bytes, labels) = noise(&network, ROWS);
        let pixels: Vec<f32> = bytes.iter().map(|byte| f32::from(*byte) * SCALE + SHIFT).collect();
        let start = network.initial(Seed(2), Init::Kaiming);
        let shuffled = |agent: u32| {
            let rows = u32::try_from(ROWS).unwrap_or(u32::MAX) - agent;
            (0..3 * rows).map(|at| (at * 5 + agent + at / rows) % rows).collect()
        };
        let orders: Vec<Vec<u32>> = (0..3).map(shuffled).collect();
        let numbers = |turn: usize| -> Vec<f32> {
            (0..start.len()).map(|at| (at * turn % 17) as f32 / 1000.0 - 0.008).collect()
        };
        let drift = [numbers(5), numbers(11)];
        let (wanted, kinks): (Vec<Vec<f32>>, Vec<usize>) = thread::scope(|scope| {
            let train = |task| {
                let inputs = (&network, &pixels[..], &labels[..], &start[..]);
                scope.spawn(move || trained(inputs.0, inputs.1, inputs.2, inputs.3, &task))
            };
            let begun: Vec<_> = tasks(&orders, &drift).into_iter().map(train).collect();
            let ended =
                begun.into_iter().map(|agent| agent.join().map_err(|_| "an agent panicked"));
            ended.collect::<Result<Vec<_>, _>>()
        })?
        .into_iter()
        .unzip();
        let kinks = kinks.iter().sum();
        let mut workspace = network.workspace(ROWS);
        let mut gradient = vec![0.0; network.dim()];
        let samples = Samples { pixels: &pixels, labels: &labels };
        let loss = network.gradient(&start, samples, None, &mut workspace, &mut gradient);
        let correct = network.measure(&start, samples, &mut workspace).correct;
        let seconds = began.elapsed().as_secs_f64();
        Ok(Self {
            network,
            bytes,
            pixels,
            labels,
            start,
            orders,
            drift,
            wanted,
            kinks,
            gradient,
            loss,
            correct,
            seconds,
        })
    }

    /// Some of the images.
    pub(crate) fn samples(&self, rows: Range<usize>) -> Samples<'_> {
        let len = self.network.input().len();
        let pixels = &self.pixels[rows.start * len..rows.end * len];
        Samples { pixels, labels: &self.labels[rows] }
    }

    /// Prints how far apart the engines are; whether that is near enough.
    fn compare(
        &self,
        device: &Device,
        name: &str,
        precision: Precision,
    ) -> Result<bool, Box<dyn Error>> {
        let began = Instant::now();
        let mut engine = Engine::new(device, &self.network, precision)?;
        let images = upload(&engine, &self.bytes, &self.labels)?;
        let tasks = tasks(&self.orders, &self.drift);
        let found = self.updates(&mut engine, &images, &tasks)?;
        let again = self.updates(&mut engine, &images, &tasks)?;
        let same = found
            .iter()
            .flatten()
            .map(|x| x.to_bits())
            .eq(again.iter().flatten().map(|x| x.to_bits()));
        let floats = engine.upload(Pixels::Floats(&self.pixels), &self.labels)?;
        let from_floats = self.updates(&mut engine, &floats, &tasks)?;
        let worst = |found: &[Vec<f32>]| {
            let apart =
                found.iter().zip(&self.wanted).map(|(found, wanted)| distance(found, wanted));
            apart.fold(0.0, f64::max)
        };
        let (updates, as_floats) = (worst(&found), worst(&from_floats));

        let weights = [0.5, 0.2, 0.3];
        let mut folded = vec![0.0; self.network.dim()];
        engine.train_folded(&images, &self.start, &tasks, &weights, &mut folded)?;
        let sum: Vec<f32> = (0..folded.len())
            .map(|at| found.iter().zip(weights).map(|(update, weight)| weight * update[at]).sum())
            .collect();
        let folded = distance(&folded, &sum);

        let (loss, gradient) = engine.gradient(&images, &self.start, 0..ROWS)?;
        let gradient = distance(&gradient, &self.gradient);
        let loss = (loss / self.loss - 1.0).abs();
        let sums = engine.measure(&images, &self.start, from_ref(&(0..ROWS)))?;
        let measured = (sums[0].loss / ROWS as f64 / self.loss - 1.0).abs();

        let room = match (precision, self.network.is_smooth()) {
            (Precision::Tf32, true) => 2e-2,
            // Numbers that rounding moves across a kink change the steps that follow.
            (Precision::Tf32, false) => 3e-1,
            // An H200 was 5e-4 and 1.8e-1 away.
            (Precision::Bf16, true) => 3e-2,
            (Precision::Bf16, false) => 6e-1,
            (_, smooth) if smooth || self.kinks == 0 => STRICT,
            (_, _) => 5e-2,
        };
        // Models are judged in single precision, however they are trained.
        let judged = if self.network.is_smooth() || self.kinks == 0 { STRICT } else { 5e-2 };
        let rounds = matches!(precision, Precision::Tf32 | Precision::Bf16);
        let rows = if rounds || self.network.is_smooth() {
            Vec::new()
        } else {
            rows(self, &mut engine, &images)?
        };
        let (clear, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.is_clear());
        let farthest = |rows: &[&Row]| rows.iter().map(|row| row.gpu).fold(0.0, f64::max);
        let near = updates.max(as_floats) < room
            && farthest(&clear) < STRICT
            && farthest(&others) < room
            && gradient < judged / 2.0
            && loss.max(measured) < 1e-5
            && sums[0].correct == self.correct
            && folded < 1e-5;
        println!(
            "{} {name} {precision:?}: updates {updates:.1e} (floats {as_floats:.1e}), gradient {gradient:.1e}, loss {loss:.1e}, \
             measured {measured:.1e}, correct {}/{}, folded {folded:.1e}, same bytes {same}, {:.1} s (CPU {:.1} s){}",
            if near && same { "ok" } else { "WRONG" },
            sums[0].correct,
            self.correct,
            began.elapsed().as_secs_f64(),
            self.seconds,
            if rows.is_empty() {
                String::new()
            } else {
                format!(
                    "; {} kinks within {REACH:.0e} on the way; from the definitions: {:.1e} for {} images clear of kinks, {:.1e} for {} others",
                    self.kinks,
                    farthest(&clear),
                    clear.len(),
                    farthest(&others),
                    others.len()
                )
            }
        );
        Ok(near && same)
    }

    fn updates(
        &self,
        engine: &mut Engine,
        images: &corefed_cuda::Images,
        tasks: &[Task<'_>],
    ) -> Result<Vec<Vec<f32>>, Box<dyn Error>> {
        let mut updates = vec![vec![0.0; self.network.dim()]; tasks.len()];
        let mut slices: Vec<&mut [f32]> = updates.iter_mut().map(Vec::as_mut_slice).collect();
        engine.train(images, &self.start, tasks, &mut slices)?;
        Ok(updates)
    }
}

/// What the CPU engine changes in the same steps, and how many kinks are near by on the way.
fn trained(
    network: &Network,
    pixels: &[f32],
    labels: &[u8],
    start: &[f32],
    task: &Task<'_>,
) -> (Vec<f32>, usize) {
    let len = network.input().len();
    let (mut params, mut kinks) = (start.to_vec(), 0);
    let (mut velocity, mut gradient) = (vec![0.0; params.len()], vec![0.0; params.len()]);
    let mut workspace = network.workspace(task.batch);
    let mut rest = task.order.chunks(task.epoch_rows).flat_map(|epoch| epoch.chunks(task.batch));
    for (step, rows) in rest.by_ref().take(task.steps).enumerate() {
        let rows: Vec<usize> = rows.iter().map(|row| *row as usize).collect();
        let pixels: Vec<f32> =
            rows.iter().flat_map(|row| &pixels[row * len..(row + 1) * len]).copied().collect();
        let labels: Vec<u8> = rows.iter().map(|row| labels[*row]).collect();
        let samples = Samples { pixels: &pixels, labels: &labels };
        let seed = Some(task.dropout_seed + step as u64);
        if !network.is_smooth() {
            let near = oracle::kinks_within(network, &params, samples, seed, REACH);
            kinks += near.iter().sum::<usize>();
        }
        let loss = network.gradient(&params, samples, seed, &mut workspace, &mut gradient);
        if let Objective::LogUtility { ceiling, floor } = task.objective {
            #[expect(clippy::cast_possible_truncation, reason = "gradients are `f32`")]
            let scale = 1.0 / (f64::from(ceiling) - loss).max(f64::from(floor)) as f32;
            for slope in &mut gradient {
                *slope *= scale;
            }
        }
        if let Some((common, own)) = task.drift {
            for ((slope, common), own) in gradient.iter_mut().zip(common).zip(own) {
                *slope += common - own;
            }
        }
        let (rate, momentum, decay) = (task.learning_rate, task.momentum, task.weight_decay);
        sgd_step(&mut params, &mut velocity, &gradient, rate, momentum, decay);
    }
    (params.iter().zip(start).map(|(now, before)| now - before).collect(), kinks)
}

/// Relative, and infinite where something is not a number.
pub(crate) fn distance(found: &[f32], wanted: &[f32]) -> f64 {
    let square = |x: f32| f64::from(x) * f64::from(x);
    let error: f64 = found.iter().zip(wanted).map(|(found, wanted)| square(found - wanted)).sum();
    let size: f64 = wanted.iter().map(|wanted| square(*wanted)).sum();
    let apart = (error / size).sqrt();
    if apart.is_nan() { f64::INFINITY } else { apart }
}
