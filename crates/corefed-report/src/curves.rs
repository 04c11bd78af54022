//! Rounds made few enough to draw, honestly: every bucket keeps its lowest and highest value.

use std::collections::BTreeMap;

use corefed_log::{AgentRecord, GuardHeader, RoundRecord};

use crate::rival::Rival;
use crate::safeguards::Safeguards;

/// Points of a curve at most.
const MOST_BUCKETS: usize = 300;
/// Earlier models kept as rivals, and numbers in all of them together, at most.
const MOST_SNAPSHOTS: usize = 24;
const MOST_SNAPSHOT_VALUES: usize = 8_000;
/// Quantiles over agents: lowest, quarter, median, three quarters, highest.
const QUANTILES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// The values of some consecutive rounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// The last round with a value.
    pub round: usize,
    /// Lowest value.
    pub min: f64,
    /// Highest value.
    pub max: f64,
    /// Value of that last round.
    pub last: f64,
}

/// One quantity over rounds; rounds without a value leave no bucket.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// In order of rounds.
    pub buckets: Vec<Bucket>,
}

impl Curve {
    fn push(&mut self, width: usize, round: usize, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else { return };
        match self.buckets.last_mut() {
            Some(bucket)
                if bucket.round / width == round / width && round > 0 && bucket.round > 0 =>
            {
                bucket.round = round;
                bucket.min = bucket.min.min(value);
                bucket.max = bucket.max.max(value);
                bucket.last = value;
            }
            _ => self.buckets.push(Bucket { round, min: value, max: value, last: value }),
        }
    }

    /// The value of the last round.
    #[must_use]
    pub fn end(&self) -> Option<f64> {
        self.buckets.last().map(|bucket| bucket.last)
    }
}

/// A training, ready to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Name in the legend.
    pub name: String,
    /// Runs of one group share a colour: the rule, when there are several seeds.
    pub group: String,
    /// The last round.
    pub rounds: usize,
    /// Rounds that one bucket stands for; one where nothing was left out.
    pub width: usize,
    /// Sum of weighted log utilities.
    pub log_welfare: Curve,
    /// Best factor of any coalition, not everybody, with a model met so far.
    pub kappa: Curve,
    /// Best factor of everybody with a model met so far.
    pub everybody: Curve,
    /// Frank-Wolfe bound.
    pub bound: Curve,
    /// Utilities by agent of the page.
    pub utilities: Vec<Curve>,
    /// Weights in the server's step by agent of the page.
    pub weights: Vec<Curve>,
    /// Lowest, quarter, median, three quarters and highest utility.
    pub quantiles: [Curve; 5],
    /// Models of earlier rounds.
    pub snapshots: Vec<Rival>,
    /// On whom safeguards acted.
    pub safeguards: Safeguards,
}

/// Collects the records of a training, one round after the other.
#[derive(Clone, Debug)]
pub struct Curves {
    run: Run,
    index: BTreeMap<String, usize>,
    snapshot: usize,
}

impl Curves {
    /// For a training planned for this many rounds. Buckets depend on the plan, not on how far it got,
    /// so that a live page does not change its mind.
    #[must_use]
    pub fn new(name: &str, group: &str, planned: usize, agents: &[String]) -> Self {
        let count = agents.len();
        let most = (MOST_SNAPSHOT_VALUES / count.max(1)).clamp(2, MOST_SNAPSHOTS);
        let run = Run {
            name: name.to_owned(),
            group: group.to_owned(),
            width: planned.div_ceil(MOST_BUCKETS).max(1),
            utilities: vec![Curve::default(); count],
            weights: vec![Curve::default(); count],
            ..Run::default()
        };
        let index = agents.iter().enumerate().map(|(k, name)| (name.clone(), k)).collect();
        Self { run, index, snapshot: planned.div_ceil(most).max(1) }
    }

    /// Adds what guards replaced before the first round.
    pub fn begin(&mut self, guards: &[GuardHeader]) {
        self.run.safeguards.begin(guards);
    }

    /// Adds a round with its agents.
    pub fn push(&mut self, round: &RoundRecord, agents: &[AgentRecord]) {
        let (run, at) = (&mut self.run, round.round);
        run.rounds = run.rounds.max(at);
        run.safeguards.push(round);
        run.log_welfare.push(run.width, at, round.log_welfare);
        run.kappa.push(run.width, at, round.kappa);
        run.everybody.push(run.width, at, round.everybody);
        run.bound.push(run.width, at, round.bound);
        let mut utilities = vec![None; run.utilities.len()];
        for agent in agents {
            let Some(&k) = self.index.get(&agent.agent) else { continue };
            run.utilities[k].push(run.width, at, agent.utility);
            run.weights[k].push(run.width, at, agent.weight);
            utilities[k] = agent.utility;
        }
        let mut sorted: Vec<f64> = utilities.iter().flatten().copied().collect();
        if sorted.is_empty() {
            return;
        }
        sorted.sort_by(f64::total_cmp);
        for (curve, q) in run.quantiles.iter_mut().zip(QUANTILES) {
            curve.push(run.width, at, Some(quantile(&sorted, q)));
        }
        if at.is_multiple_of(self.snapshot) {
            run.snapshots.push(Rival { name: format!("{}, round {at}", run.name), utilities });
        }
    }

    /// What was collected.
    #[must_use]
    pub fn finish(self) -> Run {
        self.run
    }
}

/// Between the neighbouring values, in proportion.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let position = q * last as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "within the slice")]
    let below = (position.floor() as usize).min(last);
    let above = (below + 1).min(last);
    sorted[below] + (position - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_keeps_what_is_lowest_highest_and_last() {
        let mut curves = Curves::new("run", "run", 900, &[]);
        for round in 0..=900 {
            let value = if round == 451 { 9.0 } else { 0.001 * round as f64 };
            let record = RoundRecord { round, log_welfare: Some(value), ..RoundRecord::default() };
            curves.push(&record, &[]);
        }
        let run = curves.finish();
        assert_eq!((run.width, run.rounds), (3, 900));
        let peak = run.log_welfare.buckets.iter().find(|b| b.max == 9.0).unwrap();
        assert_eq!((peak.round, peak.min, peak.last), (452, 0.45, 0.452));
        // The initial state stands for itself.
        assert_eq!(run.log_welfare.buckets[0], Bucket { round: 0, min: 0.0, max: 0.0, last: 0.0 });
        assert!(run.log_welfare.buckets.len() <= MOST_BUCKETS + 2);
    }

    #[test]
    fn quantiles_lie_between_their_neighbours() {
        let sorted = [0.0, 1.0, 3.0];
        assert_eq!(QUANTILES.map(|q| quantile(&sorted, q)), [0.0, 0.5, 1.0, 2.0, 3.0]);
    }
}
