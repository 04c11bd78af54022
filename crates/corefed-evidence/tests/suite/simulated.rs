//! Simulated held-out rows, with means that are known: for the tests of coverage and the example that prints
//! its tables.

use corefed_core::{Seed, normal, uniform};
use corefed_evidence::{Level, PairedMean, SumOfMeans, Units, holm, p_leaves, p_stays};

/// A distribution of paired differences.
pub(crate) struct Population {
    pub(crate) name: &'static str,
    /// Draws one difference from uniform and normal numbers.
    draw: fn(&mut dyn FnMut() -> f64, &mut dyn FnMut() -> f64) -> f64,
    /// Rows per unit that share half of their variance.
    group: usize,
}

pub(crate) const POPULATIONS: [Population; 5] = [
    Population { name: "normal", draw: |_, normal| normal(), group: 1 },
    Population { name: "two logistic models", draw: logistic, group: 1 },
    Population {
        name: "one model far too sure",
        draw: |uniform, normal| {
            let margin = 3.0 * normal();
            let wrong = uniform() < 1.0 / (1.0 + (0.5 * margin.abs()).exp());
            let sure = if wrong { 2.0 * margin.abs() } else { 0.0 };
            sure + (-2.0 * margin.abs()).exp().ln_1p() - 0.4
        },
        group: 1,
    },
    Population { name: "exponential", draw: |uniform, _| -(1.0 - uniform()).ln(), group: 1 },
    Population { name: "patients of three rows", draw: logistic, group: 3 },
];

/// Cross-entropies of two models that see the true margin with noise.
fn logistic(uniform: &mut dyn FnMut() -> f64, normal: &mut dyn FnMut() -> f64) -> f64 {
    let margin = 1.5 * normal();
    let sign = if uniform() < 1.0 / (1.0 + (-margin).exp()) { 1.0 } else { -1.0 };
    let mut loss = |noise: f64| (-sign * (margin + noise * normal())).exp().ln_1p();
    loss(1.0) - loss(0.7)
}

impl Population {
    /// Many differences, of which samples are drawn with replacement: their mean is known exactly.
    fn all(&self) -> Vec<f64> {
        let mut rng = Seed(11).derive(self.name).rng();
        let mut other = Seed(12).derive(self.name).rng();
        let mut draw = || (self.draw)(&mut || uniform(&mut rng), &mut || normal(&mut other));
        (0..20_000).map(|_| draw()).collect()
    }
}

/// How often intervals hold the mean.
pub(crate) struct Coverage {
    pub(crate) both: f64,
    /// The mean lies below the lower end.
    pub(crate) below: f64,
    /// The mean lies above the upper end.
    pub(crate) above: f64,
}

pub(crate) fn coverage(population: &Population, units: usize, trials: u32) -> Coverage {
    let all = population.all();
    let truth = all.iter().sum::<f64>() / all.len() as f64;
    let size = population.group;
    let labels: Vec<usize> = (0..units * size).map(|row| row / size).collect();
    let rows = if size == 1 { Units::rows(units) } else { Units::groups(&labels) };
    let (mut below, mut above) = (0_u32, 0_u32);
    for trial in 0..trials {
        let mut rng = Seed(13).derive(population.name).derive_index(trial.into()).rng();
        let mut pick = || picked(&all, uniform(&mut rng));
        let mut values = Vec::with_capacity(labels.len());
        for _ in 0..units {
            let shared = pick() - truth;
            // Rows of a unit have half of their deviation in common.
            let mut row =
                || if size == 1 { truth + shared } else { 0.5 * (shared + pick() + truth) };
            values.extend((0..size).map(|_| row()));
        }
        let (lo, hi) = rows.mean(&values).expect("two units").interval(Level::default());
        below += u32::from(truth < lo);
        above += u32::from(truth > hi);
    }
    let share = |count: u32| f64::from(count) / f64::from(trials);
    Coverage { both: 1.0 - share(below + above), below: share(below), above: share(above) }
}

/// How often intervals of a sum over three agents hold it: each has rows of another population, this many of
/// them, and a weight.
pub(crate) fn sum_coverage(units: [usize; 3], trials: u32) -> Coverage {
    let drawn = [1, 2, 3].map(|k| POPULATIONS[k].all());
    let weights = [1.0, -0.5, 2.0];
    let mean = |all: &Vec<f64>| all.iter().sum::<f64>() / all.len() as f64;
    let truth: f64 = drawn.iter().zip(weights).map(|(all, weight)| weight * mean(all)).sum();
    let (mut below, mut above) = (0_u32, 0_u32);
    for trial in 0..trials {
        let mut rng = Seed(15).derive_index(trial.into()).rng();
        let mut parts = Vec::new();
        for ((all, weight), units) in drawn.iter().zip(weights).zip(units) {
            let values: Vec<f64> = (0..units).map(|_| picked(all, uniform(&mut rng))).collect();
            parts.push((weight, Units::rows(units).mean(&values).expect("two units")));
        }
        let (lo, hi) = SumOfMeans::of(&parts).interval(Level::default());
        below += u32::from(truth < lo);
        above += u32::from(truth > hi);
    }
    let share = |count: u32| f64::from(count) / f64::from(trials);
    Coverage { both: 1.0 - share(below + above), below: share(below), above: share(above) }
}

/// The value at a place between zero and one.
fn picked(all: &[f64], place: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "below len")]
    let index = (place * all.len() as f64) as usize;
    all[index]
}

/// A federation in which one half of the agents would be better off by `effect` standard deviations of a
/// row, and groups that resemble it by less. Where it is not positive, everybody is worse off by it in every
/// group; at zero, claims that somebody would leave are wrong as often as they can be.
pub(crate) struct Federation {
    pub(crate) agents: usize,
    pub(crate) units: usize,
    pub(crate) effect: f64,
}

/// How often something is claimed.
pub(crate) struct Claims {
    /// That some group would leave, by Holm over all groups.
    pub(crate) holm: f64,
    /// That one would that was chosen on one half of the rows and tested on the other.
    pub(crate) halves: f64,
    /// That every group has a member that gains at most a tenth of a standard deviation.
    pub(crate) stays: f64,
}

/// What counts as nothing, in standard deviations of a row.
pub(crate) const MARGIN: f64 = 0.1;

impl Federation {
    pub(crate) fn claims(&self, trials: u32) -> Claims {
        let (mut by_holm, mut by_halves, mut stays) = (0_u32, 0_u32, 0_u32);
        for trial in 0..trials {
            let [holm, halves, stay] = self.trial(Seed(14).derive_index(trial.into()));
            by_holm += u32::from(holm);
            by_halves += u32::from(halves);
            stays += u32::from(stay);
        }
        let share = |count: u32| f64::from(count) / f64::from(trials);
        Claims { holm: share(by_holm), halves: share(by_halves), stays: share(stays) }
    }

    /// What an agent gains in a coalition: all of the effect in the tempted one, less the more others are in it or
    /// missing.
    fn gain(&self, coalition: usize) -> f64 {
        if self.effect <= 0.0 {
            return self.effect;
        }
        let tempted = (1 << self.agents.div_ceil(2)) - 1;
        let common = f64::from((coalition & tempted).count_ones());
        let either = f64::from((coalition | tempted).count_ones());
        self.effect * (2.0 * common / either - 1.0)
    }

    fn trial(&self, seed: Seed) -> [bool; 3] {
        let miss = Level::default().miss();
        let units = Units::rows(self.units);
        let halves = units.halves(seed.derive("halves"));
        // Half of a difference is due to the shared model and the same for every group.
        let own: Vec<Vec<f64>> = (0..self.agents)
            .map(|agent| {
                let mut rng = seed.derive_index(agent as u64).rng();
                (0..self.units).map(|_| normal(&mut rng)).collect()
            })
            .collect();
        let mut rng = seed.derive("groups").rng();
        let (mut all, mut chosen_by, mut tested, mut kept) = (vec![], vec![], vec![], true);
        for coalition in 1..(1_usize << self.agents) - 1 {
            let members = (0..self.agents).filter(|agent| coalition >> agent & 1 == 1);
            let (mut whole, mut first, mut second, mut beyond) = (vec![], vec![], vec![], vec![]);
            for agent in members {
                let gain = self.gain(coalition);
                let root = 0.5_f64.sqrt();
                let row = |common: &f64| gain + root * (common + normal(&mut rng));
                let rows: Vec<f64> = own[agent].iter().map(row).collect();
                whole.push(units.mean(&rows));
                first.push(halves[0].mean(&rows));
                second.push(halves[1].mean(&rows));
                beyond.push(units.mean(&rows).map(|m| PairedMean { mean: m.mean - MARGIN, ..m }));
            }
            all.push(p_leaves(&whole));
            chosen_by.push(p_leaves(&first));
            tested.push(p_leaves(&second));
            kept &= p_stays(&beyond) <= miss;
        }
        let chosen = (0..all.len()).min_by(|&a, &b| chosen_by[a].total_cmp(&chosen_by[b]));
        let halves = chosen.is_some_and(|chosen| tested[chosen] <= miss);
        [holm(&all, miss).contains(&true), halves, kept]
    }
}
