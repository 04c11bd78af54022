//! What each agent brings where there are too many coalitions to ask about each: estimates from random orders
//! of arrival, with intervals.

use corefed_core::{Seed, shuffle, student_t_quantile};

/// Random orders in which agents arrive, each equally likely.
#[must_use]
pub fn permutations(agents: usize, count: usize, seed: Seed) -> Vec<Vec<usize>> {
    let draw = |index: usize| {
        let mut order: Vec<usize> = (0..agents).collect();
        shuffle(&mut order, &mut seed.derive_index(index as u64).rng());
        order
    };
    (0..count).map(draw).collect()
}

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledContribution {
    /// The mean over the orders.
    pub mean: f64,
    /// Lower end.
    pub lo: f64,
    /// Upper end.
    pub hi: f64,
}

/// Estimates of every agent's contribution.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledContributions {
    /// Of the Shapley value.
    pub shapley: Vec<SampledContribution>,
    /// Of the Banzhaf value.
    pub banzhaf: Vec<SampledContribution>,
}

/// Shapley and Banzhaf values from orders of arrival; `value` takes the members of a coalition, ascending,
/// the empty one included (ledger E56). `None` with fewer than two orders, which show no spread.
///
/// In a random order an agent arrives with `k` before it, each `k` equally likely, and they are a random
/// coalition of that size. So what it adds has the Shapley value as its mean, and what it adds times
/// `n C(n-1, k) / 2^(n-1)` the Banzhaf value. Intervals are Student's, at `level`, over the orders.
#[must_use]
pub fn sampled_contributions(
    orders: &[Vec<usize>],
    level: f64,
    value: impl Fn(&[usize]) -> f64,
) -> Option<SampledContributions> {
    let agents = orders.first()?.len();
    if orders.len() < 2 {
        return None;
    }
    let chances = binomial_chances(agents);
    let mut added = vec![Vec::with_capacity(orders.len()); agents];
    let mut counted = added.clone();
    for order in orders {
        let mut there: Vec<usize> = Vec::with_capacity(agents);
        let mut before = value(&there);
        for (k, &agent) in order.iter().enumerate() {
            let at = there.partition_point(|member| *member < agent);
            there.insert(at, agent);
            let after = value(&there);
            added[agent].push(after - before);
            counted[agent].push((after - before) * chances[k] * agents as f64);
            before = after;
        }
    }
    let quantile = student_t_quantile(0.5 + 0.5 * level, orders.len() as f64 - 1.0);
    let estimates = |samples: Vec<Vec<f64>>| {
        samples.iter().map(|samples| SampledContribution::of(samples, quantile)).collect()
    };
    Some(SampledContributions { shapley: estimates(added), banzhaf: estimates(counted) })
}

/// `C(n-1, k) / 2^(n-1)` for every `k`, by halving, so that nothing overflows.
fn binomial_chances(agents: usize) -> Vec<f64> {
    let mut chances = vec![1.0];
    for _ in 1..agents {
        let mut next = vec![0.0; chances.len() + 1];
        for (k, chance) in chances.iter().enumerate() {
            next[k] += 0.5 * chance;
            next[k + 1] += 0.5 * chance;
        }
        chances = next;
    }
    chances
}

impl SampledContribution {
    fn of(samples: &[f64], quantile: f64) -> Self {
        let count = samples.len() as f64;
        let mean = samples.iter().sum::<f64>() / count;
        let variance = samples.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (count - 1.0);
        let half = quantile * (variance / count).sqrt();
        Self { mean, lo: mean - half, hi: mean + half }
    }
}
