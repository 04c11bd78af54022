//! Every coalition trains alone: the plainest rivals, where agents are few.

use crate::{Rivals, Search, SearchError};

/// Agents up to which every coalition is trained: 1,023 models.
pub const MOST_TRAINED_AGENTS: usize = 10;

/// All non-empty coalitions, small ones first, in a fixed order; members ascend.
///
/// At most 31 agents are listed from.
///
/// ```
/// let all: Vec<Vec<usize>> = corefed_evidence::coalitions(2).collect();
/// assert_eq!(all, [vec![0], vec![1], vec![0, 1]]);
/// ```
pub fn coalitions(agents: usize) -> impl Iterator<Item = Vec<usize>> {
    let agents = agents.min(31);
    let members = move |mask: u32| (0..agents).filter(|agent| mask >> agent & 1 == 1).collect();
    let of_size = move |size: u32| (1..1_u32 << agents).filter(move |m| m.count_ones() == size);
    (1..=32).flat_map(of_size).map(members)
}

impl<R: Rivals + ?Sized> Search<'_, R> {
    /// Trains a model for every coalition from the same start, members counting by weight, and
    /// offers each at its end.
    pub fn train_coalitions(&mut self, start: &[f32], bursts: usize) -> Result<(), SearchError> {
        let agents = self.now.len();
        if agents > MOST_TRAINED_AGENTS {
            return Err(SearchError::TooManyCoalitions { agents, most: MOST_TRAINED_AGENTS });
        }
        for coalition in coalitions(agents) {
            let mut coefficients = vec![0.0; agents];
            let share = self.weights.share(&coalition);
            for &agent in &coalition {
                coefficients[agent] = self.weights.share(&[agent]) / share;
            }
            let mut params = start.to_vec();
            for burst in 0..bursts {
                self.bursts += 1;
                let Some(next) = self.rivals.improve(&params, &coefficients, burst)? else { break };
                params = next;
            }
            let alone = if coalition.len() == 1 { "alone" } else { "on their own" };
            let name = format!("{} trained {alone}", self.members(&coalition));
            self.offer(&name, &params)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_coalition_is_listed_once_small_ones_first() {
        let all: Vec<Vec<usize>> = coalitions(5).collect();
        assert_eq!(all.len(), 31);
        assert!(all.is_sorted_by_key(Vec::len));
        let mut distinct = all.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), 31);
        assert_eq!(all.last().map(Vec::len), Some(5));
        assert_eq!(coalitions(0).count(), 0);
    }
}
