//! Theorem 3 for any model: no rival nearby tempts a coalition much.
//!
//! It needs to know how utilities curve on a whole ball. Where that is proven the statement is a
//! certificate; where it is estimated the statement is an estimate; where losses have kinks there
//! is none (ledger E42).

use corefed_core::{PseudoCore, Weights};
use serde::{Deserialize, Serialize};

use crate::Curvature;
use crate::curvature::is_size;

/// Halvings of the radius: to the last bit, whatever its size.
const HALVINGS: usize = 120;

/// One agent, seen from the incumbent.
#[derive(Clone, Copy)]
pub struct LocalAgent<'a> {
    /// Its utility.
    pub utility: f64,
    /// `|grad L_i|`.
    pub gradient_norm: f64,
    /// How far its loss curves downwards, `max(0, -lambda_min)`: what could make a rival better
    /// than its tangent says.
    pub loss_down: Curvature<'a>,
    /// How far its loss curves upwards, `max(0, lambda_max)`: what could make its utility negative.
    pub loss_up: Curvature<'a>,
}

/// An incumbent and the agents around it.
#[derive(Clone, Copy)]
pub struct LocalView<'a> {
    /// The agents, in order.
    pub agents: &'a [LocalAgent<'a>],
    /// Their weights.
    pub weights: &'a Weights,
    /// `e = |grad F|` of log-welfare.
    pub gradient_norm: f64,
}

/// No coalition gains more than `factor` with a rival within `radius`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LocalBound {
    /// `k`.
    pub factor: f64,
    /// `d`.
    pub radius: f64,
    /// `e = |grad F|`.
    pub gradient_norm: f64,
    /// `B = sum_i w_i beta_i / u_i` on that ball.
    pub curvature: f64,
    /// What keeps the radius from being larger.
    pub limit: Limit,
}

/// What keeps a radius from being larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Further out a coalition might gain more than the factor.
    Factor,
    /// Further out this agent's utility might be negative, and the theorem says nothing.
    Utility {
        /// Index of the agent.
        agent: usize,
    },
    /// It is as large as was asked for.
    Reach,
}

/// What Theorem 3 says here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "label", rename_all = "kebab-case")]
pub enum LocalStatement {
    /// Proven, up to the rounding of the numbers given.
    Certified(LocalBound),
    /// True if the estimated curvatures hold on the whole ball, which is not known.
    Estimated {
        /// What would follow.
        bound: LocalBound,
        /// How curvatures were estimated, each once.
        methods: Vec<String>,
    },
    /// The theorem says nothing.
    NotApplicable {
        /// Why not.
        reason: String,
    },
}

impl LocalView<'_> {
    /// The largest ball on which no coalition gains more than `factor` (ledger E42), up to radius
    /// `reach`.
    ///
    /// Curvature bounds may grow with the ball, so the radius is the largest `d` with
    /// `d <= d(k; beta(d))` and no utility negative within `d`. Both fail for good once they
    /// fail, so halving finds it; the two are checked at the radius that is returned, which
    /// therefore stands even if a bound is not monotone.
    #[must_use]
    pub fn largest_radius(&self, factor: f64, reach: f64) -> LocalStatement {
        if !(factor >= 1.0 && factor.is_finite() && reach > 0.0 && reach.is_finite()) {
            let reason = format!(
                "the factor is `{factor}` and the reach `{reach}`; a factor is at least 1, a reach \
                 positive, and both are finite"
            );
            return LocalStatement::NotApplicable { reason };
        }
        if let Some(reason) = self.obstacle() {
            return LocalStatement::NotApplicable { reason };
        }
        // No bound is below the one at the centre, so no radius is above the one that follows
        // from it.
        let most = self.theorem(0.0).radius(factor).min(reach);
        let fails = |radius: f64| {
            if self.theorem(radius).factor(radius) <= factor {
                self.negative(radius).map(|agent| Limit::Utility { agent })
            } else {
                Some(Limit::Factor)
            }
        };
        let mut limit = fails(most);
        let (mut good, mut bad) = if limit.is_none() { (most, most) } else { (0.0, most) };
        for _ in 0..HALVINGS {
            let middle = 0.5 * (good + bad);
            match fails(middle) {
                None => good = middle,
                failure => (bad, limit) = (middle, failure),
            }
        }
        let limit = limit.unwrap_or(if most < reach { Limit::Factor } else { Limit::Reach });
        self.label(factor, good, limit)
    }

    /// The smallest factor that Theorem 3 gives for a ball of this radius, `k(d)` (ledger E42).
    #[must_use]
    pub fn factor_within(&self, radius: f64) -> LocalStatement {
        let not_applicable = |reason| LocalStatement::NotApplicable { reason };
        if !(radius >= 0.0 && radius.is_finite()) {
            return not_applicable(format!("the radius is `{radius}`; it must be >= 0 and finite"));
        }
        if let Some(reason) = self.obstacle() {
            return not_applicable(reason);
        }
        if let Some(agent) = self.negative(radius) {
            let reason =
                format!("the utility of agent {agent} may be negative within distance {radius}");
            return not_applicable(reason);
        }
        self.label(self.theorem(radius).factor(radius), radius, Limit::Reach)
    }

    /// What rules the theorem out before any ball is looked at.
    fn obstacle(&self) -> Option<String> {
        let (agents, weights) = (self.agents.len(), self.weights.values().len());
        if agents != weights {
            return Some(format!("there are {agents} agents and {weights} weights"));
        }
        if !is_size(self.gradient_norm) {
            let norm = self.gradient_norm;
            return Some(format!("the gradient of log-welfare has the norm `{norm}`"));
        }
        self.agents.iter().enumerate().find_map(|(agent, local)| {
            local.obstacle().map(|reason| format!("agent {agent} {reason}"))
        })
    }

    /// Theorem 3 with the curvature of a ball.
    fn theorem(&self, radius: f64) -> PseudoCore {
        let terms = self.agents.iter().zip(self.weights.values());
        let curvature =
            terms.map(|(agent, w)| w * agent.loss_down.within(radius) / agent.utility).sum();
        let total_weight = self.weights.total();
        PseudoCore { gradient_norm: self.gradient_norm, curvature, total_weight }
    }

    /// The first agent whose utility is not known to be non-negative on a ball:
    /// `u_i - |g_i| d - beta_i d^2 / 2 < 0`.
    fn negative(&self, radius: f64) -> Option<usize> {
        let least = |agent: &LocalAgent<'_>| {
            let fall = agent.gradient_norm + 0.5 * agent.loss_up.within(radius) * radius;
            agent.utility - fall * radius
        };
        // A bound that is not a number shows nothing either.
        self.agents.iter().position(|agent| least(agent).is_nan() || least(agent) < 0.0)
    }

    fn label(&self, factor: f64, radius: f64, limit: Limit) -> LocalStatement {
        let PseudoCore { gradient_norm, curvature, .. } = self.theorem(radius);
        if !curvature.is_finite() {
            let reason = format!("nothing bounds the curvature within distance {radius}");
            return LocalStatement::NotApplicable { reason };
        }
        let bound = LocalBound { factor, radius, gradient_norm, curvature, limit };
        let mut methods: Vec<String> = Vec::new();
        for agent in self.agents {
            for curvature in [agent.loss_down, agent.loss_up] {
                if let Curvature::Estimated { method, .. } = curvature
                    && !methods.iter().any(|known| known == method)
                {
                    methods.push(method.to_owned());
                }
            }
        }
        if methods.is_empty() {
            LocalStatement::Certified(bound)
        } else {
            LocalStatement::Estimated { bound, methods }
        }
    }
}

impl LocalAgent<'_> {
    fn obstacle(&self) -> Option<String> {
        if !(self.utility > 0.0 && self.utility.is_finite()) {
            let utility = self.utility;
            return Some(format!("has the utility `{utility}`; gains need a positive one"));
        }
        if !is_size(self.gradient_norm) {
            return Some(format!("has a gradient of norm `{}`", self.gradient_norm));
        }
        [self.loss_down, self.loss_up].iter().find_map(|curvature| match curvature {
            Curvature::Infinite { reason } => {
                Some(format!("has a loss that is not smooth: {reason}"))
            }
            Curvature::Estimated { value, method } if !is_size(*value) => {
                Some(format!("has a curvature estimated as `{value}` ({method})"))
            }
            Curvature::Estimated { .. } | Curvature::Proven(_) => None,
        })
    }
}
