//! How long a product should take in a cut: a rough model of the device.

use crate::extent::Extent;
use crate::kind::Kind;
use crate::precision::Precision;
use crate::tile::{MOST_SHARED, Tile};

/// Numbers of the model that were fitted to timings, in cycles where nothing else is said.
struct Fit {
    /// Cycles until the first tiles are asked for, and bytes of them that come per cycle.
    beginning: (f64, f64),
    /// Cycles that a tile in shared memory is waited for by a block that is alone.
    waiting: f64,
    /// Cycles until a tile that was asked for is there, and bytes that the second-level cache gives per cycle.
    cache: (f64, f64),
    /// Of a thread that ends with a vector of results; of a layer of warps that adds its sums.
    ending: (f64, f64),
    /// Of blocks of a cluster that read each other's sums: once, and per block and pass.
    cluster: (f64, f64),
    /// Of clusters that add their parts up in memory: once, and per pass for every eight parts and in any case.
    parts: (f64, f64, f64),
    /// Share of the multiprocessors that clusters of 2, 4 and 8 blocks find a place on, and of 8 that want each one.
    fitting: [f64; 4],
}

const PLAIN: Fit = Fit {
    beginning: (2430.0, 10.3),
    waiting: 135.0,
    cache: (3660.0, 17.7),
    ending: (10.3, 330.0),
    cluster: (200.0, 181.0),
    parts: (8080.0, 1045.0, 3235.0),
    fitting: [0.97, 0.94, 0.97, 0.9],
};

const TENSOR: Fit = Fit {
    beginning: (3060.0, 12.0),
    waiting: 98.0,
    cache: (3900.0, 19.5),
    ending: (12.2, 320.0),
    cluster: (200.0, 163.0),
    parts: (7600.0, 820.0, 1850.0),
    fitting: [0.98, 0.82, 0.82, 0.87],
};

const HALVES: Fit = Fit {
    beginning: (2750.0, 7.5),
    waiting: 80.0,
    cache: (3880.0, 20.0),
    ending: (41.0, 677.0),
    cluster: (183.0, 113.0),
    parts: (6770.0, 804.0, 1770.0),
    fitting: [1.0, 0.61, 0.71, 0.75],
};

impl Tile {
    /// Cycles, more or less: numbers were fitted to 725 products in many cuts that come through registers, 1,800 that are
    /// copied and 970 of bf16, timed on an H200. Summands are those of the tile that has most, and on average. What it
    /// chooses takes 2 to 8 % longer than the best.
    pub(crate) fn cost(
        self,
        kind: Kind,
        extent: Extent,
        (most, mean): (usize, f64),
        agents: usize,
        processors: usize,
        precision: Precision,
    ) -> f64 {
        let float = |count: usize| count as f64;
        let fit = match precision {
            Precision::Fp32 => &PLAIN,
            _ if self.half => &HALVES,
            _ => &TENSOR,
        };
        let [left, right, ends] = extent.vectors;
        let (area, threads) = (float(self.rows * self.cols), float(self.threads()));
        let volume = area * float(self.depth);
        let bytes = float((self.rows + self.cols) * self.depth * self.element());
        let (wide, high) = (float(self.cols / self.warps.1), float(self.rows / self.warps.0));
        let edges = volume / 32.0 * (1.0 / wide + 1.0 / high);
        // Instructions of warps to take factors from shared memory and to multiply them, and cycles of arithmetic.
        let (taking, multiplying, arithmetic) = match precision {
            Precision::Bf16 if self.half => {
                (0.29 * edges, volume / 2048.0, volume / 890.0 + 0.62 * edges)
            }
            Precision::Fp32 => (0.5 * edges, volume / 32.0, volume / 120.0),
            Precision::Tf32 | Precision::Bf16 => {
                (0.58 * edges, volume / 1024.0, volume / 445.0 + 1.34 * edges)
            }
            Precision::Tf32x3 => {
                (4.0 * edges, volume * 3.0 / 1024.0, volume / 190.0 + 1.33 * edges)
            }
        };
        let blocks = float(self.tiles(extent) * self.splits * agents);
        let room = float(self.resident().min(MOST_SHARED / self.shared(kind)).max(1));
        let fitting = match self.cluster {
            1 => 1.0,
            2 => fit.fitting[0],
            4 => fit.fitting[1],
            _ => fit.fitting[if room < 2.0 { 3 } else { 2 }],
        };
        let processors = float(processors) * fitting;
        // Blocks on one multiprocessor hide each other's waiting.
        let share = (blocks / processors).clamp(1.0, room);
        let exact = (blocks / (processors * share)).max(1.0);
        let waves = if exact < 3.0 { exact.ceil() } else { exact };
        let uneven = mean < float(most);
        let most = float(most.div_ceil(self.depth).div_ceil(self.splits));
        let mean = mean / float(self.depth * self.splits);
        // Where tiles differ, short ones fill up what long ones leave, and one of these comes last; plain arithmetic keeps
        // multiprocessors so busy that only the sum counts.
        let iterations = match precision {
            _ if !uneven => waves * most,
            Precision::Fp32 if waves > 1.0 => waves * mean,
            Precision::Fp32 => most,
            _ => exact * mean + (most - mean).max(0.0),
        };
        let (beginning, iteration) = if self.copies() {
            // The first tiles are waited for; later ones come at the speed of the second-level cache.
            let on_the_way = float(self.stages - 1) * bytes * share;
            let speed = (on_the_way / fit.cache.0).min(fit.cache.1);
            let busy = ((taking + multiplying) / 2.6).max(arithmetic).max(bytes / speed);
            let beginning = fit.beginning.0 + bytes / fit.beginning.1;
            (beginning, (busy * share).max(busy + fit.waiting))
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
        let each = if self.copies() { fit.ending.0 } else { 14.0 };
        let ending =
            area / float(ends) / threads * each * share + fit.ending.1 * float(self.layers);
        let passes = (area / float(4 * self.cluster) / threads).ceil();
        let mut joining = 0.0;
        if self.cluster > 1 {
            joining += fit.cluster.0 + passes * fit.cluster.1 * float(self.cluster);
        }
        let parts = self.splits / self.cluster;
        if parts > 1 {
            let (once, eight, each) = fit.parts;
            joining += once + passes * ((float(parts) / 8.0).ceil() * eight + each);
        }
        waves * (beginning + ending) + iterations * iteration + joining
    }
}
