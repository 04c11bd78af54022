//! What a rule sees of a cohort, and what it answers.

use crate::member::Member;
use crate::{Interventions, Safety};

/// A cohort before anybody trains, with what a rule may change.
pub(crate) struct Round<'a> {
    pub(crate) safety: &'a Safety,
    /// Those whose reports count.
    pub(crate) members: &'a [Member],
    /// AFL's, one per agent of the federation.
    pub(crate) multipliers: &'a mut [f64],
    /// One per agent of the federation.
    pub(crate) ceilings: &'a mut [f64],
    /// Utilities averaged over rounds, one per agent of the federation where CoreFed keeps them; zero
    /// before an agent is heard.
    pub(crate) averaged: &'a mut [f64],
    /// Where safeguards acted.
    pub(crate) done: &'a mut Interventions,
}

/// Updates that were accepted, for rules that need their inner products.
pub(crate) struct Products<'a> {
    /// The pull of each.
    pub(crate) pulls: &'a [f64],
    /// The length of each as it counts, that is clipped.
    pub(crate) norms: &'a [f64],
    /// All inner products of the updates as they came, row-major.
    pub(crate) gram: &'a [f64],
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
