//! The rules, one file each: from a cohort's losses to pulls.

mod afl;
mod corefed;
mod fedavg;
mod fedmgda;
mod propfair;
mod qffl;
mod term;

pub use propfair::LocalObjective;

pub(crate) use afl::{follow_losses, multiplier_pulls};
pub(crate) use corefed::nash_pulls;
pub(crate) use fedavg::{mean_pulls, warm_up_pulls};
pub(crate) use fedmgda::{common_descent, equal_pulls};
pub(crate) use qffl::power_pulls;
pub(crate) use term::tilted_pulls;

/// An agent whose report counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Member {
    /// Index in the federation.
    pub(crate) agent: usize,
    /// Reported loss, finite and >= 0.
    pub(crate) loss: f64,
    /// Weight, rescaled to mean one over the federation.
    pub(crate) weight: f64,
    /// What FedAvg would weigh it by while a rule warms up.
    pub(crate) average: f64,
}

/// What a rule says before anybody trains.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighing {
    /// One factor per member, finite and >= 0.
    pub(crate) pulls: Vec<f64>,
    /// What each member adds to the curvature, per unit of `|D|^2/eta`; zero unless
    /// [`Length::Curved`].
    pub(crate) curvatures: Vec<f64>,
    /// How the last factor is found.
    pub(crate) length: Length,
}

impl Weighing {
    /// Pulls that will sum to one.
    pub(crate) fn normalised(pulls: Vec<f64>) -> Self {
        Self { curvatures: vec![0.0; pulls.len()], pulls, length: Length::Normalised }
    }
}

/// How the last factor of a step follows from who was accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// One over the number of agents.
    PerAgent,
    /// One over the sum of pulls.
    Normalised,
    /// One over the sum of pulls and curvatures.
    Curved,
    /// Already in the coefficients that the Gram matrix gave.
    Gram,
}
