//! A batch through all operations and back.

use pulp::Arch;

use super::aligned::Aligned;
use super::layout::Layout;
use super::loss;
use super::operation::{Operation, operations};
use super::passed::Passed;
use super::pointwise::Masks;
use crate::{Loss, Network, Samples};

/// Everything one thread needs for a network and batches of some size.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    arch: Arch,
    pub(crate) batch: usize,
    loss: Loss,
    operations: Vec<Operation>,
    /// The images, then what every operation makes of them.
    values: Vec<Aligned>,
    /// The error on its way back, and where the next one goes.
    errors: [Aligned; 2],
    powers: Vec<f64>,
}

impl Engine {
    pub(crate) fn new(network: &Network, arch: Arch, batch: usize) -> Self {
        let batch = batch.max(1);
        let operations = operations(network, arch, batch);
        let mut layouts: Vec<Layout> = operations.iter().map(|operation| operation.input).collect();
        layouts.extend(operations.last().map(|last| last.output));
        let room = |layout: &Layout| Aligned::new(batch * layout.image);
        let plain = layouts.iter().map(|layout| Layout::new(layout.shape, 0).image);
        let most = batch * plain.max().unwrap_or_default();
        Self {
            arch,
            batch,
            loss: network.loss(),
            values: layouts.iter().map(room).collect(),
            errors: [Aligned::new(most), Aligned::new(most)],
            powers: vec![0.0; network.classes()],
            operations,
        }
    }

    /// The sum of losses of a batch. Adds the gradient of `factor` times that sum to `gradient`, or overwrites it.
    pub(crate) fn gradient(
        &mut self,
        params: &[f32],
        samples: Samples<'_>,
        masks: Option<Masks>,
        factor: f64,
        (gradient, add): (&mut [f32], bool),
    ) -> f64 {
        let images = samples.labels.len();
        self.forward(params, samples.pixels, images, masks);
        let total = self.last_errors(samples.labels, factor);
        let (mut error, mut other) = {
            let [first, second] = &mut self.errors;
            (first, second)
        };
        for (index, operation) in self.operations.iter_mut().enumerate().rev() {
            let passed =
                Passed { input: &self.values[index], out: &self.values[index + 1], images, masks };
            let before = if index > 0 { Some(&mut other[..]) } else { None };
            let target = (&mut *gradient, add);
            if operation.backward(self.arch, params, passed, (&mut error[..], before), target) {
                std::mem::swap(&mut error, &mut other);
            }
        }
        total
    }

    /// Hands out the logits of every image of a batch.
    pub(crate) fn logits(
        &mut self,
        params: &[f32],
        pixels: &[f32],
        images: usize,
        mut visit: impl FnMut(&[f32], &mut [f64]),
    ) {
        self.forward(params, pixels, images, None);
        let (logits, layout) = last(&self.values, &self.operations);
        for logits in logits.chunks_exact(layout.image).take(images) {
            visit(&logits[..layout.shape.channels], &mut self.powers);
        }
    }

    fn forward(&mut self, params: &[f32], pixels: &[f32], images: usize, masks: Option<Masks>) {
        let Some(first) = self.operations.first().map(|operation| operation.input) else { return };
        let len = first.row_len();
        for (row, at) in pixels.chunks_exact(len).zip(first.rows(images)) {
            self.values[0][at..at + len].copy_from_slice(row);
        }
        for (index, operation) in self.operations.iter_mut().enumerate() {
            let (before, after) = self.values.split_at_mut(index + 1);
            let input = (&before[index][..], images);
            operation.forward(self.arch, params, input, &mut after[0], masks);
        }
    }

    /// Losses of the batch, and the errors of its logits.
    fn last_errors(&mut self, labels: &[u8], factor: f64) -> f64 {
        let (logits, layout) = last(&self.values, &self.operations);
        let classes = layout.shape.channels;
        let rows =
            logits.chunks_exact(layout.image).zip(self.errors[0].chunks_exact_mut(layout.image));
        let mut total = 0.0;
        for ((logits, error), &label) in rows.zip(labels) {
            let (label, error) = (usize::from(label), &mut error[..classes]);
            let logits = &logits[..classes];
            total += loss::with_error(self.loss, logits, label, factor, &mut self.powers, error);
        }
        total
    }
}

/// What the last operation made, and how it lies.
fn last<'a>(values: &'a [Aligned], operations: &[Operation]) -> (&'a [f32], Layout) {
    let last = &operations[operations.len() - 1];
    (&values[operations.len()], last.output)
}
