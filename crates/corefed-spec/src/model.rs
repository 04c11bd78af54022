//! What is fitted: a linear predictor or a network.

use std::fmt;

use corefed_core::{Choice, Family};
use corefed_nn::{Architecture, Init, Layer, Loss, Shape, preset};

/// As `model` and `[network]` describe it.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Convex losses: what can be solved, audited and certified exactly.
    Linear(Family),
    /// Losses that are not convex, on images.
    Network(NetworkSpec),
}

/// A network and how it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct NetworkSpec {
    /// From image to logits.
    pub layers: Layers,
    /// Share of every prediction that is spread over all classes, in [0, 1); 0 is plain
    /// cross-entropy, anything else bounds the loss.
    pub smoothing: f64,
    /// How parameters are drawn before training.
    pub init: Init,
    /// Whether channels are brought to mean zero and deviation one.
    pub standardise: bool,
    /// Where agents train.
    pub device: Device,
    /// Arithmetic of matrix products on a GPU.
    pub precision: Precision,
    /// How many agents train at once on a GPU, > 0.
    pub together: usize,
    /// How the trained model is audited.
    pub audit: NetworkAuditSpec,
}

/// How a trained network is audited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkAuditSpec {
    /// Of intervals on held-out rows, in (0, 1).
    pub level: f64,
    /// Epochs of local work for each rival.
    pub bursts: usize,
    /// Coalitions to climb for.
    pub climbs: usize,
    /// The `k` of Theorem 3, > 1.
    pub factor: f64,
    /// Products with each agent's Hessian.
    pub lanczos: usize,
    /// Of the ball of the local map, > 0.
    pub radius: f64,
}

/// Layers by name, or listed.
#[derive(Clone, Debug, PartialEq)]
pub enum Layers {
    /// One of [`corefed_nn::PRESETS`], or its smooth twin.
    Preset(&'static str),
    /// The user's own.
    Own(Vec<Layer>),
}

/// Where a network is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Device {
    /// All cores, one agent on each.
    Cpu,
    /// The first NVIDIA GPU, all agents of a cohort at once.
    Cuda,
}

impl Choice for Device {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Cpu, "cpu", "All cores of the machine"),
        (Self::Cuda, "cuda", "Its first NVIDIA GPU"),
    ];
}

/// Arithmetic of matrix products on a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Single precision throughout.
    Fp32,
    /// Products of numbers rounded to 10 bits, sums in single precision.
    Tf32,
    /// Products of numbers rounded to 7 bits, in memory too; sums and weights in single precision.
    Bf16,
}

impl Precision {
    /// What they are called in specs and documents.
    pub(crate) const NAMES: &[(&str, Self)] =
        &[("fp32", Self::Fp32), ("tf32", Self::Tf32), ("bf16", Self::Bf16)];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, known)| *known == self).map_or("", |(name, _)| name)
    }
}

impl Model {
    /// The family of a linear predictor.
    #[must_use]
    pub fn family(&self) -> Option<Family> {
        match self {
            Self::Linear(family) => Some(*family),
            Self::Network(_) => None,
        }
    }

    /// The network, if it is one.
    #[must_use]
    pub fn network(&self) -> Option<&NetworkSpec> {
        match self {
            Self::Linear(_) => None,
            Self::Network(network) => Some(network),
        }
    }
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linear(family) => write!(f, "{family}"),
            Self::Network(NetworkSpec { layers: Layers::Preset(name), .. }) => f.write_str(name),
            Self::Network(_) => f.write_str("network"),
        }
    }
}

impl NetworkSpec {
    /// The network for images of some size.
    #[must_use]
    pub fn architecture(&self, input: Shape, classes: usize) -> Architecture {
        let loss = match self.smoothing {
            0.0 => Loss::CrossEntropy,
            smoothing => Loss::Bounded { smoothing },
        };
        let layers = match &self.layers {
            // Presets of a spec are checked by name, so that there always is one.
            Layers::Preset(name) => preset(name, input, classes).map_or(Vec::new(), |a| a.layers),
            Layers::Own(layers) => layers.clone(),
        };
        Architecture { input, classes, layers, loss }
    }
}
