//! A federation with its terms, resolved from a table and what the user asked for.

use std::sync::Arc;

use corefed_audit::Parties;
use corefed_core::{
    Assumption, CeilingPolicy, Encoding, Family, Predictor, Status, Weights, WorstLoss,
};
use corefed_data::{Encoded, Federation, FitFile, LARGEST, Note, widest_columns};
use corefed_model::{ConvexLosses, FederationLosses, check_margins, convex_losses, worst_losses};
use corefed_solve::{Infeasible, Problem, TableReferences};

use crate::{RunError, TermsError};

/// A Hessian of this many rows and columns takes 800 MB; beyond it, second-order methods stop being
/// the right tool.
const MOST_PARAMETERS: usize = 10_000;

/// Every agent keeps a gradient, and its own best is solved; beyond this, name coarser owners.
const MOST_AGENTS: usize = 10_000;

/// Everything an optimum or an audit depends on.
#[derive(Clone, Debug)]
pub struct Case {
    /// What the data are called.
    pub file: String,
    /// SHA-256 of the data.
    pub digest: String,
    /// From raw columns to features.
    pub encoding: Encoding,
    /// The rows, grouped by agent.
    pub federation: Arc<Federation>,
    /// What predicts.
    pub family: Family,
    /// Ridge penalty, >= 0.
    pub l2: f64,
    /// Of the ball of parameters, > 0.
    pub radius: f64,
    /// The say of each agent.
    pub weights: Weights,
    /// The loss at which each agent's utility is zero.
    pub ceilings: Vec<f64>,
    /// Proven largest losses on the ball.
    pub worst: Vec<WorstLoss>,
    /// Names of the agents.
    pub names: Vec<String>,
    /// What an audit must say of the ceilings, where they are not what they seem.
    pub note: Option<Assumption>,
    /// What was decided when the table was read.
    pub read: Vec<Note>,
    samples: Vec<usize>,
}

/// What a user may choose about a case besides its data.
#[derive(Clone, Debug)]
pub struct CaseTerms {
    /// What predicts.
    pub family: Family,
    /// Ridge penalty, >= 0.
    pub l2: f64,
    /// Of the ball of parameters, > 0.
    pub radius: f64,
    /// The say of each agent.
    pub weights: Weights,
    /// How ceilings follow from losses.
    pub ceiling: CeilingPolicy,
    /// Rows that nobody trains on, which ceilings may go by.
    pub held_out: Option<Arc<Federation>>,
}

impl Case {
    /// A federation that was read from a file.
    pub fn new(data: FitFile, terms: CaseTerms) -> Result<Self, RunError> {
        let FitFile { encoded: Encoded { encoding, federation, notes }, digest, file } = data;
        let case = Self::of(Arc::new(federation), encoding, digest, file, terms)?;
        Ok(Self { read: notes, ..case })
    }

    /// A federation in memory; `file` is what it is called.
    pub fn of(
        federation: Arc<Federation>,
        encoding: Encoding,
        digest: String,
        file: String,
        terms: CaseTerms,
    ) -> Result<Self, RunError> {
        let CaseTerms { family, l2, radius, weights, ceiling, held_out } = terms;
        if !(radius > 0.0 && radius <= LARGEST) {
            return Err(TermsError::Radius { radius }.into());
        }
        if !(0.0..=LARGEST).contains(&l2) {
            return Err(TermsError::Ridge { l2 }.into());
        }
        let model = FederationLosses::new(&federation, family, encoding.classes.len(), l2);
        let agents = federation.agents().len();
        if agents > MOST_AGENTS {
            let column = encoding.agent_column;
            return Err(TermsError::ManyAgents { file, column, agents, most: MOST_AGENTS }.into());
        }
        let parameters = model.dim();
        if parameters > MOST_PARAMETERS {
            let widest = widest_columns(&encoding.features).into_iter().next();
            let most = MOST_PARAMETERS;
            return Err(TermsError::ManyParameters { file, parameters, most, widest }.into());
        }
        check_margins(&model, radius)?;
        let worst = worst_losses(&model, radius);
        let ceilings = ceiling.resolve(&TableReferences {
            model: &model,
            weights: &weights,
            radius,
            held_out: held_out.as_deref(),
            worst: &worst,
        })?;
        let note =
            matches!(ceiling, CeilingPolicy::Alone(_)).then(|| own_models(held_out.is_some()));
        let names = federation.agents().iter().map(|agent| agent.name.clone()).collect();
        let samples = federation.agents().iter().map(corefed_data::Agent::samples).collect();
        Ok(Self {
            file,
            digest,
            encoding,
            federation,
            family,
            l2,
            radius,
            weights,
            ceilings,
            worst,
            names,
            note,
            read: Vec::new(),
            samples,
        })
    }

    /// The agents' losses.
    #[must_use]
    pub fn losses(&self) -> Box<dyn ConvexLosses + '_> {
        convex_losses(&self.federation, self.family, self.encoding.classes.len(), self.l2)
    }

    /// The problem that rules optimise and audits ask about.
    #[must_use]
    pub fn problem<'a>(&self, losses: &'a dyn ConvexLosses) -> Problem<'a> {
        Problem::new(losses, self.ceilings.clone(), self.weights.clone(), self.radius)
    }

    /// Parameters with everything that is needed to predict.
    #[must_use]
    pub fn predictor(&self, parameters: Vec<f64>) -> Predictor {
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
    #[must_use]
    pub fn in_ball(&self, radius: f64) -> Self {
        let mut case = self.clone();
        if radius != self.radius {
            let classes = self.encoding.classes.len();
            let model = FederationLosses::new(&self.federation, self.family, classes, self.l2);
            (case.radius, case.worst) = (radius, worst_losses(&model, radius));
        }
        case
    }

    /// Who takes part, as certificates list them.
    #[must_use]
    pub fn parties(&self) -> Parties<'_> {
        Parties {
            names: &self.names,
            samples: &self.samples,
            weights: &self.weights,
            ceilings: &self.ceilings,
        }
    }

    /// Rows of each agent.
    #[must_use]
    pub fn samples(&self) -> &[usize] {
        &self.samples
    }

    /// Names the agents that no predictor can serve together.
    #[must_use]
    pub fn infeasible(&self, error: &Infeasible) -> TermsError {
        let file = self.file.clone();
        match error {
            Infeasible::Proven { agents, bound, shortfall, .. } => TermsError::Infeasible {
                file,
                agents: agents.iter().map(|&agent| self.names[agent].clone()).collect(),
                bound: *bound,
                shortfall: *shortfall,
            },
            Infeasible::NotFound { .. } => TermsError::NotFound { file, reason: error.to_string() },
        }
    }
}

/// Ceilings that go by own models say on which rows these were measured.
fn own_models(held_out: bool) -> Assumption {
    let detail = if held_out {
        "on held-out rows, which the certificate does not contain"
    } else {
        "on the rows it was fitted to, because no rows are held out: what it loses on others is larger"
    };
    Assumption {
        statement: "ceilings are multiples of the loss of each agent's own model".to_owned(),
        status: Status::Assumed,
        detail: detail.to_owned(),
    }
}
