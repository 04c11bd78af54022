//! Corrupting an encoded federation.

use rand_chacha::ChaCha8Rng;

use super::{CorruptError, Corruption, Corruptions};
use crate::Federation;
use crate::names::{excerpt, nearest};
use crate::target_kind::TargetKind;
use corefed_core::Seed;
use corefed_core::{below, choose, normal, uniform};

/// A federation whose listed agents are worse than they were.
///
/// Noise is added to the dense columns in units of their standard deviation over the rows of
/// all agents as given, which is one where columns were standardised.
pub fn corrupt(
    federation: &Federation,
    kind: TargetKind,
    corruptions: &Corruptions,
    seed: Seed,
) -> Result<Federation, CorruptError> {
    let names: Vec<&str> = federation.agents().iter().map(|agent| agent.name.as_str()).collect();
    check(&names, kind, federation.design().dense_cols() > 0, corruptions)?;
    let scales = scales(federation);
    let agents = federation.agents();
    let lots: Vec<Lot> = agents
        .iter()
        .map(|agent| {
            let mut lot = Lot::of(federation, agent.rows.clone());
            lot.suffer_all(&agent.name, corruptions.of(&agent.name), kind, &scales, seed);
            lot
        })
        .collect();
    let rows = agents.iter().zip(&lots).map(|(agent, lot)| (agent.name.as_str(), lot.rows.clone()));
    let (mut design, exposure, agents) = federation.select(rows).into_parts();
    let mut target = Vec::with_capacity(design.rows());
    for (agent, lot) in agents.iter().zip(lots) {
        design.dense_rows_mut(agent.rows.clone()).copy_from_slice(&lot.dense);
        target.extend(lot.target);
    }
    Ok(Federation::new(design, target, agents).with_exposure(exposure))
}

/// One agent's data while they get worse.
pub(super) struct Lot {
    /// Where each row comes from.
    pub(super) rows: Vec<usize>,
    /// Row-major dense entries.
    pub(super) dense: Vec<f64>,
    pub(super) target: Vec<f64>,
}

impl Lot {
    fn of(federation: &Federation, rows: std::ops::Range<usize>) -> Self {
        Self {
            dense: federation.design().dense_rows(rows.clone()).to_vec(),
            target: federation.target()[rows.clone()].to_vec(),
            rows: rows.collect(),
        }
    }

    /// One corruption after the other, each from a seed of the agent's name and the step.
    pub(super) fn suffer_all(
        &mut self,
        agent: &str,
        steps: &[Corruption],
        kind: TargetKind,
        scales: &[f64],
        seed: Seed,
    ) {
        let seed = seed.derive("corrupt").derive(agent);
        for (step, corruption) in (0..).zip(steps) {
            let mut rng = seed.derive_index(step).derive(corruption.name()).rng();
            self.suffer(*corruption, kind, scales, &mut rng);
        }
    }

    fn suffer(
        &mut self,
        corruption: Corruption,
        kind: TargetKind,
        scales: &[f64],
        rng: &mut ChaCha8Rng,
    ) {
        let len = self.rows.len();
        match corruption {
            Corruption::FeatureNoise { std } => {
                for (value, scale) in self.dense.iter_mut().zip(scales.iter().cycle()) {
                    *value += std * scale * normal(rng);
                }
            }
            Corruption::LabelNoise { rate } => {
                let TargetKind::Class { classes } = kind else { return };
                for label in &mut self.target {
                    if uniform(rng) < rate {
                        *label = other_class(*label, classes, rng);
                    }
                }
            }
            Corruption::Drop { rate } => {
                let count = share(len, rate).min(len - 1);
                self.repeat(&choice(len, count, rng), 0);
            }
            Corruption::Duplicate { rate } => {
                self.repeat(&choice(len, share(len, rate), rng), 2);
            }
        }
    }

    /// Has the chosen rows `times` times and the others once, in their order.
    fn repeat(&mut self, chosen: &[bool], times: usize) {
        let width = self.dense.len() / self.rows.len().max(1);
        let times = |position: usize| if chosen[position] { times } else { 1 };
        let order: Vec<usize> =
            (0..self.rows.len()).flat_map(|i| std::iter::repeat_n(i, times(i))).collect();
        self.dense =
            order.iter().flat_map(|i| &self.dense[i * width..(i + 1) * width]).copied().collect();
        self.target = order.iter().map(|&i| self.target[i]).collect();
        self.rows = order.iter().map(|&i| self.rows[i]).collect();
    }
}

/// Refuses before anything is done what cannot be done.
pub(super) fn check(
    names: &[&str],
    kind: TargetKind,
    has_numbers: bool,
    corruptions: &Corruptions,
) -> Result<(), CorruptError> {
    for (name, steps) in corruptions.iter() {
        let agent = excerpt(name);
        if !names.contains(&name) {
            let nearest = nearest(name, names).map(excerpt);
            let present = names.iter().map(|&name| name.to_owned()).collect();
            return Err(CorruptError::UnknownAgent { agent, present, nearest });
        }
        for step in steps {
            match (step.check()?, kind) {
                (Corruption::LabelNoise { .. }, TargetKind::Number) => {
                    return Err(CorruptError::NoLabels { agent });
                }
                (Corruption::LabelNoise { .. }, TargetKind::Class { classes: classes @ 0..2 }) => {
                    return Err(CorruptError::NoOtherClass { agent, classes });
                }
                (Corruption::FeatureNoise { .. }, _) if !has_numbers => {
                    return Err(CorruptError::NoFeatures { agent });
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Standard deviation of every dense column over all rows.
fn scales(federation: &Federation) -> Vec<f64> {
    let design = federation.design();
    let rows = design.rows();
    // Without columns there is nothing to chunk, and chunks of nothing are refused.
    let columns = design.dense_cols().max(1);
    let mean = |term: &dyn Fn(usize, f64) -> f64| -> Vec<f64> {
        let mut sums = vec![0.0; design.dense_cols()];
        for row in design.dense_rows(0..rows).chunks_exact(columns) {
            for (column, (sum, &value)) in sums.iter_mut().zip(row).enumerate() {
                *sum += term(column, value);
            }
        }
        sums.into_iter().map(|sum| sum / rows as f64).collect()
    };
    let means = mean(&|_, value| value);
    let variances = mean(&|column, value| (value - means[column]).powi(2));
    variances.into_iter().map(f64::sqrt).collect()
}

/// A class that is not the one given, each equally likely.
fn other_class(label: f64, classes: u32, rng: &mut ChaCha8Rng) -> f64 {
    let other = f64::from(below(rng, classes - 1));
    if other < label { other } else { other + 1.0 }
}

/// A share of the rows, rounded to whole rows.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate lies in 0..=1, so the product is at most the number of rows"
)]
fn share(rows: usize, rate: f64) -> usize {
    (rows as f64 * rate).round() as usize
}

/// For each of `len` rows, whether it is among `count` chosen at random.
fn choice(len: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<bool> {
    let mut order: Vec<usize> = (0..len).collect();
    choose(&mut order, count, rng);
    let mut chosen = vec![false; len];
    order[..count].iter().for_each(|&i| chosen[i] = true);
    chosen
}
