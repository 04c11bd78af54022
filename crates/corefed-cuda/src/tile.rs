//! How a matrix product is cut among blocks of threads.

use std::fmt;

use crate::engine::Precision;
use crate::plan::Product;

/// Which of the three products of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// What the layer makes.
    Forward,
    /// The gradient of its input.
    Input,
    /// The gradient of its weights, and the step.
    Weight,
}

/// Rows, columns and summands of a product, for one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) reds: usize,
    /// Numbers that are read at once on the left and on the right, and written at once.
    pub(crate) vectors: [usize; 3],
    /// Operands that lie in memory as they are multiplied, in lines of this many summands: a tile is copied if
    /// its depth divides a line. Zero: whatever the depth. `None`: they do not lie so.
    pub(crate) lines: Option<usize>,
}

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
const MOST_SHARED: usize = 220 << 10;

impl Extent {
    /// `wide` is how many channels the input has in memory.
    pub(crate) fn new(
        product: &Product,
        kind: Kind,
        batch: usize,
        wide: usize,
        vectors: [usize; 3],
    ) -> Self {
        let (input, outputs) = (product.input, product.output.channels);
        let taps = product.window.size * product.window.size;
        let places = batch * product.places();
        // Gradients behind a pool lie so only if they are spread.
        let there = product.spreads || !product.pools;
        let lines = match kind {
            Kind::Forward => (!product.first && taps <= 32).then_some(wide),
            Kind::Input => (there && product.window.stride == 1 && taps <= 32).then_some(outputs),
            Kind::Weight => (there && !product.first).then_some(0),
        };
        let (rows, cols, reds) = match kind {
            Kind::Forward => (places, outputs, taps * wide),
            Kind::Input => (batch * input.height * input.width, input.channels, taps * outputs),
            // One row more: the biases.
            Kind::Weight => (taps * wide + 1, outputs, places),
        };
        Self { rows, cols, reds, vectors, lines }
    }
}

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
                    let (splits, cluster) = (1, 1);
                    let mut tile =
                        Self { rows, cols, depth, warps, layers, splits, stages: 2, cluster };
                    let copied = extent.lines.is_some_and(|line| line.is_multiple_of(depth));
                    if machine.copies && copied {
                        let Some(stages) = tile.most_stages(kind) else { continue };
                        tile.stages = stages;
                    }
                    if !tile.fits(kind) {
                        continue;
                    }
                    let most = (extent.reds.div_ceil(depth) / 2).max(1);
                    let split = SPLITS.into_iter().filter(|splits| *splits <= most).map(|splits| {
                        let tile = tile.split(splits, machine);
                        (tile.cost(kind, extent, agents, machine.processors, precision), tile)
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
        let staged = (self.rows + self.cols) * self.depth / self.threads();
        deep >= 8
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

    /// Tiles that can be on their way at once; `None` if shared memory has no room for three.
    fn most_stages(self, kind: Kind) -> Option<usize> {
        let within = |most: usize| {
            STAGES.into_iter().find(|&stages| Self { stages, ..self }.shared(kind) <= most)
        };
        within(SHARED).or_else(|| within(MOST_SHARED))
    }

    /// The same with its summands shared by so many blocks. As many as can of them join the tile in shared
    /// memory, each a few rows of it: whole pools.
    pub(crate) fn split(self, splits: usize, machine: Machine) -> Self {
        let fits = |blocks: &usize| {
            machine.clusters
                && splits.is_multiple_of(*blocks)
                && self.rows.is_multiple_of(4 * blocks)
        };
        Self { splits, cluster: CLUSTERS.into_iter().find(fits).unwrap_or(1), ..self }
    }

    /// Numbers that a thread adds up.
    fn sums(self) -> usize {
        self.rows * self.cols * self.layers / self.threads()
    }

    /// Blocks that are meant to share a multiprocessor: the compiler saves registers for them.
    pub(crate) fn resident(self) -> usize {
        let staged = (self.rows + self.cols) * self.depth / self.threads();
        // Registers of a thread: sums, what is on its way, and addresses.
        let others = if self.copies() { 48 + staged * 3 / 8 } else { 48 + staged * 3 / 2 };
        (REGISTERS / ((self.sums() + others) * self.threads())).clamp(1, 8)
    }

    /// Cycles, more or less: numbers were fitted to 725 products in many cuts that come through registers and 900
    /// that are copied, timed on an H200. What it chooses among them takes about 3 % longer than the best.
    fn cost(
        self,
        kind: Kind,
        extent: Extent,
        agents: usize,
        processors: usize,
        precision: Precision,
    ) -> f64 {
        let float = |count: usize| count as f64;
        let [left, right, ends] = extent.vectors;
        let (area, threads) = (float(self.rows * self.cols), float(self.threads()));
        let volume = area * float(self.depth);
        let bytes = float((self.rows + self.cols) * self.depth * 4);
        let (wide, high) = (float(self.cols / self.warps.1), float(self.rows / self.warps.0));
        let edges = volume / 32.0 * (1.0 / wide + 1.0 / high);
        // Instructions of warps to take factors from shared memory and to multiply them, and cycles of arithmetic.
        let (taking, multiplying, arithmetic) = match precision {
            Precision::Fp32 => (0.5 * edges, volume / 32.0, volume / 120.0),
            Precision::Tf32 => (0.6 * edges, volume / 1024.0, volume / 390.0 + 1.33 * edges),
            Precision::Tf32x3 => {
                (4.0 * edges, volume * 3.0 / 1024.0, volume / 190.0 + 1.33 * edges)
            }
        };
        let blocks = float(self.tiles(extent) * self.splits * agents);
        let room = float(self.resident().min(MOST_SHARED / self.shared(kind)).max(1));
        // Clusters do not fit everywhere.
        let processors = match self.cluster {
            1 => float(processors),
            4 => float(processors) * 0.94,
            _ => float(processors) * 0.965,
        };
        // Blocks on one multiprocessor hide each other's waiting.
        let share = (blocks / processors).clamp(1.0, room);
        let waves = (blocks / (processors * share)).max(1.0);
        let waves = if waves < 3.0 { waves.ceil() } else { waves };
        let iterations = float(extent.reds.div_ceil(self.depth).div_ceil(self.splits));
        let (beginning, iteration) = if self.copies() {
            // The first tiles are waited for; later ones come at the speed of the second-level cache.
            let on_the_way = float(self.stages - 1) * bytes * share;
            let speed = (on_the_way / 3660.0).min(17.7);
            let busy = ((taking + multiplying) / 2.6).max(arithmetic).max(bytes / speed);
            (2430.0 + bytes / 10.3, (busy * share).max(busy + 135.0))
        } else {
            // Instructions that bring a vector, cycles that a tile is waited for, and of each instruction alone.
            let (bringing, waiting, apiece) = match kind {
                Kind::Forward => (34.0, 1290.0, 2.6),
                Kind::Input => (36.0, 1290.0, 2.6),
                Kind::Weight => (76.0, 2900.0, 0.05),
            };
            let vectors = float(self.rows * self.depth / left + self.cols * self.depth / right);
            let issued = vectors / 32.0 * bringing + taking + multiplying;
            let alone = waiting + issued / (threads / 32.0) * apiece;
            let busy = (issued / 2.6).max(arithmetic).max(bytes / 17.7);
            (2900.0, alone.max(busy * share))
        };
        let each = if self.copies() { 10.3 } else { 14.0 };
        let ending = area / float(ends) / threads * each * share + 330.0 * float(self.layers);
        let passes = (area / float(4 * self.cluster) / threads).ceil();
        let mut joining = 0.0;
        if self.cluster > 1 {
            joining += 200.0 + passes * 181.0 * float(self.cluster);
        }
        let parts = self.splits / self.cluster;
        if parts > 1 {
            joining += 8080.0 + passes * ((float(parts) / 8.0).ceil() * 1045.0 + 3235.0);
        }
        waves * (beginning + iterations * iteration + ending) + joining
    }

    pub(crate) fn threads(self) -> usize {
        self.warps.0 * self.warps.1 * self.layers * 32
    }

    /// Tiles along rows and columns.
    pub(crate) fn grid(self, extent: Extent) -> (usize, usize) {
        (extent.rows.div_ceil(self.rows), extent.cols.div_ceil(self.cols))
    }

    fn tiles(self, extent: Extent) -> usize {
        let (along, across) = self.grid(extent);
        along * across
    }

    /// Bytes of shared memory; `product.cu` counts the same.
    pub(crate) fn shared(self, kind: Kind) -> usize {
        let operand = |deep: bool, lines: usize| {
            if deep { lines * (self.depth + 4) } else { self.depth * (lines + 8) }
        };
        let operands = self.stages
            * (operand(kind != Kind::Weight, self.rows) + operand(kind == Kind::Input, self.cols));
        4 * operands.max(self.rows * (self.cols + 4))
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
        let Self { rows, cols, depth, warps, layers, splits, stages, cluster } = self;
        let (along, across) = warps;
        write!(
            f,
            "tiles of {rows}x{cols}x{depth}, {along}x{across}x{layers} warps, {stages} stages, {splits} splits by {cluster}"
        )
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const H200: Machine = Machine { processors: 132, copies: true, clusters: true };

    fn extent(rows: usize, cols: usize, reds: usize) -> Extent {
        Extent { rows, cols, reds, vectors: [4, 4, 2], lines: None }
    }

    #[test]
    fn warps_share_tiles_in_pieces_that_tensor_cores_take() {
        for (rows, cols, (along, across)) in TILES {
            assert_eq!(rows % (16 * along), 0);
            assert_eq!(cols % (8 * across), 0);
            // Plain arithmetic needs 8 rows and 4 columns at least.
            assert!(rows / along >= 8 && cols / across >= 4);
        }
    }

    #[test]
    fn every_number_is_in_one_tile() {
        for extent in
            [extent(32_768, 32, 75), extent(32, 512, 4096), extent(76, 6, 50_176), extent(1, 1, 1)]
        {
            for agents in [1, 3, 64] {
                for precision in [Precision::Fp32, Precision::Tf32] {
                    let tile = Tile::choose(Kind::Weight, extent, agents, H200, precision);
                    let (along, across) = tile.grid(extent);
                    assert!(along * tile.rows >= extent.rows && across * tile.cols >= extent.cols);
                    assert!((along - 1) * tile.rows < extent.rows);
                    assert!(tile.splits <= extent.reds.div_ceil(tile.depth));
                }
            }
        }
    }

    #[test]
    fn few_tiles_share_their_summands_and_many_do_not() {
        let weights = extent(76, 32, 32_768);
        let tile = Tile::choose(Kind::Weight, weights, 1, H200, Precision::Tf32);
        assert!(tile.splits > 8);
        let many = extent(32_768, 64, 800);
        let tile = Tile::choose(Kind::Forward, many, 64, H200, Precision::Tf32);
        assert_eq!(tile.splits, 1);
    }
}
