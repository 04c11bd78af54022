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
        let n = self.agents();
        // 1 / (n C(n - 1, k)), without factorials.
        let mut weights = vec![1.0 / n as f64; n];
        for k in 1..n {
            weights[k] = weights[k - 1] * k as f64 / (n - k) as f64;
        }
        self.weighted(|size| weights[size])
    }

    /// `2^(1 - n) sum_S (v(S + i) - v(S))`: what an agent adds to a coalition that everybody else joins or
    /// not with equal chances (ledger E53). Shares need not sum to `v(N)`.
    #[must_use]
    pub fn banzhaf(&self) -> Vec<f64> {
        let weight = 2.0 / self.values() as f64;
        self.weighted(|_| weight)
    }

    /// Differences that an agent makes, weighted by how many are there before it.
    fn weighted(&self, weight: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut shares = vec![0.0; self.agents()];
        for mask in 0..self.everybody() {
            let weight = weight(mask.count_ones() as usize);
            for agent in members(self.everybody() & !mask) {
                shares[agent] += weight * (self.value(mask | 1 << agent) - self.value(mask));
            }
        }
        shares
    }

    fn values(&self) -> usize {
        self.everybody() + 1
    }
}
