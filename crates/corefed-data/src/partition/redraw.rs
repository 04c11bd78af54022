//! Drawing until every agent has enough rows.
//!
//! A Dirichlet split may leave an agent with nothing. The remedy in common use is to draw
//! again, here with the number of the attempt derived into the seed, so that the split
//! found is the same for everyone. Attempts only draw sizes; rows are dealt once at the end.

use super::{PartitionError, check_counts};
use corefed_core::Seed;

/// Smallest concentration; below, one agent has everything anyway.
const SMALLEST_ALPHA: f64 = 1e-9;
/// Most attempts, and the shares they may draw in total: a hopeless request fails in seconds.
const ATTEMPTS: u64 = 1_000;
const SHARES: u64 = 20_000_000;
/// Attempts that every request gets, however large.
const FEWEST_ATTEMPTS: u64 = 10;

/// What every Dirichlet split asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request {
    pub(super) rows: usize,
    pub(super) agents: usize,
    /// Parameter of the symmetric Dirichlet distribution.
    pub(super) alpha: f64,
    /// Rows every agent must have, at least one.
    pub(super) min_samples: usize,
}

impl Request {
    /// Refuses at once what no number of attempts can satisfy.
    pub(super) fn check(&self) -> Result<(), PartitionError> {
        let &Self { rows, agents, alpha, min_samples: minimum } = self;
        if !(alpha.is_finite() && alpha >= SMALLEST_ALPHA) {
            return Err(PartitionError::Alpha { alpha });
        }
        if minimum == 0 {
            return Err(PartitionError::NoMinimum);
        }
        check_counts(rows, agents)?;
        if agents.checked_mul(minimum).is_none_or(|needed| needed > rows) {
            return Err(PartitionError::TooFewRows { agents, minimum, rows });
        }
        Ok(())
    }

    /// The first drawn sizes in which every agent has its minimum.
    ///
    /// `draw` returns for each of `parts` parts of the data the rows that each agent gets.
    pub(super) fn satisfy(
        &self,
        parts: usize,
        seed: Seed,
        mut draw: impl FnMut(Seed) -> Vec<Vec<usize>>,
    ) -> Result<Vec<Vec<usize>>, PartitionError> {
        let shares = (parts as u64).saturating_mul(self.agents as u64).max(1);
        let attempts = (SHARES / shares).clamp(FEWEST_ATTEMPTS, ATTEMPTS);
        let mut best = 0;
        for attempt in 0..attempts {
            let sizes = draw(seed.derive_index(attempt));
            let mut totals = vec![0; self.agents];
            for part in &sizes {
                for (total, size) in totals.iter_mut().zip(part) {
                    *total += size;
                }
            }
            let smallest = totals.into_iter().min().unwrap_or(0);
            if smallest >= self.min_samples {
                return Ok(sizes);
            }
            best = best.max(smallest);
        }
        Err(PartitionError::Unlucky { attempts, minimum: self.min_samples, best })
    }
}

/// Cuts `rows` in proportion to shares that sum to one: boundaries are the running sums times
/// `rows`, rounded down.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the running sum lies between zero and about one"
)]
pub(super) fn cut(rows: usize, shares: &[f64]) -> Vec<usize> {
    let mut start = 0;
    let mut sum = 0.0;
    let mut sizes: Vec<usize> = shares
        .iter()
        .map(|share| {
            sum += share;
            let end = ((sum * rows as f64) as usize).clamp(start, rows);
            let size = end - start;
            start = end;
            size
        })
        .collect();
    // The sum may fall short of one by rounding; what is left is the last agent's.
    if let Some(last) = sizes.last_mut() {
        *last += rows - start;
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_cut_at_running_sums() {
        // Sums 0.25, 0.5, 1 times 10 are 2.5, 5, 10.
        assert_eq!(cut(10, &[0.25, 0.25, 0.5]), [2, 3, 5]);
        assert_eq!(cut(3, &[0.0, 1.0, 0.0]), [0, 3, 0]);
        // Shares that fall short by rounding lose no row.
        assert_eq!(cut(7, &[0.3, 0.699_999]), [2, 5]);
    }

    #[test]
    fn attempts_stop_at_the_first_that_satisfies() {
        let request = Request { rows: 10, agents: 2, alpha: 1.0, min_samples: 3 };
        let mut drawn = vec![vec![vec![4, 6]], vec![vec![2, 8]], vec![vec![0, 10]]];
        let sizes = request.satisfy(1, Seed(0), |_| drawn.pop().unwrap());
        assert_eq!(sizes, Ok(vec![vec![4, 6]]));
    }

    #[test]
    fn giving_up_says_how_far_it_got() {
        let request = Request { rows: 10, agents: 2, alpha: 1.0, min_samples: 5 };
        let error = request.satisfy(1, Seed(0), |_| vec![vec![4, 6]]).unwrap_err();
        assert_eq!(error, PartitionError::Unlucky { attempts: ATTEMPTS, minimum: 5, best: 4 });
        assert_eq!(
            error.to_string(),
            "no split in `1000` attempts gave every agent `5` rows; \
             in the best, the smallest agent had `4`"
        );
        assert!(error.hint().unwrap().contains("larger alpha"));
    }
}
