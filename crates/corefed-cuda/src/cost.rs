//! How long a product should take in a cut: a rough model of the device.

use crate::engine::Precision;
use crate::extent::{Extent, Kind};
use crate::tile::{MOST_SHARED, Tile};

impl Tile {
    /// Cycles, more or less: numbers were fitted to 725 products in many cuts that come through registers and 900
    /// that are copied, timed on an H200. What it chooses among them takes about 3 % longer than the best.
    pub(crate) fn cost(
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
        // Clusters do not fit everywhere, least of all where each of their blocks wants a multiprocessor.
        let processors = match self.cluster {
            1 => float(processors),
            8 if room < 2.0 => float(processors) * 0.9,
            4 => float(processors) * 0.94,
            _ => float(processors) * 0.97,
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
}
