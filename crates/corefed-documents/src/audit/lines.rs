//! What an audit says line by line: of every agent, of those who would leave, and of what was proven.

use std::fmt;

use corefed_core::{Number, Obstacle};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What stood in the way of a verdict, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ObstacleLine {
    /// As a clause.
    pub reason: String,
    /// What would help, in the imperative, where something would.
    pub help: Option<String>,
}

impl ObstacleLine {
    /// An obstacle of an exact audit, with agents by their names.
    #[must_use]
    pub fn new(obstacle: Obstacle, names: &[String]) -> Self {
        let reason = obstacle.reason(|agent| names[agent].clone());
        Self { reason, help: Some(obstacle.help().to_owned()) }
    }
}

impl fmt::Display for ObstacleLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

/// How a rule's optimum was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fit {
    /// Steps of the solver.
    pub iterations: usize,
    /// Proven distance from the optimum.
    pub gap: f64,
    /// Whether the gap asked for was reached.
    pub converged: bool,
}

/// What a model gives one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentLine {
    /// Unique name.
    pub name: String,
    /// Rows; absent for tables of utilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<usize>,
    /// Its say in the core.
    pub weight: f64,
    /// The loss at which its utility is zero; absent for tables of utilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ceiling: Option<f64>,
    /// Its mean loss; absent for tables of utilities.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// Ceiling minus loss.
    pub utility: f64,
    /// The utility of the best predictor for this agent alone; `null` where that was not computed.
    #[serde(default)]
    pub alone: Option<f64>,
}

/// An agent that did not answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AbsentLine {
    /// Unique name.
    pub name: String,
    /// Its say in the core, by which coalitions without it are measured.
    pub weight: f64,
}

/// A coalition and the model it would rather have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DeviationLine {
    /// Parameters by name, or the name of a listed model; absent for a model that was only met.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub rival: Value,
    /// The round after which the model was met.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<usize>,
    /// Who would leave.
    pub coalition: Vec<String>,
    /// What every member gains, by its name; infinite gains are text.
    #[serde(default)]
    pub gains: Map<String, Value>,
}

/// What one gradient proves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FirstOrderLine {
    /// `kappa <= 1 + gap/W`.
    pub frank_wolfe: f64,
    /// The bound from `l2 > 0`.
    #[serde(default)]
    pub strong_convexity: Option<f64>,
    /// Theorem 3: within this distance no coalition gains more than `local_factor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_radius: Option<Number>,
    /// The gain at which Theorem 3 is quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_factor: Option<f64>,
}

/// How far `phi` would move the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FixedPoint {
    /// What it would gain.
    pub residual: f64,
    /// Proven distance of that from the best.
    pub gap: f64,
    /// The length of the move.
    pub distance: f64,
}

/// The ball of predictors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BallLine {
    /// Its radius.
    pub radius: f64,
    /// The norm of the model.
    pub norm: f64,
    /// Whether the parameters lie on the sphere, where a larger ball would change them.
    pub active: bool,
}

/// How far a search went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SearchLine {
    /// Whether the search ended by itself, not by the time limit.
    pub complete: bool,
    /// Coalition programs solved.
    pub programs: usize,
    /// Branches looked at.
    pub branches: usize,
}

/// A listed rival against the audited model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RivalLine {
    /// Its name.
    pub model: String,
    /// The best factor of a proper coalition.
    pub kappa: Number,
    /// The factor by which everybody gains.
    pub everybody: Number,
    /// Its utilities, by agent; `null` where an agent has none.
    pub utilities: Vec<Option<f64>>,
    /// The weighted mean of all gains, an upper bound of `kappa`; `null` where a gain is negative.
    #[serde(default)]
    pub mean_gain: Option<Number>,
}

/// A quantity that was standardised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TargetLine {
    /// Its column.
    pub column: String,
    /// Its mean over all rows.
    pub mean: f64,
    /// Its standard deviation over all rows.
    pub deviation: f64,
    /// The root of every agent's mean squared error, in the unit of the target.
    pub errors: Vec<f64>,
}
