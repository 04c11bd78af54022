//! Linear layers: few rows, many weights. Weights are read once on each way, in the order in which they lie.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Arch;

use super::aligned::Aligned;
use super::kernel::{
    Loops, Multiply, Outer, Pack, PackTransposed, Row, Run, Segment, Stream, panels, streams,
};
use super::layout::Layout;
use super::passed::{Passed, Slopes};
use super::product::{Block, blocks};

/// Rows of weights that are packed at a time.
const DEPTH: usize = 128;
/// Rows of weights that are multiplied with errors at a time.
const ROWS: usize = 64;

/// A linear layer, perhaps with ReLU after it.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    taken: usize,
    made: usize,
    input: Layout,
    output: Layout,
    relu: bool,
    /// Rows of a batch.
    rows: Vec<Row>,
    /// Rows of the weights, for the way back.
    back: Vec<Row>,
    blocks: Vec<Block>,
    packed: Aligned,
    errors: Aligned,
    turned: Aligned,
}

impl Linear {
    pub(crate) fn new(arch: Arch, input: Layout, output: Layout, relu: bool, batch: usize) -> Self {
        let (taken, made) = (input.shape.len(), output.shape.len());
        let rows =
            (0..batch).map(|m| Row { from: m * input.image, to: m * output.image }).collect();
        let samples = panels(arch, batch).padded();
        let back = (0..ROWS).map(|row| Row { from: row * made, to: row * samples }).collect();
        let packed = DEPTH.max(batch) * panels(arch, made).padded();
        Self {
            taken,
            made,
            input,
            output,
            relu,
            rows,
            back,
            blocks: blocks([Segment { offset: 0, len: made }]),
            packed: Aligned::new(packed),
            errors: Aligned::new(samples * made),
            turned: Aligned::new(ROWS * samples),
        }
    }

    pub(crate) fn forward(
        &mut self,
        arch: Arch,
        (weights, biases): (&[f32], &[f32]),
        (input, images): (&[f32], usize),
        out: &mut [f32],
    ) {
        let panels = panels(arch, self.made);
        for first in (0..self.taken).step_by(DEPTH) {
            let depth = DEPTH.min(self.taken - first);
            if streams(images, self.made, panels.lanes) {
                arch.dispatch(Stream {
                    input,
                    rows: &self.rows[..images],
                    offset: first,
                    len: depth,
                    matrix: &weights[first * self.made..][..depth * self.made],
                    columns: self.made,
                    out: &mut *out,
                    add: first > 0,
                });
                continue;
            }
            arch.dispatch(Pack {
                panels,
                matrix: &weights[first * self.made..],
                stride: self.made,
                rows: depth,
                total: depth,
                first: 0,
                out: &mut self.packed,
            });
            for panel in panels.iter() {
                arch.dispatch(Multiply {
                    input,
                    rows: &self.rows[..images],
                    segments: &[Segment { offset: first, len: depth }],
                    panel: &self.packed[panel.column * depth..][..depth * panel.padded],
                    out: &mut *out,
                    column: panel.column,
                    width: panel.width,
                    add: first > 0,
                });
            }
        }
        for out in out.chunks_exact_mut(self.output.image).take(images) {
            let out = &mut out[..self.made];
            arch.dispatch(Run(AddBiases { out, biases, relu: self.relu }));
        }
    }

    /// Gradients of weights and biases, and the error at the input where one is asked for. The error at
    /// the output is overwritten.
    pub(crate) fn backward(
        &mut self,
        arch: Arch,
        weights: &[f32],
        Passed { input, out, images, .. }: Passed<'_>,
        error: &mut [f32],
        slopes: Slopes<'_>,
        before: Option<&mut [f32]>,
    ) {
        let Slopes { weights: slopes, biases, add } = slopes;
        let layout = self.output;
        if !add {
            biases.fill(0.0);
        }
        let (made, relu) = (self.made, self.relu);
        for row in (0..images).map(|image| image * layout.image) {
            let (error, out) = (&mut error[row..][..made], &out[row..][..made]);
            arch.dispatch(Run(Rectify { error, out, relu, biases: &mut biases[..made] }));
        }
        self.outer_products(arch, (input, images), (error, layout.image), slopes, add);
        if let Some(before) = before {
            self.errors_before(arch, weights, images, error, before);
        }
    }

    fn outer_products(
        &mut self,
        arch: Arch,
        (input, images): (&[f32], usize),
        (error, stride): (&[f32], usize),
        slopes: &mut [f32],
        add: bool,
    ) {
        let panels = panels(arch, self.made);
        let rows = images;
        let out = &mut self.packed;
        arch.dispatch(Pack { panels, matrix: error, stride, rows, total: rows, first: 0, out });
        // All columns of a few rows before the next rows: the gradient is written as it lies.
        for first in (0..self.taken).step_by(12) {
            for panel in panels.iter() {
                let len = 12.min(self.taken - first);
                arch.dispatch(Outer {
                    input,
                    offset: first,
                    len,
                    rows: &self.rows[..images],
                    panel: &self.packed[panel.column * rows..][..rows * panel.padded],
                    out: &mut slopes[first * self.made..][..len * self.made],
                    stride: self.made,
                    column: panel.column,
                    width: panel.width,
                    add,
                });
            }
        }
    }

    /// Rows of weights times columns of errors: weights need not be turned around, only what comes out.
    fn errors_before(
        &mut self,
        arch: Arch,
        weights: &[f32],
        images: usize,
        error: &[f32],
        before: &mut [f32],
    ) {
        let panels = panels(arch, images);
        let samples = self.turned.len() / ROWS;
        let rows = self.made;
        let out = &mut self.errors;
        arch.dispatch(PackTransposed(Pack {
            panels,
            matrix: error,
            stride: self.output.image,
            rows,
            total: rows,
            first: 0,
            out,
        }));
        for first in (0..self.taken).step_by(ROWS) {
            let count = ROWS.min(self.taken - first);
            let weights = &weights[first * self.made..];
            super::product::multiply(
                arch,
                (weights, &self.back[..count]),
                &self.blocks,
                (&self.errors, panels),
                &mut self.turned,
            );
            for image in 0..images {
                let before = &mut before[image * self.input.image + first..][..count];
                for (k, before) in before.iter_mut().enumerate() {
                    *before = self.turned[k * samples + image];
                }
            }
        }
    }
}

/// Biases of one image, then perhaps ReLU.
struct AddBiases<'a> {
    out: &'a mut [f32],
    biases: &'a [f32],
    relu: bool,
}

impl Loops for AddBiases<'_> {
    #[inline(always)]
    fn run(self) {
        for (out, bias) in self.out.iter_mut().zip(self.biases) {
            let sum = *out + bias;
            *out = if self.relu && sum < 0.0 { 0.0 } else { sum };
        }
    }
}

/// Errors of one image before ReLU, added to the slopes of biases.
struct Rectify<'a> {
    error: &'a mut [f32],
    out: &'a [f32],
    relu: bool,
    biases: &'a mut [f32],
}

impl Loops for Rectify<'_> {
    #[inline(always)]
    fn run(self) {
        if self.relu {
            for (error, &out) in self.error.iter_mut().zip(self.out) {
                *error = if out <= 0.0 { 0.0 } else { *error };
            }
        }
        for (bias, error) in self.biases.iter_mut().zip(self.error) {
            *bias += *error;
        }
    }
}
