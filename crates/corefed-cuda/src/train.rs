//! Rounds of training.

#![expect(unsafe_code, reason = "talks to the driver")]

use cudarc::driver::{LaunchConfig, PushKernelArg};

use crate::agent::Agent;
use crate::arena::{Arena, Args};
use crate::crowd::{Crowd, Use};
use crate::engine::Engine;
use crate::error::During;
use crate::layout::stride;
use crate::precision::Precision;
use crate::staging::{bits, differences, floats};
use crate::{CudaError, Images, Task};

/// Floats that are copied back at once.
const TOGETHER: usize = 1 << 24;

impl Engine {
    /// Trains every task from `start`, all together; writes what each changed.
    ///
    /// Tasks may differ in rows, batches and steps: who is done stands still.
    pub fn train(
        &mut self,
        images: &Images,
        start: &[f32],
        tasks: &[Task<'_>],
        updates: &mut [&mut [f32]],
    ) -> Result<(), CudaError> {
        let dim = self.network.dim();
        same("`updates`", updates.len(), tasks.len())?;
        for update in updates.iter() {
            same("an update", update.len(), dim)?;
        }
        let Some(at) = self.run(images, start, tasks, &[])? else { return Ok(()) };
        self.over_params(at, "difference", tasks.len())?;
        let each = stride(dim);
        for (group, updates) in updates.chunks_mut((TOGETHER / each).max(1)).enumerate() {
            let from = group * (TOGETHER / each).max(1);
            let Self { crowds, staging, .. } = self;
            let (layout, memory) = crowds[at].buffers();
            let words =
                staging.fetch(memory, layout.params + 4 * each * from, each * updates.len())?;
            for (update, words) in updates.iter_mut().zip(words.chunks_exact(each)) {
                floats(words, update);
            }
        }
        Ok(())
    }

    /// Trains every task from `start`, all together; writes the weighted sum of what they changed.
    ///
    /// Sums are double precision, in the order of tasks. Updates never leave the device.
    pub fn train_folded(
        &mut self,
        images: &Images,
        start: &[f32],
        tasks: &[Task<'_>],
        weights: &[f32],
        sum: &mut [f32],
    ) -> Result<(), CudaError> {
        let dim = self.network.dim();
        same("`weights`", weights.len(), tasks.len())?;
        same("`sum`", sum.len(), dim)?;
        let Some(at) = self.run(images, start, tasks, weights)? else {
            sum.fill(0.0);
            return Ok(());
        };
        self.over_params(at, "fold", tasks.len())?;
        let Self { crowds, staging, .. } = self;
        let (layout, memory) = crowds[at].buffers();
        floats(staging.fetch(memory, layout.sum, dim)?, sum);
        Ok(())
    }

    /// Takes all steps; returns the place of the crowd, or none without tasks.
    pub(crate) fn run(
        &mut self,
        images: &Images,
        start: &[f32],
        tasks: &[Task<'_>],
        weights: &[f32],
    ) -> Result<Option<usize>, CudaError> {
        self.device.context.bind_to_thread().during("binding a thread")?;
        let dim = self.network.dim();
        same("`start`", start.len(), dim)?;
        for (common, own) in tasks.iter().filter_map(|task| task.drift) {
            same("a drift", common.len(), dim)?;
            same("a drift", own.len(), dim)?;
        }
        let mut order = Vec::new();
        let mut agents = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            agents.push(Agent::new(number, task, order.len())?);
            let used = &task.order[..task.rows_needed()];
            images.check(&format!("task {number}"), used)?;
            order.extend_from_slice(used);
        }
        let batch = agents.iter().map(|agent| agent.batch as usize).max();
        let Some(batch) = batch else { return Ok(None) };
        let steps = agents.iter().map(|agent| agent.steps).max().unwrap_or(0);
        let momentum = tasks.iter().any(|task| task.momentum != 0.0);
        let drift = tasks.iter().any(|task| task.drift.is_some());
        let purpose = Use::Train;
        let at = self.room(Crowd { agents: tasks.len(), batch, purpose, momentum, drift })?;
        self.order_room(order.len())?;
        let Self { crowds, staging, order: rows, .. } = self;
        let crowd = crowds[at].crowd;
        let (layout, memory) = crowds[at].buffers();
        // Agents that this round lacks are done before they begin.
        agents.resize(crowd.agents, Agent::done());
        let head = layout.params / 4;
        let words = staging.words(head + order.len())?;
        words[..head].fill(0);
        let place = layout.agents / 4;
        for (slot, agent) in words[place..].chunks_exact_mut(Agent::WORDS).zip(&agents) {
            slot.copy_from_slice(&agent.words());
        }
        bits(weights, &mut words[layout.weights / 4..]);
        bits(start, &mut words[layout.start / 4..]);
        words[head..].copy_from_slice(&order);
        staging.send(0..head, memory, 0)?;
        staging.send(head..head + order.len(), rows, 0)?;
        if let Some(drifts) = layout.drift {
            // One agent after another: all of them at once could be more than the host likes to pin.
            for (number, task) in tasks.iter().enumerate() {
                let words = staging.words(dim)?;
                match task.drift {
                    Some((common, own)) => differences(common, own, words),
                    None => words.fill(0),
                }
                staging.send(0..dim, memory, drifts + 4 * stride(dim) * number)?;
            }
        }
        let spread = if self.precision() == Precision::Bf16 { "spread_halves" } else { "spread" };
        self.over_params(at, spread, crowd.agents)?;
        self.replay(at, images, false, steps as usize)?;
        Ok(Some(at))
    }

    /// Runs a kernel over all parameters of some agents, or once over all of them in turn (`fold`).
    pub(crate) fn over_params(
        &mut self,
        at: usize,
        name: &'static str,
        agents: usize,
    ) -> Result<(), CudaError> {
        const THREADS: usize = 256;
        let function = self.plain(name)?;
        let dim = self.network.dim();
        let (layout, memory) = self.crowds[at].buffers();
        let args = Args {
            params: memory.at(layout.params),
            factors: memory.at(layout.factors),
            velocity: layout.velocity.map_or(0, |velocity| memory.at(velocity)),
            y: memory.at(layout.sum),
            before: memory.at(layout.start),
            shade: memory.at(layout.weights),
            stride: stride(dim) as u64,
            ..Args::default()
        };
        let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let (dim, count) = (dim as u64, size(agents));
        let launch = LaunchConfig {
            grid_dim: (
                size(stride(self.network.dim()).div_ceil(THREADS)),
                1,
                if name == "fold" { 1 } else { count },
            ),
            block_dim: (size(THREADS), 1, 1),
            shared_mem_bytes: 0,
        };
        let mut builder = self.device.stream.launch_builder(&function);
        builder.arg(&args).arg(&dim).arg(&count);
        // SAFETY: the kernel takes these three; it stays inside `dim` numbers of `agents` agents, which the
        // layout has room for.
        unsafe { builder.launch(launch) }.during("running a kernel").map(|_| ())
    }

    /// Makes room for an order of this many rows.
    pub(crate) fn order_room(&mut self, rows: usize) -> Result<(), CudaError> {
        if 4 * rows > self.order.bytes() {
            self.order = Arena::new(&self.device.stream, (4 * rows).next_power_of_two())?;
        }
        Ok(())
    }
}

pub(crate) fn same(what: &'static str, found: usize, wanted: usize) -> Result<(), CudaError> {
    if found == wanted { Ok(()) } else { Err(CudaError::Length { what, found, wanted }) }
}
