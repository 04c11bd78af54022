//! `audit.json`, the predictors of a run and every answer of `solve` and `audit`: a model, what it gives
//! every agent, and whether anybody would leave.

use corefed_core::{Assumption, Factors, KappaInterval, Number, Predictor, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Document, HeldOutAudit, NetworkAudit};

mod lines;

pub use lines::{
    AbsentLine, AgentLine, BallLine, DeviationLine, FirstOrderLine, Fit, FixedPoint, ObstacleLine,
    RivalLine, SearchLine, TargetLine,
};

/// The audit of one model: of a predictor, of a row of a table of utilities, or of a trained model.
///
/// Fields that only some audits have are absent elsewhere; agents are always there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditDocument {
    /// The rule it was fitted with; absent for a model that was given or trained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// The data, as the user named them; absent where the folder of a run names them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// What an agent is called, such as `hospital`; empty where rows were divided among agents, absent where
    /// the encoding of the predictor says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The audited row of a table, or the audited model of a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub incumbent: Option<String>,
    /// Which rivals the verdict speaks about.
    pub scope: Scope,
    /// Stable, blocked, improvable or undecided.
    pub verdict: Verdict,
    /// Where kappa lies, over the coalitions that leave somebody behind.
    pub kappa: KappaInterval,
    /// Where the factor lies by which everybody can gain at once.
    pub everybody: KappaInterval,
    /// Gains up to this do not count in the verdict.
    pub tolerance: f64,
    /// Why nothing was decided; present exactly when the verdict is undecided.
    #[serde(default)]
    pub obstacle: Option<ObstacleLine>,
    /// Upper bound of kappa from ceilings alone; `null` for tables of utilities.
    #[serde(default)]
    pub headroom: Option<Number>,
    /// What one gradient proves; `null` where its premise fails or was not asked.
    #[serde(default)]
    pub first_order: Option<FirstOrderLine>,
    /// Who would leave a blocked model.
    #[serde(default)]
    pub deviation: Option<DeviationLine>,
    /// What is better for everybody than an improvable model.
    #[serde(default)]
    pub improvement: Option<DeviationLine>,
    /// Everybody, in the order of the data.
    pub agents: Vec<AgentLine>,
    /// Those that did not answer, where rows stay at the agents: nothing is said of coalitions with them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absent: Vec<AbsentLine>,
    /// The same on rows that nobody trained on; absent where none are held out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_out: Option<HeldOutAudit>,
    /// The weighted sum of the logarithms of utilities; `null` for tables of utilities.
    #[serde(default)]
    pub log_welfare: Option<Number>,
    /// How a rule's optimum was reached.
    #[serde(flatten)]
    pub fit: Option<Fit>,
    /// Largest `(w_i/W) alone_i / utility_i`: proportional iff at most one.
    #[serde(default)]
    pub proportionality: Option<Number>,
    /// How much `phi` improves on the model; zero at a fixed point.
    #[serde(default)]
    pub fixed_point: Option<FixedPoint>,
    /// The ball of predictors, where rivals lie in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ball: Option<BallLine>,
    /// How far the search over coalitions went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<SearchLine>,
    /// The listed rivals, where the scope is a list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<RivalLine>,
    /// What the verdict rests on.
    #[serde(default)]
    pub assumptions: Vec<Assumption>,
    /// Which rivals could not be tried, and why; absent where all were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search_failed: Option<String>,
    /// What more can be said of a network.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkAudit>,
    /// Parameters by feature name; for several classes, by class and feature name.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub parameters: Value,
    /// The predictor with its encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub predictor: Option<Predictor>,
    /// How a target that is a quantity was standardised: losses and ceilings are then shares of its variance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetLine>,
    /// What was decided when the table was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why the model may be useless although the verdict is right.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Document for AuditDocument {
    const KIND: &'static str = "audit";
    const VERSION: u64 = 1;
}

impl AuditDocument {
    /// What every audit has: the verdict that follows from both factors, for these agents. Everything else
    /// is absent and may be added.
    #[must_use]
    pub fn new(scope: Scope, factors: Factors, tolerance: f64, agents: Vec<AgentLine>) -> Self {
        Self {
            rule: None,
            file: None,
            owner: None,
            incumbent: None,
            scope,
            verdict: factors.verdict(tolerance),
            kappa: factors.kappa,
            everybody: factors.everybody,
            tolerance,
            obstacle: None,
            headroom: None,
            first_order: None,
            deviation: None,
            improvement: None,
            agents,
            absent: Vec::new(),
            held_out: None,
            log_welfare: None,
            fit: None,
            proportionality: None,
            fixed_point: None,
            ball: None,
            search: None,
            rivals: Vec::new(),
            assumptions: Vec::new(),
            search_failed: None,
            network: None,
            parameters: Value::Null,
            predictor: None,
            target: None,
            notes: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// Every agent's weight; those that did not answer come last.
    #[must_use]
    pub fn weights(&self) -> Vec<f64> {
        let absent = self.absent.iter().map(|agent| agent.weight);
        self.agents.iter().map(|agent| agent.weight).chain(absent).collect()
    }

    /// Every agent's utility.
    #[must_use]
    pub fn utilities(&self) -> Vec<f64> {
        self.agents.iter().map(|agent| agent.utility).collect()
    }

    /// Places of named agents; names that are nobody's are left out.
    #[must_use]
    pub fn places(&self, names: &[String]) -> Vec<usize> {
        let place = |name: &String| self.agents.iter().position(|agent| agent.name == *name);
        names.iter().filter_map(place).collect()
    }
}

/// Which rivals a verdict speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Every predictor in the ball; the verdict is certified.
    Ball,
    /// The listed models.
    Listed,
    /// The models met in training; upper ends hold for every model.
    Met,
    /// The models met in training and those that a search found; upper ends hold for every model.
    Searched,
}
