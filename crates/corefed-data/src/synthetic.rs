//! `Synthetic(alpha, beta)`, the generated federation of the `FedProx` and q-FFL papers.
//!
//! Every device `k` labels its samples by a linear rule of its own (Li et al., arXiv 1812.06127,
//! section 5.1; arXiv 1905.10497, appendix D; 60 features, 10 classes):
//!
//! ```text
//! u_k ~ N(0, alpha),  W_k[c, j] ~ N(u_k, 1),  b_k[c] ~ N(u_k, 1)
//! B_k ~ N(0, beta),   v_k[j] ~ N(B_k, 1),     x ~ N(v_k, S),  S diagonal, S[j, j] = j^-1.2
//! y = argmax softmax(W_k x + b_k)
//! samples_k = floor(exp(4 + 2 z)) + 50,  z ~ N(0, 1)
//! ```
//!
//! The papers say that `alpha` controls how much the rules differ and `beta` how much the data
//! do. In fact `u_k` adds the same to the score of every class, so `alpha` changes no label: the
//! rules differ because each `W_k` is drawn anew, whatever `alpha`. We keep the formula. As in the
//! authors' code, both are standard deviations; 0 and 1 are their own squares. In the IID variant
//! all devices share one `W, b ~ N(0, 1)` and `v_k = 0`.
//!
//! Sizes have a heavy tail: one device in six hundred would have more than 20,000 samples and
//! some day one would exceed all memory. They are cut at a documented most.

use rand_chacha::ChaCha8Rng;
use thiserror::Error;

use crate::{Agent, Design, Federation};
use corefed_core::Seed;
use corefed_core::normal;

/// Features of a sample, without the intercept.
const FEATURES: usize = 60;
/// Classes of a label.
const CLASSES: usize = 10;
/// Samples every device has at least.
const FEWEST: usize = 50;
/// Most devices, and most samples of all of them: 61 numbers each, about 10 GB.
const MOST_DEVICES: usize = 65_536;
const MOST_IN_ALL: usize = 20_000_000;
/// Largest `alpha` and `beta`, far beyond any use.
const MOST_SPREAD: f64 = 1e3;

/// What to generate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Synthetic {
    /// Deviation of the centre of the devices' rules, ≥ 0; changes no label, see the formula.
    pub alpha: f64,
    /// How much the devices' features differ, ≥ 0.
    pub beta: f64,
    /// Number of agents: 100 in q-FFL, 30 in `FedProx`.
    pub devices: usize,
    /// Samples at which a device's size is cut, ≥ 50.
    pub most_samples: usize,
    /// Whether devices differ at all.
    pub variant: Variant,
}

/// Whether devices differ at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// By their rules and features.
    #[default]
    Distinct,
    /// By size only; `alpha` and `beta` have no effect.
    Iid,
}

impl Default for Synthetic {
    /// `Synthetic(1, 1)` with 100 devices of at most 20,000 samples.
    fn default() -> Self {
        let variant = Variant::default();
        Self { alpha: 1.0, beta: 1.0, devices: 100, most_samples: 20_000, variant }
    }
}

/// Why no such federation can be generated.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum SyntheticError {
    /// Not a standard deviation.
    #[error("`{name}` must be from `0` to `{MOST_SPREAD}`, not `{value}`")]
    Spread {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The number given.
        value: f64,
    },
    /// Nobody, or more than anything here is made for.
    #[error("the number of devices must be from `1` to `{MOST_DEVICES}`, not `{devices}`")]
    Devices {
        /// Devices asked for.
        devices: usize,
    },
    /// Fewer samples than every device has.
    #[error("devices have `{FEWEST}` samples or more and cannot be cut to `{most}`")]
    Most {
        /// The most asked for.
        most: usize,
    },
    /// The sizes drawn are more than memory should hold.
    #[error("the devices would have more than `{MOST_IN_ALL}` samples together")]
    TooLarge,
}

impl SyntheticError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Spread { .. } => "the papers use 0, 0.5 and 1",
            Self::Devices { .. } => "the papers use 30 and 100",
            Self::Most { .. } => "20000 cuts one device in six hundred",
            Self::TooLarge => "ask for fewer devices or fewer samples at most",
        };
        Some(hint.to_owned())
    }
}

impl Synthetic {
    /// Draws the federation; its target is the index of one of ten classes.
    ///
    /// Each device has a seed of its own, so the first devices are the same however many
    /// follow. The 61st column is the intercept, an indicator that is always on.
    pub fn generate(&self, seed: Seed) -> Result<Federation, SyntheticError> {
        self.check()?;
        let seed = seed.derive("synthetic");
        let device = |k: usize| seed.derive("device").derive_index(k as u64);
        let sizes: Vec<usize> =
            (0..self.devices).map(|k| self.samples(&mut device(k).derive("size").rng())).collect();
        let rows = sizes.iter().sum();
        if rows > MOST_IN_ALL {
            return Err(SyntheticError::TooLarge);
        }
        let common = Rule::draw(0.0, &mut seed.derive("rule").rng());
        let digits = (self.devices - 1).to_string().len();
        let mut dense = Vec::with_capacity(rows * FEATURES);
        let mut target = Vec::with_capacity(rows);
        let mut agents = Vec::with_capacity(self.devices);
        for (k, samples) in sizes.into_iter().enumerate() {
            let (rule, means) = match self.variant {
                Variant::Iid => (common.clone(), [0.0; FEATURES]),
                Variant::Distinct => self.device(device(k)),
            };
            let start = target.len();
            let mut rng = device(k).derive("samples").rng();
            for _ in 0..samples {
                let x = sample(&means, &mut rng);
                target.push(rule.label(&x));
                dense.extend(x);
            }
            agents.push(Agent { name: format!("device-{k:0digits$}"), rows: start..target.len() });
        }
        let design = Design::with_intercept(FEATURES, dense);
        Ok(Federation::new(design, target, agents))
    }

    /// One device's rule and the means of its features.
    fn device(&self, seed: Seed) -> (Rule, [f64; FEATURES]) {
        let mut rng = seed.derive("rule").rng();
        let centre = self.alpha * normal(&mut rng);
        let rule = Rule::draw(centre, &mut rng);
        let mut rng = seed.derive("means").rng();
        let centre = self.beta * normal(&mut rng);
        (rule, [(); FEATURES].map(|()| centre + normal(&mut rng)))
    }

    /// A lognormal size, rounded down, plus the fewest, cut at the most.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an exponential is positive, and a cast of a huge one saturates"
    )]
    fn samples(&self, rng: &mut ChaCha8Rng) -> usize {
        let drawn = libm::exp(4.0 + 2.0 * normal(rng)) as usize;
        drawn.saturating_add(FEWEST).min(self.most_samples)
    }

    fn check(&self) -> Result<(), SyntheticError> {
        for (name, value) in [("alpha", self.alpha), ("beta", self.beta)] {
            if !(0.0..=MOST_SPREAD).contains(&value) {
                return Err(SyntheticError::Spread { name, value });
            }
        }
        if !(1..=MOST_DEVICES).contains(&self.devices) {
            return Err(SyntheticError::Devices { devices: self.devices });
        }
        if self.most_samples < FEWEST {
            return Err(SyntheticError::Most { most: self.most_samples });
        }
        Ok(())
    }
}

/// `W` by class, and `b`.
#[derive(Clone)]
struct Rule {
    weights: [[f64; FEATURES]; CLASSES],
    biases: [f64; CLASSES],
}

impl Rule {
    fn draw(centre: f64, rng: &mut ChaCha8Rng) -> Self {
        let weights = [[(); FEATURES]; CLASSES].map(|row| row.map(|()| centre + normal(rng)));
        Self { weights, biases: [(); CLASSES].map(|()| centre + normal(rng)) }
    }

    /// The class with the largest score, which is that with the largest softmax.
    fn label(&self, x: &[f64; FEATURES]) -> f64 {
        let mut best = (f64::NEG_INFINITY, 0.0);
        for (class, (weights, bias)) in (0_u8..).zip(self.weights.iter().zip(self.biases)) {
            let score = bias + weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
            if score > best.0 {
                best = (score, f64::from(class));
            }
        }
        best.1
    }
}

/// Features about their means; the j-th from one has the variance `j^-1.2`.
fn sample(means: &[f64; FEATURES], rng: &mut ChaCha8Rng) -> [f64; FEATURES] {
    let mut x = *means;
    for (j, x) in (1_u8..).zip(&mut x) {
        *x += libm::pow(f64::from(j), -0.6) * normal(rng);
    }
    x
}

#[cfg(test)]
mod tests;
