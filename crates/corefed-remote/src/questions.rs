//! What a coordinator asks an agent, and what comes back.

use corefed_core::digest_numbers;
use serde::{Deserialize, Serialize};

/// One round: points that everybody sees, and what each agent is asked there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Questions {
    /// The round, counted from one.
    pub round: usize,
    /// Parameters, all in the ball.
    pub points: Vec<Vec<f64>>,
    /// By agent; `null` for one that is not asked any more.
    pub asked: Vec<Option<Asked>>,
}

/// What one agent is asked besides its loss at every point.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// Points, ascending, at which its gradient is needed.
    pub gradients: Vec<usize>,
    /// Points, ascending, at which its Hessian is needed.
    pub hessians: Vec<usize>,
    /// Whether its own best predictor is.
    pub own: bool,
    /// Whether it has to declare its ceiling.
    pub ceiling: bool,
}

/// The questions of one round for one agent: what travels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The round, counted from one.
    pub round: usize,
    /// Parameters, all in the ball.
    pub points: Vec<Vec<f64>>,
    /// What is needed there besides losses.
    pub asked: Asked,
}

/// One agent's answers to one round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// The round they answer.
    pub round: usize,
    /// The digest of the points they are about; see [`points_digest`].
    pub points: String,
    /// Mean loss at every point, the ridge included.
    pub losses: Vec<f64>,
    /// Gradients at the points asked for, in their order.
    pub gradients: Vec<Vec<f64>>,
    /// Hessians at the points asked for, in their order: lower triangles, row by row.
    pub hessians: Vec<Vec<f64>>,
    /// The best predictor for its own rows in the ball.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own: Option<Vec<f64>>,
    /// The loss at which it gets nothing, by the policy agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
}

impl Questions {
    /// What one agent is asked; `None` where it is not asked.
    #[must_use]
    pub fn of(&self, agent: usize) -> Option<Request> {
        let asked = self.asked[agent].clone()?;
        Some(Request { round: self.round, points: self.points.clone(), asked })
    }
}

impl Request {
    /// How many numbers a complete answer has.
    #[must_use]
    pub fn numbers(&self) -> usize {
        let dim = self.points.first().map_or(0, Vec::len);
        let Asked { gradients, hessians, own, ceiling } = &self.asked;
        self.points.len()
            + dim * (gradients.len() + usize::from(*own))
            + dim * (dim + 1) / 2 * hessians.len()
            + usize::from(*ceiling)
    }

    /// How many numbers it sends.
    #[must_use]
    pub fn sent(&self) -> usize {
        self.points.iter().map(Vec::len).sum()
    }
}

/// The SHA-256 of points by their bits, in order.
#[must_use]
pub fn points_digest(points: &[Vec<f64>]) -> String {
    digest_numbers(&points.concat())
}
