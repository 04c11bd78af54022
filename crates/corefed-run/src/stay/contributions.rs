//! What each agent brings, from what groups save.

use corefed_core::Weights;
use corefed_documents::{BalancedGroup, ContributionLine, Contributions, Estimate};
use corefed_evidence::SumOfMeans;
use corefed_game::{Game, SampledContribution, members, sampled_contributions};

use super::compared::Compared;
use super::row_shares::Share;

/// What a group is worth, in words.
const VALUE: &str = "what its members save together over each training alone: the sum of their held-out \
                     losses alone minus those under the group's model, by weight (one on average)";

/// The savings of groups.
struct Savings<'a> {
    compared: &'a Compared,
    /// One on average.
    weights: Vec<f64>,
}

impl Savings<'_> {
    /// What one agent saves in a group; none where it cannot be measured.
    fn of(&self, group: &[usize], agent: usize) -> Option<f64> {
        let alone = self.compared.of(&[agent], agent)?.measured?.loss;
        let loss = self.compared.of(group, agent)?.measured?.loss;
        Some(self.weights[agent] * (alone - loss))
    }

    /// `v(S)` (ledger E53); nothing for nobody.
    fn value(&self, group: &[usize]) -> Option<f64> {
        group.iter().map(|&agent| self.of(group, agent)).sum()
    }

    /// The noise of an agent's own rows in what it saves itself.
    fn own_interval(&self, agent: usize) -> Option<(f64, f64)> {
        // What it would gain alone, turned around.
        let gain = self.compared.of(&[agent], agent)?.gain?;
        let saved = SumOfMeans::of(&[(-self.weights[agent], gain)]);
        Some(saved.interval(self.compared.level))
    }

    /// A contribution with the noise of everybody's rows in it.
    fn estimate(&self, value: f64, share: Share, agent: usize) -> Estimate {
        let Compared { row_shares, parts, level, .. } = self.compared;
        let known = row_shares.of(share, agent, &parts.units, &self.weights);
        Estimate { value, interval: known.map(|sum| sum.interval(*level)) }
    }
}

impl Compared {
    /// Exactly where all groups were trained, from random orders where some were drawn.
    pub(crate) fn contributions(&self, weights: &Weights) -> Contributions {
        let n = self.names.len();
        let mean = weights.total() / n as f64;
        let weights = weights.values().iter().map(|weight| weight / mean).collect();
        let savings = Savings { compared: self, weights };
        let everybody: Vec<usize> = (0..n).collect();
        let missed = |agent: usize| {
            let others: Vec<usize> = everybody.iter().copied().filter(|&k| k != agent).collect();
            Some(savings.value(&everybody)? - savings.value(&others)?)
        };
        let line = |agent: usize| ContributionLine {
            name: self.names[agent].clone(),
            saves: savings
                .of(&everybody, agent)
                .map(|value| Estimate { value, interval: savings.own_interval(agent) }),
            leave_one_out: missed(agent)
                .map(|value| savings.estimate(value, Share::LeaveOneOut, agent)),
            shapley: None,
            banzhaf: None,
            payment: None,
        };
        let mut found = Contributions {
            value: VALUE.to_owned(),
            everybody: savings.value(&everybody),
            agents: everybody.iter().map(|&agent| line(agent)).collect(),
            excess: None,
            proof: Vec::new(),
            open: None,
        };
        if self.groups.all {
            self.exactly(&savings, &mut found);
        } else {
            self.sampled(&savings, &mut found);
        }
        found
    }

    fn exactly(&self, savings: &Savings<'_>, found: &mut Contributions) {
        let n = self.names.len();
        let mut values = Vec::with_capacity(1 << n);
        for mask in 0_usize..1 << n {
            let group: Vec<usize> = members(mask).collect();
            let Some(value) = savings.value(&group) else {
                found.open = Some(self.unknown(&group));
                return;
            };
            values.push(value);
        }
        let game = match Game::new(n, values) {
            Ok(game) => game,
            Err(error) => {
                found.open = Some(error.to_string());
                return;
            }
        };
        let least = game.least_core();
        for (k, line) in found.agents.iter_mut().enumerate() {
            line.payment = least.as_ref().map(|least| least.payments[k]);
        }
        let values = game.shapley().into_iter().zip(game.banzhaf());
        for (k, (line, (shapley, banzhaf))) in found.agents.iter_mut().zip(values).enumerate() {
            line.shapley = Some(savings.estimate(shapley, Share::Shapley, k));
            line.banzhaf = Some(savings.estimate(banzhaf, Share::Banzhaf, k));
        }
        if let Some(least) = least {
            let group = |(mask, weight): (usize, f64)| BalancedGroup {
                members: self.named(&members(mask).collect::<Vec<_>>()),
                weight,
            };
            found.excess = Some(least.excess);
            found.proof = least.proof.into_iter().map(group).collect();
        }
    }

    fn sampled(&self, savings: &Savings<'_>, found: &mut Contributions) {
        let prefixes = self.groups.orders.iter().flat_map(|order| {
            (1..=order.len()).map(|length| {
                let mut group = order[..length].to_vec();
                group.sort_unstable();
                group
            })
        });
        for group in prefixes {
            if savings.value(&group).is_none() {
                found.open = Some(self.unknown(&group));
                return;
            }
        }
        let value = |group: &[usize]| savings.value(group).unwrap_or(f64::NAN);
        let Some(estimates) = sampled_contributions(&self.groups.orders, self.level.get(), value)
        else {
            found.open = Some(format!(
                "{} agents have too many groups for exact values; draw some: `coalitions = {}`",
                self.names.len(),
                20 * self.names.len()
            ));
            return;
        };
        let estimate = |found: &SampledContribution| {
            Some(Estimate { value: found.mean, interval: Some((found.lo, found.hi)) })
        };
        for (k, line) in found.agents.iter_mut().enumerate() {
            line.shapley = estimate(&estimates.shapley[k]);
            line.banzhaf = estimate(&estimates.banzhaf[k]);
        }
        found.open = Some("the least core needs the value of every group".to_owned());
    }

    /// Why a group has no value.
    fn unknown(&self, group: &[usize]) -> String {
        let names = self.named(group).join(", ");
        let bare = group.iter().find(|&&agent| self.parts.units[agent].count() == 0);
        match bare {
            Some(&agent) => format!("`{}` has no held-out rows", self.names[agent]),
            None => format!("the group {names}, or one of its members alone, has no model"),
        }
    }
}
