//! Mini-batch descent of a linear model at one agent.
//!
//! A step first computes the residuals of its rows and then adds them, weighted by the rows, straight
//! to where they belong: to the parameters themselves, or to the velocity when there is momentum. There is no
//! gradient vector to fill and to clear, which for sparse rows would cost more than the rows.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use corefed_core::shuffle;
use corefed_rules::{LocalObjective, Scalar};
use pulp::NullaryFnOnce;

use super::aligned::Aligned;
use super::kernel::{margins, scatter, shift};
use super::layout::Layout;
use super::link::Link;
use super::rows::Rows;
use crate::Job;

/// Scratch memory of one thread.
#[derive(Debug)]
pub struct Workspace<T> {
    weights: Aligned<T>,
    velocity: Aligned<T>,
    residuals: Vec<f64>,
    order: Vec<u32>,
}

/// Everything one agent's training reads.
#[derive(Debug)]
pub struct Lesson<'a, R, T> {
    pub(super) rows: &'a R,
    pub(super) target: &'a [f64],
    pub(super) offsets: &'a [f64],
    /// The agent's rows.
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) layout: Layout,
    pub(super) link: Link,
    pub(super) l2: f64,
    pub(super) job: &'a Job<'a, T>,
    /// What is added to every gradient, packed; empty where nothing is.
    pub(super) drift: &'a [T],
}

impl<'a, R, T> Lesson<'a, &R, T> {
    /// The same of the rows that are borrowed.
    pub(super) fn owned(&self) -> Lesson<'a, R, T> {
        let Lesson { rows, target, offsets, first, count, layout, link, l2, job, drift } = *self;
        Lesson { rows, target, offsets, first, count, layout, link, l2, job, drift }
    }
}

/// Trains from `start` and writes what changed.
pub(super) struct Training<'a, 'b, R, T, const L: usize> {
    pub(super) lesson: &'b Lesson<'a, R, T>,
    pub(super) start: &'b [T],
    pub(super) workspace: &'b mut Workspace<T>,
    /// What changed, class after class.
    pub(super) update: &'b mut [T],
}

impl<R: Rows, T: Scalar, const L: usize> NullaryFnOnce for Training<'_, '_, R, T, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { lesson, start, workspace, update } = self;
        let Workspace { weights, velocity, residuals, order } = workspace;
        let weights = weights.resize(start.len());
        weights.copy_from_slice(start);
        let velocity = velocity.resize(if lesson.job.momentum > 0.0 { start.len() } else { 0 });
        velocity.fill(T::ZERO);
        order.clear();
        order.extend((0_u32..).take(lesson.count));
        let mut rng = lesson.job.seed.rng();
        let mut next = lesson.count;
        for _ in 0..lesson.job.steps {
            if next >= lesson.count {
                shuffle(order, &mut rng);
                next = 0;
            }
            let end = (next + lesson.job.batch).min(lesson.count);
            step::<R, T, L>(lesson, &order[next..end], weights, velocity, residuals);
            next = end;
        }
        lesson.layout.unpack_difference(weights, start, update);
    }
}

impl<T> Default for Workspace<T> {
    fn default() -> Self {
        let (weights, velocity) = (Aligned::default(), Aligned::default());
        Self { weights, velocity, residuals: Vec::new(), order: Vec::new() }
    }
}

#[inline(always)]
fn step<R: Rows, T: Scalar, const L: usize>(
    lesson: &Lesson<'_, R, T>,
    batch: &[u32],
    weights: &mut [T],
    velocity: &mut [T],
    residuals: &mut Vec<f64>,
) {
    let Lesson { rows, target, offsets, first, layout, link, l2, job, drift, .. } = *lesson;
    residuals.clear();
    residuals.resize(batch.len() * layout.stride, 0.0);
    let mut loss = 0.0;
    for (&k, residuals) in batch.iter().zip(residuals.chunks_exact_mut(layout.stride)) {
        let row = first + k as usize;
        margins::<R, T, L>(rows, row, weights, residuals);
        shift(offsets, row, residuals);
        loss += link.residuals(target[row], residuals).loss;
    }
    let count = batch.len() as f64;
    let slope = match job.objective {
        LocalObjective::Loss => 1.0,
        objective @ LocalObjective::LogUtility(_) => {
            let square = |w: &T| w.to_f64() * w.to_f64();
            let squares: f64 = if l2 > 0.0 { weights.iter().map(square).sum() } else { 0.0 };
            objective.factor(loss / count + 0.5 * l2 * squares)
        }
    };
    let decay = slope * l2 + job.weight_decay;
    if job.momentum > 0.0 {
        let (momentum, decay) = (T::from_f64(job.momentum), T::from_f64(decay));
        for (v, w) in velocity.iter_mut().zip(&*weights) {
            *v = momentum * *v + decay * *w;
        }
        for (v, drift) in velocity.iter_mut().zip(drift) {
            *v = *v + *drift;
        }
        spread::<R, T, L>(lesson, batch, slope / count, residuals, velocity);
        let step = T::from_f64(-job.learning_rate);
        for (w, v) in weights.iter_mut().zip(&*velocity) {
            *w = *w + step * *v;
        }
    } else {
        if decay > 0.0 {
            let keep = T::from_f64(1.0 - job.learning_rate * decay);
            for w in weights.iter_mut() {
                *w = keep * *w;
            }
        }
        let step = T::from_f64(-job.learning_rate);
        for (w, drift) in weights.iter_mut().zip(drift) {
            *w = *w + step * *drift;
        }
        spread::<R, T, L>(lesson, batch, -job.learning_rate * slope / count, residuals, weights);
    }
}

/// Adds `factor` times the gradient of the batch's summed loss to `out`.
#[inline(always)]
fn spread<R: Rows, T: Scalar, const L: usize>(
    lesson: &Lesson<'_, R, T>,
    batch: &[u32],
    factor: f64,
    residuals: &mut [f64],
    out: &mut [T],
) {
    for r in residuals.iter_mut() {
        *r *= factor;
    }
    for (&k, residuals) in batch.iter().zip(residuals.chunks_exact(lesson.layout.stride)) {
        scatter::<R, T, L>(lesson.rows, lesson.first + k as usize, residuals, out);
    }
}
