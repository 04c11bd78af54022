//! What a session is about: who takes part, under which terms, and how it asks.

use corefed_audit::MOST_AGENTS;
use corefed_core::{AgreedModel, LARGEST, LARGEST_CEILING, SMALLEST_CEILING, WeightError, Weights};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Everything a session depends on besides answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The predictor under audit; a session that trains replaces its parameters.
    pub predictor: AgreedModel,
    /// The agents, in a fixed order.
    pub agents: Vec<Participant>,
    /// Gains up to this do not count.
    pub tolerance: f64,
    /// Whether to find the parameters first.
    pub task: Task,
    /// How to ask.
    pub options: Options,
}

/// One agent, as the terms see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Participant {
    /// Its name.
    pub name: String,
    /// Its weight, > 0.
    pub weight: f64,
    /// The loss at which it gets nothing.
    pub ceiling: Ceiling,
    /// Rows it owns.
    pub samples: usize,
}

/// Where a ceiling comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Ceiling {
    /// A number that everybody knows.
    Absolute(f64),
    /// This factor times its loss at zero, which is asked.
    Initial(f64),
    /// The agent declares it, by a policy such as `constant:1.5` or `worst`.
    Declared(String),
    /// A number that followed from what agents declared before, and by which policy.
    Settled {
        /// The number.
        value: f64,
        /// Such as `baseline:1.5`.
        policy: String,
    },
}

impl Ceiling {
    /// As it is written in the terms.
    #[must_use]
    pub fn policy(&self) -> String {
        match self {
            Self::Absolute(value) => value.to_string(),
            Self::Initial(factor) => format!("initial:{factor}"),
            Self::Declared(policy) | Self::Settled { policy, .. } => policy.clone(),
        }
    }
}

/// What a session is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Task {
    /// To audit the predictor as it is.
    Audit,
    /// To find the largest log-welfare and audit that.
    Train,
}

/// How a session asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Options {
    /// When Hessians are asked for.
    pub hessians: Hessians,
    /// When to stop.
    pub stop: Stop,
    /// Whether agents are asked for their own best predictors.
    pub own: bool,
    /// The most rounds.
    pub rounds: usize,
    /// The most points in a round; the weightiest come first.
    pub points: usize,
}

/// When Hessians are asked for. They only propose points: no bound rests on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Hessians {
    /// At the first points, and then of conflicts that failed once.
    OnDemand,
    /// Wherever a gradient is.
    Always,
    /// At the first points only.
    First,
}

/// When an audit may stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Stop {
    /// As soon as the verdict is known.
    Verdict,
    /// Once `kappa` is known as exactly as an audit of pooled rows would know it.
    Exact,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            hessians: Hessians::OnDemand,
            stop: Stop::Exact,
            own: true,
            rounds: 40,
            points: 2000,
        }
    }
}

/// Terms that nobody could answer.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadSetup {
    /// No coalition leaves anybody behind.
    #[error("a session has at least one agent")]
    Nobody,
    /// Coalitions are bit masks.
    #[error("coalitions of {agents} agents cannot be searched; the most is {most}")]
    Agents {
        /// How many there are.
        agents: usize,
        /// How many can be searched.
        most: usize,
    },
    /// Two agents go by one name.
    #[error("two agents are called `{name}`")]
    Name {
        /// The name.
        name: String,
    },
    /// A weight is not a weight.
    #[error(transparent)]
    Weight(#[from] WeightError),
    /// A number of the terms is out of its range.
    #[error("`{field}` is {value}; {needs}")]
    Range {
        /// Which.
        field: String,
        /// What it is.
        value: f64,
        /// What it should be.
        needs: &'static str,
    },
    /// The parameters lie outside the ball.
    #[error("the predictor lies outside the ball of radius {radius}")]
    Outside {
        /// The radius.
        radius: f64,
    },
}

impl BadSetup {
    /// What can be done about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Nobody => "list the agents that answer",
            Self::Agents { .. } => "group agents into fewer",
            Self::Name { .. } => "give every agent a name of its own",
            Self::Weight(_) => "give every agent a positive weight",
            Self::Range { .. } => "correct this field of the terms",
            Self::Outside { .. } => "raise `radius`",
        }
    }
}

impl Setup {
    /// Checks the terms once, where they enter.
    pub(crate) fn check(&self) -> Result<Weights, BadSetup> {
        let range = |field: &str, value: f64, needs, good: bool| {
            let field = field.to_owned();
            if good { Ok(()) } else { Err(BadSetup::Range { field, value, needs }) }
        };
        if self.agents.is_empty() {
            return Err(BadSetup::Nobody);
        }
        if self.agents.len() > MOST_AGENTS {
            return Err(BadSetup::Agents { agents: self.agents.len(), most: MOST_AGENTS });
        }
        let mut names: Vec<&str> = self.agents.iter().map(|agent| agent.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(BadSetup::Name { name: pair[0].to_owned() });
        }
        let model = &self.predictor;
        let (radius, l2, parameters) = (model.radius(), model.l2(), model.parameters());
        let positive = "it must be positive and at most 1e50";
        range("radius", radius, positive, radius > 0.0 && radius <= LARGEST)?;
        range("l2", l2, "it must lie in [0, 1e50]", (0.0..=LARGEST).contains(&l2))?;
        let tolerance = self.tolerance;
        range("tolerance", tolerance, "it must lie in [0, 1)", (0.0..1.0).contains(&tolerance))?;
        for agent in &self.agents {
            if let Ceiling::Absolute(value)
            | Ceiling::Initial(value)
            | Ceiling::Settled { value, .. } = agent.ceiling
            {
                let field = format!("ceiling of {}", agent.name);
                let needs = "it must be between 1e-150 and 1e150 in size";
                let usual = (SMALLEST_CEILING..=LARGEST_CEILING).contains(&value.abs());
                // What is not positive is told by the ceilings themselves.
                range(&field, value, needs, usual || value == 0.0)?;
            }
            let field = format!("weight of {}", agent.name);
            let usual = (1.0 / LARGEST..=LARGEST).contains(&agent.weight);
            // What is not positive is told by the weights themselves.
            let good = usual || agent.weight.is_nan() || agent.weight <= 0.0;
            range(
                &field,
                agent.weight,
                "only ratios matter: scale weights to be around one",
                good,
            )?;
        }
        let ball = corefed_solve::Ball::about_zero(parameters.len(), radius);
        if parameters.is_empty() || !ball.contains(parameters) {
            return Err(BadSetup::Outside { radius });
        }
        Ok(Weights::new(self.agents.iter().map(|agent| agent.weight).collect())?)
    }
}
