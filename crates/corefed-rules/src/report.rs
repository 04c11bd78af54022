//! What agents send: a loss before training, an update after it.

use serde::{Deserialize, Serialize};

use crate::{Scalar, norm_sqr};

/// What an agent tells the server before it trains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Index of the agent in the federation.
    pub agent: usize,
    /// How many rows the agent trains on. For the record only: weights are fixed facts of the
    /// federation, not what an agent says of itself in a round.
    pub samples: usize,
    /// Mean loss at the received model, nats or squared units per row, >= 0.
    pub loss: f64,
}

/// An agent's report with what its training did to the parameters.
#[derive(Clone, Copy, Debug)]
pub struct Update<'a, T> {
    /// What the agent reported before training.
    pub report: Report,
    /// Parameters after training minus parameters received.
    pub delta: &'a [T],
    /// `|delta|^2`; it must be that of `delta`, and not finite if `delta` is not.
    pub norm_sqr: f64,
}

impl<'a, T: Scalar> Update<'a, T> {
    /// An update whose norm is yet to be computed: one pass over it.
    ///
    /// ```
    /// use corefed_rules::{Report, Update};
    /// let report = Report { agent: 0, samples: 10, loss: 0.5 };
    /// assert_eq!(Update::measured(report, &[3.0_f32, 4.0]).norm_sqr, 25.0);
    /// ```
    #[must_use]
    pub fn measured(report: Report, delta: &'a [T]) -> Self {
        Self { report, delta, norm_sqr: norm_sqr(delta) }
    }
}

/// An update whose parameters lie in several places, as the layers of a network do.
#[derive(Clone, Debug)]
pub struct PartedUpdate<'a, T> {
    /// What the agent reported before training.
    pub report: Report,
    /// Parameters after training minus parameters received, part by part.
    pub deltas: Vec<&'a [T]>,
    /// `|delta|^2` over all parts; it must be theirs, and not finite if one of them is not.
    pub norm_sqr: f64,
}

impl<'a, T: Scalar> PartedUpdate<'a, T> {
    /// An update whose norm is yet to be computed: one pass over it.
    #[must_use]
    pub fn measured(report: Report, deltas: Vec<&'a [T]>) -> Self {
        let norm_sqr = deltas.iter().map(|delta| norm_sqr(delta)).sum();
        Self { report, deltas, norm_sqr }
    }
}
