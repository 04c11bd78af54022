//! Where the time of a step goes.

use cudarc::driver::sys::CUevent_flags;

use crate::arena::Arena;
use crate::engine::Engine;
use crate::error::During;
use crate::layout::ProductLayout;
use crate::steps::Kernel;
use crate::tile::Tile;
use crate::{CudaError, Images, Task};

const REPEATS: usize = 20;

impl Engine {
    /// Runs tasks, then the kernels of their first step, each alone and many times; microseconds of each.
    pub fn profile(
        &mut self,
        images: &Images,
        start: &[f32],
        tasks: &[Task<'_>],
    ) -> Result<Vec<(String, f64)>, CudaError> {
        let Some(at) = self.run(images, start, tasks, &[])? else { return Ok(Vec::new()) };
        let (layout, memory) = self.crowds[at].buffers();
        memory.clear(layout.clock, 8)?;
        let kernels = self.kernels(at, images, self.outside(at, images, false));
        // The one that moves the clock comes last.
        kernels.into_iter().map(|kernel| Ok((kernel.label.clone(), self.micros(kernel)?))).collect()
    }

    /// Microseconds of one kernel that runs many times in a row.
    fn micros(&self, kernel: Kernel) -> Result<f64, CudaError> {
        let alone = Kernel { after: Vec::new(), ..kernel };
        let graph = self.graph(std::slice::from_ref(&alone), REPEATS)?;
        let stream = &self.device.stream;
        let timed = Some(CUevent_flags::CU_EVENT_DEFAULT);
        graph.launch()?;
        let from = stream.record_event(timed).during("timing")?;
        graph.launch()?;
        let to = stream.record_event(timed).during("timing")?;
        let millis = from.elapsed_ms(&to).during("timing")?;
        Ok(f64::from(millis) * 1e3 / REPEATS as f64)
    }

    /// Times other ways to cut every product of a step: for each, the `count` that the model of the device
    /// likes best. The model is to be corrected by what is measured; a run never measures, so that it can be
    /// repeated to the byte.
    pub fn rivals(
        &mut self,
        images: &Images,
        start: &[f32],
        tasks: &[Task<'_>],
        count: usize,
    ) -> Result<Vec<(String, f64)>, CudaError> {
        let Some(at) = self.run(images, start, tasks, &[])? else { return Ok(Vec::new()) };
        let (layout, memory) = self.crowds[at].buffers();
        memory.clear(layout.clock, 8)?;
        let (crowd, machine) = (self.crowds[at].crowd, self.machine());
        let outside = self.outside(at, images, false);
        let mut all = Vec::new();
        let (mut floats, mut counters) = (0, 0);
        for place in 0..self.ops.len() {
            for cut in layout.ops[place].products.clone() {
                let (kind, extent) = (cut.kind, cut.extent);
                let ranked = Tile::ranked(kind, extent, crowd.agents, machine, self.precision());
                let mut tiles: Vec<Tile> =
                    ranked.iter().take(count).map(|(_, tile)| *tile).collect();
                for splits in [cut.tile.splits / 2, cut.tile.splits * 2] {
                    if splits > 0 && splits * 2 <= extent.reds.div_ceil(cut.tile.depth) {
                        tiles.push(cut.tile.split(splits, machine));
                    }
                }
                for tile in tiles {
                    floats = floats.max(tile.partials(extent, crowd.agents));
                    counters = counters.max(tile.counters(extent, crowd.agents));
                    let cut = ProductLayout { tile, ..cut };
                    all.push(self.recipe(at, images, outside).cut(place, &cut, Vec::new()));
                }
            }
        }
        // Forward before backward: the last moves the clock.
        all.sort_by_key(|kernel| {
            kernel.args.training + u32::from(!kernel.label.contains("Forward"))
        });
        let (partial, arrivals) = (
            Arena::new(&self.device.stream, 4 * floats)?,
            Arena::new(&self.device.stream, 4 * counters)?,
        );
        for kernel in &mut all {
            (kernel.args.partial, kernel.args.arrivals) = (partial.at(0), arrivals.at(0));
        }
        self.load(all.iter().map(|kernel| (&kernel.source, kernel.launch.shared)))?;
        all.into_iter().map(|kernel| Ok((kernel.label.clone(), self.micros(kernel)?))).collect()
    }
}
