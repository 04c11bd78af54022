//! Losses and gradients of one model, in single precision whatever training uses.

use std::ops::Range;

use corefed_nn::Sums;

use crate::agent::Agent;
use crate::arena::Arena;
use crate::crowd::{Crowd, Use};
use crate::engine::Engine;
use crate::error::During;
use crate::train::same;
use crate::{CudaError, Images};

/// Rows that are looked at together.
const CHUNK: usize = 1024;

impl Engine {
    /// Sums over ranges of rows. Losses of samples are single precision, added in double in their order.
    pub fn measure(
        &mut self,
        images: &Images,
        params: &[f32],
        rows: &[Range<usize>],
    ) -> Result<Vec<Sums>, CudaError> {
        let order =
            rows.iter().cloned().map(|rows| range(images, rows)).collect::<Result<Vec<_>, _>>()?;
        let order = order.concat();
        self.pass(images, params, &order, Use::Evaluate)?;
        let mut losses = vec![0.0_f32; order.len()];
        let mut correct = vec![0_u8; order.len()];
        self.losses.read(0, &mut losses)?;
        self.correct.read(0, &mut correct)?;
        let mut at = 0;
        let sums = rows.iter().map(|rows| {
            let here = at..at + rows.len();
            at = here.end;
            Sums {
                loss: losses[here.clone()].iter().map(|loss| f64::from(*loss)).sum(),
                correct: correct[here].iter().map(|correct| usize::from(*correct)).sum(),
            }
        });
        Ok(sums.collect())
    }

    /// The loss of every row.
    pub fn losses(
        &mut self,
        images: &Images,
        params: &[f32],
        rows: Range<usize>,
    ) -> Result<Vec<f32>, CudaError> {
        let order = range(images, rows)?;
        self.pass(images, params, &order, Use::Evaluate)?;
        let mut losses = vec![0.0_f32; order.len()];
        self.losses.read(0, &mut losses)?;
        Ok(losses)
    }

    /// The mean loss of some rows and its gradient. Dropout drops nothing here.
    pub fn gradient(
        &mut self,
        images: &Images,
        params: &[f32],
        rows: Range<usize>,
    ) -> Result<(f64, Vec<f32>), CudaError> {
        let dim = self.network.dim();
        let order = range(images, rows)?;
        let at = self.pass(images, params, &order, Use::Gradient)?;
        let mut losses = vec![0.0_f32; order.len()];
        self.losses.read(0, &mut losses)?;
        let mut sum = vec![0.0_f64; dim];
        let (layout, memory) = self.crowds[at].buffers();
        memory.read(layout.sum, &mut sum)?;
        let count = order.len().max(1) as f64;
        let loss: f64 = losses.iter().map(|loss| f64::from(*loss)).sum();
        #[expect(clippy::cast_possible_truncation, reason = "back to the precision of parameters")]
        let gradient = sum.into_iter().map(|sum| (sum / count) as f32).collect();
        Ok((loss / count, gradient))
    }

    /// One pass over rows, in chunks.
    fn pass(
        &mut self,
        images: &Images,
        params: &[f32],
        order: &[u32],
        purpose: Use,
    ) -> Result<usize, CudaError> {
        self.device.context.bind_to_thread().during("binding a thread")?;
        let dim = self.network.dim();
        same("`params`", params.len(), dim)?;
        let batch = self.chunk(purpose);
        let at = self.room(Crowd { agents: 1, batch, purpose, momentum: false, drift: false })?;
        self.order_room(order.len())?;
        self.order.write(0, order)?;
        for (arena, size) in [(&mut self.losses, 4), (&mut self.correct, 1)] {
            if order.len() * size > arena.bytes() {
                *arena = Arena::new(&self.device.stream, (order.len() * size).next_power_of_two())?;
            }
        }
        let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let agent = Agent::sums(size(order.len()), size(batch));
        let (layout, memory) = self.crowds[at].buffers();
        memory.write(layout.agents, &agent.words())?;
        memory.write(layout.params, params)?;
        memory.clear(layout.clock, 8)?;
        if purpose == Use::Gradient {
            memory.clear(layout.sum, 8 * dim)?;
        }
        self.replay(at, images, true, agent.steps as usize)?;
        Ok(at)
    }

    /// As many rows as take an eighth of the device's memory, up to a number that fills it with work.
    fn chunk(&self, purpose: Use) -> usize {
        let most = self.device.info().memory / 8;
        let mut batch = CHUNK;
        while batch > 1
            && self.bytes(Crowd { agents: 1, batch, purpose, momentum: false, drift: false }) > most
        {
            batch /= 2;
        }
        batch
    }
}

fn range(images: &Images, rows: Range<usize>) -> Result<Vec<u32>, CudaError> {
    if rows.start > rows.end || rows.end > images.len() {
        return Err(CudaError::Range {
            what: "a range of rows".to_owned(),
            found: format!("{rows:?}"),
            wanted: format!("inside 0..{}", images.len()),
        });
    }
    // The number of images was checked when they were uploaded.
    Ok(rows.map(|row| u32::try_from(row).unwrap_or(u32::MAX)).collect())
}
