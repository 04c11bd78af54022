//! Losses and gradients of whole ranges of rows, cut into fixed chunks so that bits do not depend on
//! how many threads share them.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use std::ops::Range;

use corefed_rules::Scalar;
use pulp::NullaryFnOnce;
use rayon::prelude::*;

use super::kernel::{margins, scatter, shift};
use super::layout::Layout;
use super::link::Link;
use super::rows::Rows;

/// Rows whose losses are summed in order by one thread.
const CHUNK: usize = 512;

/// Samples with their targets.
#[derive(Debug)]
pub struct View<'a, R> {
    pub(super) rows: &'a R,
    pub(super) target: &'a [f64],
    pub(super) offsets: &'a [f64],
    pub(super) layout: Layout,
    pub(super) link: Link,
}

/// Summed loss and number of correct predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub(super) loss: f64,
    pub(super) correct: usize,
}

impl<'a, R> View<'a, &R> {
    /// The same of the rows that are borrowed.
    pub(super) fn owned(&self) -> View<'a, R> {
        let View { rows, target, offsets, layout, link } = *self;
        View { rows, target, offsets, layout, link }
    }
}

/// Sums over each of several ranges of rows, by a kernel.
pub(super) fn sums(
    ranges: &[Range<usize>],
    kernel: impl Fn(Range<usize>) -> Sums + Sync,
) -> Vec<Sums> {
    let chunks: Vec<(usize, Range<usize>)> =
        ranges.iter().enumerate().flat_map(|(k, range)| cut(k, range.clone())).collect();
    let sum = |chunk: &(usize, Range<usize>)| (chunk.0, kernel(chunk.1.clone()));
    // A few rows are not worth waking other threads for.
    let parts: Vec<(usize, Sums)> = if chunks.len() > 1 {
        chunks.par_iter().map(sum).collect()
    } else {
        chunks.iter().map(sum).collect()
    };
    let mut sums = vec![Sums::default(); ranges.len()];
    for (k, part) in parts {
        sums[k].loss += part.loss;
        sums[k].correct += part.correct;
    }
    sums
}

/// `sum_i factor_i * gradient of the summed loss of range i`, packed into `len` numbers, by a kernel that adds
/// such a term.
pub(super) fn gradient(
    len: usize,
    parts: &[(f64, Range<usize>)],
    kernel: impl Fn(Range<usize>, f64, &mut [f64]) + Sync,
) -> Vec<f64> {
    // A fixed number of shares, so that neither memory nor bits grow with threads.
    const SHARES: usize = 16;
    let chunks: Vec<(usize, Range<usize>)> =
        parts.iter().enumerate().flat_map(|(k, part)| cut(k, part.1.clone())).collect();
    let share = chunks.len().div_ceil(SHARES).max(1);
    let partial: Vec<Vec<f64>> = chunks
        .par_chunks(share)
        .map(|chunks| {
            let mut out = vec![0.0; len];
            for (k, rows) in chunks {
                kernel(rows.clone(), parts[*k].0, &mut out);
            }
            out
        })
        .collect();
    let mut total = vec![0.0; len];
    for part in partial {
        total.iter_mut().zip(part).for_each(|(t, p)| *t += p);
    }
    total
}

fn cut(index: usize, rows: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let end = rows.end;
    rows.step_by(CHUNK).map(move |first| (index, first..(first + CHUNK).min(end)))
}

/// One chunk of rows.
pub(super) struct Pass<'a, 'b, R, T, const L: usize> {
    pub(super) view: &'b View<'a, R>,
    pub(super) weights: &'b [T],
    pub(super) rows: Range<usize>,
    pub(super) gradient: Option<(f64, &'b mut [f64])>,
}

impl<R: Rows, T: Scalar, const L: usize> NullaryFnOnce for Pass<'_, '_, R, T, L> {
    type Output = Sums;

    #[inline(always)]
    fn call(mut self) -> Sums {
        let View { rows, target, offsets, layout, link } = *self.view;
        let mut sums = Sums::default();
        let mut residuals = vec![0.0; layout.stride];
        for row in self.rows.clone() {
            margins::<R, T, L>(rows, row, self.weights, &mut residuals);
            shift(offsets, row, &mut residuals);
            let found = link.residuals(target[row], &mut residuals);
            sums.loss += found.loss;
            sums.correct += usize::from(found.correct);
            if let Some((factor, out)) = &mut self.gradient {
                for r in &mut residuals {
                    *r *= *factor;
                }
                scatter::<R, f64, L>(rows, row, &residuals, out);
            }
        }
        sums
    }
}
