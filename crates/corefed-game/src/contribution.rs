//! What each agent brings: leave-one-out, Shapley and Banzhaf.

use crate::{Game, members};

impl Game {
    /// `v(N) - v(N - i)`: what the others would miss without an agent, itself included (ledger E53).
    #[must_use]
    pub fn leave_one_out(&self) -> Vec<f64> {
        let all = self.everybody();
        (0..self.agents()).map(|agent| self.value(all) - self.value(all & !(1 << agent))).collect()
    }

    /// `sum_S |S|! (n - |S| - 1)! / n! (v(S + i) - v(S))` over the coalitions without `i`: the mean over all
    /// orders in which agents may arrive of what each adds to those before it (ledger E53). Shares sum to
    /// `v(N)`.
    #[must_use]
    pub fn shapley(&self) -> Vec<f64> {
        self.weighted(&SizeWeights::shapley(self.agents()))
    }

    /// `2^(1 - n) sum_S (v(S + i) - v(S))`: what an agent adds to a coalition that everybody else joins or
    /// not with equal chances (ledger E53). Shares need not sum to `v(N)`.
    #[must_use]
    pub fn banzhaf(&self) -> Vec<f64> {
        self.weighted(&SizeWeights::banzhaf(self.agents()))
    }

    /// Differences that an agent makes, weighted by how many are there before it.
    fn weighted(&self, weights: &SizeWeights) -> Vec<f64> {
        let mut shares = vec![0.0; self.agents()];
        for mask in 0..self.everybody() {
            let weight = weights.0[mask.count_ones() as usize];
            for agent in members(self.everybody() & !mask) {
                shares[agent] += weight * (self.value(mask | 1 << agent) - self.value(mask));
            }
        }
        shares
    }
}

/// How much what an agent adds to a coalition counts in its contribution, by the coalition's size.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeWeights(Vec<f64>);

impl SizeWeights {
    /// Of Shapley's value among `n` agents: `1 / (n C(n - 1, k))`, without factorials.
    #[must_use]
    pub fn shapley(n: usize) -> Self {
        let mut weights = vec![1.0 / n as f64; n];
        for k in 1..n {
            weights[k] = weights[k - 1] * k as f64 / (n - k) as f64;
        }
        Self(weights)
    }

    /// Of Banzhaf's value among `n` agents: `2^(1 - n)`.
    #[must_use]
    pub fn banzhaf(n: usize) -> Self {
        Self(vec![2.0 / (1_u64 << n) as f64; n])
    }

    /// The factor of `v(S)` in an agent's contribution, which is linear in `v`: positive for coalitions of
    /// `size` agents with the agent, negative for those without it.
    #[must_use]
    pub fn factor(&self, size: usize, member: bool) -> f64 {
        if member { self.0[size - 1] } else { -self.0[size] }
    }
}
