//! What one agent does in a round.

use crate::CudaError;

/// The training of one agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Task<'a> {
    /// Rows in the order of their use, epochs one after the other.
    pub order: &'a [u32],
    /// Rows of one epoch; its last batch may be short.
    pub epoch_rows: usize,
    /// Rows of a batch.
    pub batch: usize,
    /// Steps to take.
    pub steps: usize,
    /// Step size.
    pub learning_rate: f32,
    /// Of the heavy ball: `v = momentum v + gradient`, then a step along `v`.
    pub momentum: f32,
    /// Times the parameters, added to the gradient.
    pub weight_decay: f32,
    /// What is minimised.
    pub objective: Objective,
    /// Of the numbers that dropout zeroes: step `t` draws with this plus `t`, as `Network::gradient` does.
    pub dropout_seed: u64,
    /// Two vectors whose difference, the first less the second, is added to every gradient.
    pub drift: Option<(&'a [f32], &'a [f32])>,
}

/// What a step descends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Objective {
    /// The mean loss of the batch.
    Loss,
    /// `-log(ceiling - loss)` of the batch: its gradient is the loss's over `max(ceiling - loss, floor)`.
    LogUtility {
        /// `M`.
        ceiling: f32,
        /// Utilities below it count as this much.
        floor: f32,
    },
}

/// Mirrors `Agent` in `common.cu`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Agent {
    seed: u64,
    pub(crate) first: u32,
    pub(crate) epoch_rows: u32,
    pub(crate) batch: u32,
    pub(crate) steps: u32,
    rate: f32,
    momentum: f32,
    decay: f32,
    ceiling: f32,
    floor: f32,
    objective: u32,
}

impl Agent {
    /// Passes over rows once and adds gradients up, or only looks at losses.
    pub(crate) fn sums(rows: u32, batch: u32) -> Self {
        const SUM: u32 = 2;
        let steps = rows.div_ceil(batch);
        Self { epoch_rows: rows, batch, steps, objective: SUM, ..Self::default() }
    }

    pub(crate) const WORDS: usize = size_of::<Self>() / 4;

    /// As the device sees it.
    #[expect(clippy::cast_possible_truncation, reason = "both halves are kept")]
    pub(crate) fn words(&self) -> [u32; Self::WORDS] {
        let numbers = [self.rate, self.momentum, self.decay, self.ceiling, self.floor];
        let [rate, momentum, decay, ceiling, floor] = numbers.map(f32::to_bits);
        let (low, high) = (self.seed as u32, (self.seed >> 32) as u32);
        let Self { first, epoch_rows, batch, steps, objective, .. } = *self;
        [
            low, high, first, epoch_rows, batch, steps, rate, momentum, decay, ceiling, floor,
            objective,
        ]
    }

    /// Has nothing to do.
    pub(crate) fn done() -> Self {
        Self { batch: 1, ..Self::default() }
    }

    /// A task whose order begins at `first`, or what is wrong with it.
    pub(crate) fn new(number: usize, task: &Task<'_>, first: usize) -> Result<Self, CudaError> {
        let wrong = |what: &str, found: usize, wanted: String| CudaError::Range {
            what: format!("task {number}: {what}"),
            found: found.to_string(),
            wanted,
        };
        if task.batch == 0 {
            return Err(wrong("batch", 0, "positive".to_owned()));
        }
        if task.epoch_rows == 0 && task.steps > 0 {
            return Err(wrong("epoch_rows", 0, "positive".to_owned()));
        }
        let needed = task.rows_needed();
        if task.order.len() < needed {
            let wanted = format!("at least {needed}, for {} steps", task.steps);
            return Err(wrong("length of `order`", task.order.len(), wanted));
        }
        let count = |what: &str, value: usize| {
            u32::try_from(value).map_err(|_| wrong(what, value, "below 2^32".to_owned()))
        };
        let (objective, ceiling, floor) = match task.objective {
            Objective::Loss => (0, 0.0, 0.0),
            Objective::LogUtility { ceiling, floor } => (1, ceiling, floor),
        };
        Ok(Self {
            seed: task.dropout_seed,
            first: count("place in the order", first)?,
            epoch_rows: count("epoch_rows", task.epoch_rows)?,
            batch: count("batch", task.batch.min(task.epoch_rows.max(1)))?,
            steps: count("steps", task.steps)?,
            rate: task.learning_rate,
            momentum: task.momentum,
            decay: task.weight_decay,
            ceiling,
            floor,
            objective,
        })
    }
}

impl Task<'_> {
    /// How much of the order its steps use.
    pub(crate) fn rows_needed(&self) -> usize {
        let Some(last) = self.steps.checked_sub(1) else { return 0 };
        let per_epoch = self.epoch_rows.div_ceil(self.batch);
        let within = (last % per_epoch + 1) * self.batch;
        last / per_epoch * self.epoch_rows + within.min(self.epoch_rows)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(order: &[u32], epoch_rows: usize, batch: usize, steps: usize) -> Task<'_> {
        Task {
            order,
            epoch_rows,
            batch,
            steps,
            learning_rate: 0.1,
            momentum: 0.0,
            weight_decay: 0.0,
            objective: Objective::Loss,
            dropout_seed: 0,
            drift: None,
        }
    }

    #[test]
    fn short_batches_end_epochs() {
        let order: Vec<u32> = (0..30).collect();
        // Epochs of 10 rows in batches of 4: 4, 4, 2, then the next epoch.
        for (steps, rows) in [(0, 0), (1, 4), (3, 10), (4, 14), (6, 20), (7, 24), (9, 30)] {
            assert_eq!(task(&order, 10, 4, steps).rows_needed(), rows);
        }
        assert_eq!(task(&order, 10, 64, 3).rows_needed(), 30);
    }

    #[test]
    fn orders_that_end_too_early_are_refused() {
        let order: Vec<u32> = (0..13).collect();
        let error = Agent::new(2, &task(&order, 10, 4, 4), 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "task 2: length of `order` is 13, and must be at least 14, for 4 steps"
        );
        assert!(Agent::new(2, &task(&order, 10, 4, 3), 0).is_ok());
        assert!(Agent::new(0, &task(&order, 10, 0, 3), 0).is_err());
        assert!(Agent::new(0, &task(&order, 0, 4, 3), 0).is_err());
    }

    #[test]
    fn batches_are_never_larger_than_an_epoch() {
        let order: Vec<u32> = (0..10).collect();
        assert_eq!(Agent::new(0, &task(&order, 10, 64, 1), 0).unwrap().batch, 10);
    }

    #[test]
    fn words_are_as_the_kernels_read_them() {
        let agent =
            Agent { seed: 7 << 32 | 5, first: 1, rate: 0.5, objective: 2, ..Agent::default() };
        assert_eq!(agent.words(), [5, 7, 1, 0, 0, 0, 0x3f00_0000, 0, 0, 0, 0, 2]);
    }
}
