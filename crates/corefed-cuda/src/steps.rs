//! One step of a crowd: which kernels run on what, and after which others.

use corefed_nn::Network;

use crate::arena::Args;
use crate::crowd::{Crowd, Use};
use crate::form::Form;
use crate::graph::Launch;
use crate::kind::Kind;
use crate::layout::{DirectLayout, Layout, ProductLayout, stride};
use crate::plan::{Op, trains};
use crate::precision::Precision;
use crate::source::Source;

/// A kernel of a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kernel {
    /// For people who measure.
    pub(crate) label: String,
    pub(crate) source: Source,
    pub(crate) launch: Launch,
    pub(crate) args: Args,
    /// Kernels of the same step that it waits for; none: all of the step before.
    pub(crate) after: Vec<usize>,
}

/// Addresses on the device that are not of the crowd's own buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    pub(crate) pixels: u64,
    pub(crate) shade: u64,
    pub(crate) labels: u64,
    pub(crate) order: u64,
    /// Zero: per-sample losses are not kept.
    pub(crate) losses: u64,
    pub(crate) correct: u64,
    /// Of the crowd's own buffers.
    pub(crate) base: u64,
}

/// What a step is made from.
pub(crate) struct Recipe<'a> {
    pub(crate) network: &'a Network,
    pub(crate) ops: &'a [Op],
    pub(crate) crowd: Crowd,
    pub(crate) layout: &'a Layout,
    pub(crate) precision: Precision,
    pub(crate) form: Form,
    pub(crate) outside: Outside,
}

const POINTS: usize = 256;

impl Recipe<'_> {
    /// Kernels in an order in which they could run one by one.
    pub(crate) fn kernels(&self) -> Vec<Kernel> {
        let mut kernels = Vec::new();
        for index in 0..self.ops.len() {
            let after = last(&kernels);
            kernels.push(self.forward(index, after));
        }
        kernels.push(self.loss(last(&kernels)));
        if self.crowd.purpose == Use::Evaluate {
            let tick = Launch { grid: (1, 1, 1), threads: 1, shared: 0 };
            let after = last(&kernels);
            let args = self.args();
            let (label, source) = ("tick".to_owned(), Source::plain("tick"));
            kernels.push(Kernel { label, source, launch: tick, args, after });
        } else {
            self.backward(&mut kernels);
        }
        kernels
    }

    fn backward(&self, kernels: &mut Vec<Kernel>) {
        let mut gradient = last(kernels);
        for index in (0..self.ops.len()).rev() {
            let more = trains(&self.ops[..index]);
            if let Op::Product(_) = self.ops[index] {
                let mut weights_after = gradient.clone();
                if more {
                    kernels.push(self.product(index, Kind::Input, gradient));
                    gradient = last(kernels);
                    // The step changes the weights that the gradient of the input was made with.
                    weights_after.clone_from(&gradient);
                }
                kernels.push(self.product(index, Kind::Weight, weights_after));
            } else if more {
                kernels.push(self.passed(index, gradient, true));
                gradient = last(kernels);
            }
            if !more {
                break;
            }
        }
    }

    fn args(&self) -> Args {
        let (outside, layout) = (&self.outside, self.layout);
        let at = |offset: usize| outside.base + offset as u64;
        Args {
            agents: at(layout.agents),
            clock: at(layout.clock),
            order: outside.order,
            labels: outside.labels,
            shade: outside.shade,
            params: at(layout.params),
            factors: at(layout.factors),
            velocity: layout.velocity.map_or(0, at),
            drift: layout.drift.map_or(0, at),
            sum: at(layout.sum),
            losses: outside.losses,
            correct: outside.correct,
            stride: stride(self.network.dim()) as u64,
            batch: u32::try_from(self.crowd.batch).unwrap_or(u32::MAX),
            splits: 1,
            training: u32::from(self.crowd.purpose != Use::Evaluate),
            ..Args::default()
        }
    }

    /// With the buffers of one op.
    fn args_of(&self, index: usize) -> Args {
        let at = |offset: usize| self.outside.base + offset as u64;
        let own = &self.layout.ops[index];
        let mut args = Args {
            x: self.outside.pixels,
            y: at(own.made),
            z: own.raw.map_or(0, at),
            index: own.index.map_or(0, at),
            dy: own.gradient.map_or(0, at),
            ..self.args()
        };
        if let Some(before) = index.checked_sub(1).map(|index| &self.layout.ops[index]) {
            args.x = at(before.made);
            args.before = before.raw.map_or(0, at);
            args.largest = before.index.map_or(0, at);
            args.dx = before.gradient.map_or(0, at);
        }
        args
    }

    fn forward(&self, index: usize, after: Vec<usize>) -> Kernel {
        match self.ops[index] {
            Op::Product(_) => self.product(index, Kind::Forward, after),
            _ => self.passed(index, after, false),
        }
    }

    fn product(&self, index: usize, kind: Kind, after: Vec<usize>) -> Kernel {
        let own = &self.layout.ops[index];
        if let Some(layout) = own.directs.iter().find(|direct| direct.cut.kind == kind) {
            return self.direct(index, layout, after);
        }
        let cut = own.products.iter().find(|cut| cut.kind == kind);
        let Some(cut) = cut else { unreachable!("asked for a product that is not made") };
        self.cut(index, cut, after)
    }

    /// One kernel moves the clock on: the last that every step has.
    fn ticks(&self, index: usize, kind: Kind) -> bool {
        kind == Kind::Weight && !trains(&self.ops[..index])
    }

    /// A layer that is computed directly.
    fn direct(&self, index: usize, layout: &DirectLayout, after: Vec<usize>) -> Kernel {
        let Op::Product(product) = &self.ops[index] else { unreachable!("asked for a product") };
        let cut = layout.cut;
        let mut args = self.args_of(index);
        args.partial = self.outside.base + layout.partial as u64;
        args.arrivals = self.outside.base + layout.arrivals as u64;
        Kernel {
            label: format!("layer {index} {:?}: {cut}", cut.kind),
            source: Source::direct(
                product,
                cut,
                self.precision,
                self.form,
                self.ticks(index, cut.kind),
            ),
            launch: Launch {
                grid: (cut.blocks, 1, self.crowd.agents),
                threads: cut.threads,
                shared: cut.shared,
            },
            args,
            after,
        }
    }

    /// A product, cut in some way.
    pub(crate) fn cut(&self, index: usize, cut: &ProductLayout, after: Vec<usize>) -> Kernel {
        let Op::Product(product) = &self.ops[index] else { unreachable!("asked for a product") };
        let kind = cut.kind;
        let ticks = self.ticks(index, kind);
        let (along, across) = cut.tile.grid(cut.extent);
        let mut args = self.args_of(index);
        args.partial = self.outside.base + cut.partial as u64;
        args.arrivals = self.outside.base + cut.arrivals as u64;
        args.splits = u32::try_from(cut.tile.splits).unwrap_or(u32::MAX);
        let (tile, extent) = (cut.tile, cut.extent);
        Kernel {
            label: format!(
                "layer {index} {kind:?}: {}x{}x{} in {tile}",
                extent.rows, extent.cols, extent.reds
            ),
            source: Source::product(
                product,
                cut,
                self.precision,
                self.form,
                self.crowd.batch,
                ticks,
            ),
            launch: Launch {
                grid: (along, across * cut.tile.splits, self.crowd.agents),
                threads: cut.tile.threads(),
                shared: cut.tile.shared(kind),
            },
            args,
            after,
        }
    }

    /// A layer without weights.
    fn passed(&self, index: usize, after: Vec<usize>, back: bool) -> Kernel {
        let mut args = self.args_of(index);
        let (source, numbers) = match &self.ops[index] {
            Op::Gather(shape) => (Source::gather(shape.len(), self.form), shape.len()),
            Op::Point(point) => {
                let numbers = if back { point.input.len() } else { point.output.len() };
                (Source::point(point, back), numbers)
            }
            Op::Dropout { len, rate, layer } => {
                args.layer = u32::try_from(*layer).unwrap_or(u32::MAX);
                (Source::dropout(*len, *rate, back), *len)
            }
            Op::Product(_) => unreachable!("asked for a layer without weights"),
        };
        let blocks = (self.crowd.batch * numbers).div_ceil(POINTS).clamp(1, 1024);
        let grid = (blocks, 1, self.crowd.agents);
        let label = format!("layer {index}, {}", if back { "backward" } else { "forward" });
        Kernel { label, source, launch: Launch { grid, threads: POINTS, shared: 0 }, args, after }
    }

    fn loss(&self, after: Vec<usize>) -> Kernel {
        let rows = self.crowd.batch;
        // In training one block sees the whole batch: a log utility needs its mean.
        let blocks = if self.crowd.purpose == Use::Train { 1 } else { rows.div_ceil(32) };
        Kernel {
            label: "loss".to_owned(),
            source: Source::loss(self.network.loss(), self.network.classes()),
            launch: Launch {
                grid: (blocks, 1, self.crowd.agents),
                threads: 32 * rows.clamp(1, 32),
                shared: 0,
            },
            args: self.args_of(self.ops.len() - 1),
            after,
        }
    }
}

fn last(kernels: &[Kernel]) -> Vec<usize> {
    kernels.len().checked_sub(1).into_iter().collect()
}

#[cfg(test)]
mod tests;
