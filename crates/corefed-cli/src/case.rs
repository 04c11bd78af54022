//! A federation with its terms, resolved from a table and what the user asked for.

use std::sync::Arc;

use corefed_audit::Parties;
use corefed_core::{Encoding, Family, Predictor, Weights, WorstLoss};
use corefed_data::{Encoded, Federation, FitFile, LARGEST};
use corefed_model::{ConvexLosses, FederationLosses, check_margins, convex_losses, worst_losses};
use corefed_solve::{CeilingPolicy, Infeasible, Problem};

use crate::failure::Failure;

/// A Hessian of this many rows and columns takes 800 MB; beyond it, second-order methods stop being
/// the right tool.
const MOST_PARAMETERS: usize = 10_000;

/// Every agent keeps a gradient, and its own best is solved; beyond this, name coarser owners.
const MOST_AGENTS: usize = 10_000;

/// Everything an optimum or an audit depends on.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) file: String,
    pub(crate) digest: String,
    pub(crate) encoding: Encoding,
    pub(crate) federation: Arc<Federation>,
    pub(crate) family: Family,
    pub(crate) l2: f64,
    pub(crate) radius: f64,
    pub(crate) weights: Weights,
    pub(crate) ceilings: Vec<f64>,
    pub(crate) worst: Vec<WorstLoss>,
    pub(crate) names: Vec<String>,
    samples: Vec<usize>,
}

/// What a user may choose about a case besides its data.
pub(crate) struct Terms {
    pub(crate) family: Family,
    pub(crate) l2: f64,
    pub(crate) radius: f64,
    pub(crate) weights: Weights,
    pub(crate) ceiling: CeilingPolicy,
}

impl Case {
    pub(crate) fn new(data: FitFile, terms: Terms) -> Result<Self, Failure> {
        let FitFile { encoded: Encoded { encoding, federation }, digest, file } = data;
        let Terms { family, l2, radius, weights, ceiling } = terms;
        if !(radius > 0.0 && radius <= LARGEST) {
            return Err(Failure::new(format!("the radius is `{radius}`; it must be positive"))
                .hint("parameters are searched in a ball; pass `--radius 10`, say"));
        }
        if !(0.0..=LARGEST).contains(&l2) {
            return Err(Failure::new(format!("l2 is `{l2}`; it must not be negative"))
                .hint("pass `--l2 0` or a small positive number"));
        }
        let model = FederationLosses::new(&federation, family, encoding.classes.len(), l2);
        let agents = federation.agents().len();
        if agents > MOST_AGENTS {
            return Err(Failure::new(format!(
                "`{file}`: column `{}` names {agents} agents; exact solvers take at most {MOST_AGENTS}",
                encoding.agent_column
            ))
            .hint("does the column identify rows instead of owners? name another with `--agent`"));
        }
        if model.dim() > MOST_PARAMETERS {
            return Err(Failure::new(format!(
                "{file}: the model has {} parameters; exact solvers take at most {MOST_PARAMETERS}",
                model.dim()
            ))
            .hint("is a column with many different texts an identifier? remove it"));
        }
        check_margins(&model, radius)
            .map_err(|error| Failure::new(format!("`{file}`: {error}")).hint(error.hint()))?;
        let worst = worst_losses(&model, radius);
        let ceilings = ceiling.resolve(&model, &worst)?;
        let names = federation.agents().iter().map(|agent| agent.name.clone()).collect();
        let samples = federation.agents().iter().map(corefed_data::Agent::samples).collect();
        Ok(Self {
            file,
            digest,
            encoding,
            federation: Arc::new(federation),
            family,
            l2,
            radius,
            weights,
            ceilings,
            worst,
            names,
            samples,
        })
    }

    /// The agents' losses.
    pub(crate) fn losses(&self) -> Box<dyn ConvexLosses + '_> {
        convex_losses(&self.federation, self.family, self.encoding.classes.len(), self.l2)
    }

    pub(crate) fn problem<'a>(&self, losses: &'a dyn ConvexLosses) -> Problem<'a> {
        Problem::new(losses, self.ceilings.clone(), self.weights.clone(), self.radius)
    }

    pub(crate) fn predictor(&self, parameters: Vec<f64>) -> Predictor {
        Predictor {
            family: self.family,
            l2: self.l2,
            radius: self.radius,
            encoding: self.encoding.clone(),
            parameters,
        }
    }

    /// The same case in another ball, such as one that is larger by a rounding error and contains a model
    /// on the sphere. Ceilings stay as they are.
    pub(crate) fn in_ball(&self, radius: f64) -> Self {
        let mut case = self.clone();
        if radius != self.radius {
            let classes = self.encoding.classes.len();
            let model = FederationLosses::new(&self.federation, self.family, classes, self.l2);
            (case.radius, case.worst) = (radius, worst_losses(&model, radius));
        }
        case
    }

    pub(crate) fn parties(&self) -> Parties<'_> {
        Parties {
            names: &self.names,
            samples: &self.samples,
            weights: &self.weights,
            ceilings: &self.ceilings,
        }
    }

    pub(crate) fn samples(&self) -> &[usize] {
        &self.samples
    }

    /// Names the agents that no predictor can serve together.
    pub(crate) fn infeasible(&self, error: &Infeasible) -> Failure {
        let (agents, bound, shortfall) = match error {
            Infeasible::Proven { agents, bound, shortfall, .. } => (agents, bound, shortfall),
            Infeasible::NotFound { .. } => {
                return Failure::new(format!("`{}`: {error}", self.file))
                    .hint("raise the ceilings, or enlarge the ball with `--radius`");
            }
        };
        let names: Vec<String> =
            agents.iter().map(|&agent| format!("`{}`", self.names[agent])).collect();
        let (who, what) = match names.as_slice() {
            [one] => (format!("agent {one} cannot have a positive utility"), "its utility"),
            _ => (
                format!("agents {} cannot all have a positive utility", names.join(", ")),
                "a weighted mean of their utilities",
            ),
        };
        Failure::new(format!(
            "`{}`: {who} under these ceilings: whatever the predictor, {what} is at most {bound:.6}",
            self.file
        ))
        .hint(format!(
            "raise the ceilings by more than {:.4}, or enlarge the ball with `--radius`",
            shortfall.max(0.0)
        ))
    }
}
