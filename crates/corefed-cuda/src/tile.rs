//! How a matrix product is cut among blocks of threads.

use std::fmt;

use crate::extent::Extent;
use crate::halves::Lie;
use crate::kind::Kind;
use crate::precision::Precision;

/// What decides how products are cut on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Machine {
    /// Multiprocessors.
    pub(crate) processors: usize,
    /// Whether memory can be copied to shared memory past the registers.
    pub(crate) copies: bool,
    /// Whether blocks can read each other's shared memory.
    pub(crate) clusters: bool,
}

/// What one block computes, and how its warps share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) depth: usize,
    pub(crate) warps: (usize, usize),
    /// Sets of warps that share the depth of a tile.
    pub(crate) layers: usize,
    /// Blocks that share the summands of one tile.
    pub(crate) splits: usize,
    /// Tiles in shared memory: two that come through registers, or more that are copied.
    pub(crate) stages: usize,
    /// Blocks that join their parts in shared memory.
    pub(crate) cluster: usize,
    /// Whether operands are bf16 in shared memory, and multiplied as such.
    pub(crate) half: bool,
}

/// Rows, columns, and warps along both.
const TILES: [(usize, usize, (usize, usize)); 26] = [
    (256, 128, (4, 2)),
    (128, 256, (2, 4)),
    (128, 128, (2, 4)),
    (128, 128, (2, 2)),
    (128, 64, (4, 2)),
    (128, 64, (2, 2)),
    (64, 128, (1, 4)),
    (64, 64, (2, 1)),
    (128, 32, (4, 1)),
    (128, 16, (4, 1)),
    (128, 8, (4, 1)),
    (64, 128, (2, 4)),
    (64, 64, (2, 2)),
    (64, 32, (2, 2)),
    (64, 16, (4, 1)),
    (64, 8, (4, 1)),
    (32, 128, (1, 4)),
    (32, 64, (1, 4)),
    (32, 32, (2, 2)),
    (32, 16, (2, 1)),
    (32, 8, (2, 1)),
    (16, 128, (1, 4)),
    (16, 64, (1, 4)),
    (16, 32, (1, 2)),
    (16, 16, (1, 1)),
    (16, 8, (1, 1)),
];

const DEPTHS: [usize; 3] = [16, 32, 64];
const CLUSTERS: [usize; 3] = [8, 4, 2];
const STAGES: [usize; 2] = [4, 3];
const LAYERS: [usize; 3] = [1, 2, 4];
const SPLITS: [usize; 14] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128];

/// Shared memory that a block may take, so that two are resident.
const SHARED: usize = 112 << 10;

/// Registers of a multiprocessor.
const REGISTERS: usize = 65_536;

/// Shared memory that one block alone may take.
pub(crate) const MOST_SHARED: usize = 220 << 10;

impl Tile {
    /// The cut that should take least time. A rough model of the device decides; it changes speed and the
    /// last bits, never what is computed.
    pub(crate) fn choose(
        kind: Kind,
        extent: Extent,
        agents: usize,
        machine: Machine,
        precision: Precision,
    ) -> Self {
        let ranked = Self::ranked(kind, extent, agents, machine, precision);
        let plain = Self {
            rows: 64,
            cols: 64,
            depth: 16,
            warps: (2, 2),
            layers: 1,
            splits: 1,
            stages: 2,
            cluster: 1,
            half: false,
        };
        ranked.first().map_or(plain, |(_, tile)| *tile)
    }

    /// Every shape of tile with the splits that suit it best, the one that should be fastest first.
    pub(crate) fn ranked(
        kind: Kind,
        extent: Extent,
        agents: usize,
        machine: Machine,
        precision: Precision,
    ) -> Vec<(f64, Self)> {
        let mut ranked = Vec::new();
        for (rows, cols, warps) in TILES {
            for depth in DEPTHS {
                for layers in LAYERS {
                    let (splits, stages, cluster, half) = (1, 2, 1, false);
                    let mut tile =
                        Self { rows, cols, depth, warps, layers, splits, stages, cluster, half };
                    let copied = extent.lines.is_some_and(|line| line.is_multiple_of(depth));
                    if machine.copies && copied && extent.lie != Lie::Mixed {
                        tile.half = extent.lie == Lie::Halves;
                        let Some(stages) = tile.most_stages(kind) else { continue };
                        tile.stages = stages;
                    }
                    if !tile.fits(kind) {
                        continue;
                    }
                    let summands = tile.summands(extent);
                    let most = (summands.0.div_ceil(depth) / 2).max(1);
                    let split = SPLITS.into_iter().filter(|splits| *splits <= most).map(|splits| {
                        let tile = tile.split(splits, machine);
                        let processors = machine.processors;
                        (tile.cost(kind, extent, summands, agents, processors, precision), tile)
                    });
                    ranked.extend(split.min_by(|a, b| a.0.total_cmp(&b.0)));
                }
            }
        }
        // Stable: equals stay in the order of the table.
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
        ranked
    }

    /// Whether threads, registers and shared memory suffice.
    fn fits(self, kind: Kind) -> bool {
        let deep = self.depth / self.layers;
        let staged = self.staged();
        deep >= if self.half { 16 } else { 8 }
            && (self.layers == 1 || deep <= 32)
            && self.threads() <= 512
            && staged <= if self.copies() { 64 } else { 40 }
            && self.sums() <= if self.copies() { 128 } else { 64 }
            && self.threads() * (self.sums() + 60) <= REGISTERS
            && self.shared(kind) <= if self.copies() { MOST_SHARED } else { SHARED }
    }

    /// Whether operands are copied past the registers.
    pub(crate) fn copies(self) -> bool {
        self.stages > 2
    }

    /// Whether places are in the order of pixels, and what a tile does not see is left out.
    pub(crate) fn by_pixel(self, extent: Extent) -> bool {
        self.copies() && extent.border.is_some_and(|border| border.divides(self.depth))
    }

    /// Summands of the tile that has most, and on average.
    fn summands(self, extent: Extent) -> (usize, f64) {
        match extent.border {
            Some(border) if self.by_pixel(extent) => border.summands(self.rows),
            _ => (extent.reds, extent.reds as f64),
        }
    }

    /// Tiles that can be on their way at once; `None` if shared memory has no room for three.
    fn most_stages(self, kind: Kind) -> Option<usize> {
        let within = |most: usize| {
            STAGES.into_iter().find(|&stages| Self { stages, ..self }.shared(kind) <= most)
        };
        within(SHARED).or_else(|| within(MOST_SHARED))
    }

    /// The same with its summands shared by this many blocks. As many as can of them join the tile in shared
    /// memory, each a few rows of it: whole pools.
    pub(crate) fn split(self, splits: usize, machine: Machine) -> Self {
        let fits = |blocks: &usize| {
            machine.clusters
                && splits.is_multiple_of(*blocks)
                && self.rows.is_multiple_of(4 * blocks)
        };
        Self { splits, cluster: CLUSTERS.into_iter().find(fits).unwrap_or(1), ..self }
    }

    /// Bytes of a number in shared memory.
    pub(crate) fn element(self) -> usize {
        if self.half { 2 } else { 4 }
    }

    /// Words of a tile that a thread brings.
    fn staged(self) -> usize {
        (self.rows + self.cols) * self.depth * self.element() / 4 / self.threads()
    }

    /// Numbers that a thread adds up.
    fn sums(self) -> usize {
        self.rows * self.cols * self.layers / self.threads()
    }

    /// Blocks that are meant to share a multiprocessor: the compiler saves registers for them.
    pub(crate) fn resident(self) -> usize {
        let staged = self.staged();
        // Registers of a thread: sums, what is on its way, and addresses.
        let others = if self.copies() { 48 + staged * 3 / 8 } else { 48 + staged * 3 / 2 };
        (REGISTERS / ((self.sums() + others) * self.threads())).clamp(1, 8)
    }

    pub(crate) fn threads(self) -> usize {
        self.warps.0 * self.warps.1 * self.layers * 32
    }

    /// Tiles along rows and columns.
    pub(crate) fn grid(self, extent: Extent) -> (usize, usize) {
        (extent.rows.div_ceil(self.rows), extent.cols.div_ceil(self.cols))
    }

    pub(crate) fn tiles(self, extent: Extent) -> usize {
        let (along, across) = self.grid(extent);
        along * across
    }

    /// Bytes of shared memory; `block.cu` counts the same.
    pub(crate) fn shared(self, kind: Kind) -> usize {
        let operand = |deep: bool, lines: usize| {
            let apart = 16 / self.element();
            if deep { lines * (self.depth + apart) } else { self.depth * (lines + 8) }
        };
        let operands = self.stages
            * (operand(kind != Kind::Weight, self.rows) + operand(kind == Kind::Input, self.cols));
        (self.element() * operands).max(4 * self.rows * (self.cols + 4))
    }

    /// Floats for parts of tiles whose summands are shared.
    pub(crate) fn partials(self, extent: Extent, agents: usize) -> usize {
        let parts = self.splits / self.cluster;
        if parts == 1 { 0 } else { self.tiles(extent) * parts * agents * self.rows * self.cols }
    }

    /// Counters of parts that have arrived.
    pub(crate) fn counters(self, extent: Extent, agents: usize) -> usize {
        let parts = self.splits / self.cluster;
        if parts == 1 { 0 } else { self.tiles(extent) * self.cluster * agents }
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, cols, depth, warps, layers, splits, stages, cluster, half } = self;
        let (along, across) = warps;
        let of = if *half { " of bf16" } else { "" };
        write!(
            f,
            "tiles of {rows}x{cols}x{depth}, {along}x{across}x{layers} warps, {stages} stages{of}, {splits} splits by {cluster}"
        )
    }
}

#[cfg(test)]
pub(crate) mod tests;
