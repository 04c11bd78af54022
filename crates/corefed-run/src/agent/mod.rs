//! One agent's table with a linear model: what a client of a deployment computes, by the engine's code.

mod audited;
mod error;
mod posed;

use std::path::Path;

use corefed_core::{Encoding, Family, Seed};
use corefed_data::{Design, Federation, apply_file};
use corefed_model::{ConvexLosses, FederationLosses};
use corefed_rules::{LocalObjective, LogUtility};
use corefed_sim::{Drift, Evaluation, Federated, Job, LinearFederation, Part, Samples};

pub use error::AgentError;
pub use posed::Posed;

/// The rows of one agent.
#[derive(Debug)]
pub struct LinearAgent {
    federation: Federation,
    family: Family,
    encoding: Encoding,
    l2: f64,
    digest: String,
}

/// Local training, as the spec words it.
#[derive(Clone, Copy, Debug)]
pub struct Local<'a> {
    /// Passes over all rows.
    pub epochs: usize,
    /// Rows per step; zero is all of them.
    pub batch: usize,
    /// Size of steps.
    pub learning_rate: f64,
    /// Heavy-ball momentum.
    pub momentum: f64,
    /// Decay of weights.
    pub weight_decay: f64,
    /// Seed of the run.
    pub seed: u64,
    /// Round of the run.
    pub round: u64,
    /// Position of the agent in its federation.
    pub agent: u64,
    /// Ceiling and floor of a log that is climbed instead, under PropFair.
    pub log_utility: Option<(f64, f64)>,
    /// What is added to the gradient in every step.
    pub drift: Option<&'a [f64]>,
}

impl LinearAgent {
    /// Reads a table whose rows all belong to one agent, encoded as agreed; the encoding is JSON.
    pub fn open(path: &Path, encoding: &str, family: Family, l2: f64) -> Result<Self, AgentError> {
        let encoding: Encoding = serde_json::from_str(encoding)
            .map_err(|error| AgentError::Encoding { reason: error.to_string() })?;
        let applied = apply_file(path, &encoding, family)?;
        let agents = applied.federation.agents();
        if agents.len() != 1 {
            let names = agents.iter().map(|agent| agent.name.clone()).collect();
            return Err(AgentError::Several { path: path.to_owned(), names });
        }
        Ok(Self { family, encoding, l2, digest: applied.digest, federation: applied.federation })
    }

    /// Number of parameters.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.losses().dim()
    }

    /// Number of rows.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.federation.agents()[0].samples()
    }

    /// Name of the agent, as the table has it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.federation.agents()[0].name
    }

    /// SHA-256 of the file.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Blocks of parameters: one, or one per class.
    #[must_use]
    pub fn blocks(&self) -> usize {
        self.family.blocks(self.classes())
    }

    /// Mean loss, and accuracy of a classifier.
    pub fn evaluate(&self, params: &[f64]) -> Result<Evaluation, AgentError> {
        self.check(params)?;
        let linear = self.linear();
        let model = linear.prepare(params);
        let found = linear.evaluate(&model, Part::Train, &[0]);
        let found = found.map_err(|failure| AgentError::Device { reason: failure.reason })?;
        found.into_iter().next().flatten().ok_or(AgentError::Empty)
    }

    /// Steps of local training over all rows this many times; a `batch` of zero is all rows.
    #[must_use]
    pub fn steps(&self, epochs: usize, batch: usize) -> usize {
        epochs * self.samples().div_ceil(self.batch(batch))
    }

    /// Parameters after local training.
    pub fn train(&self, params: &[f64], local: &Local<'_>) -> Result<Vec<f64>, AgentError> {
        self.check(params)?;
        local.drift.map_or(Ok(()), |drift| self.check(drift))?;
        // The server sends the difference.
        let own = vec![0.0; params.len()];
        let seed = Seed(local.seed).derive("train").derive("local").derive_index(local.round);
        let job = Job {
            steps: self.steps(local.epochs, local.batch),
            batch: self.batch(local.batch),
            learning_rate: local.learning_rate,
            momentum: local.momentum,
            weight_decay: local.weight_decay,
            seed: seed.derive_index(local.agent),
            objective: local.log_utility.map_or(LocalObjective::Loss, |(ceiling, floor)| {
                LocalObjective::LogUtility(LogUtility { ceiling, floor: floor * ceiling })
            }),
            drift: local.drift.map(|common| Drift { common, own: &own }),
        };
        let mut update = vec![0.0; params.len()];
        let linear = self.linear();
        let model = linear.prepare(params);
        linear.train(&model, 0, &job, &mut linear.workspace(), &mut update);
        Ok(params.iter().zip(&update).map(|(p, u)| p + u).collect())
    }

    /// Loss, gradient and Hessian, the last row by row.
    pub fn derivatives(&self, params: &[f64]) -> Result<(f64, Vec<f64>, Vec<f64>), AgentError> {
        self.check(params)?;
        let dim = params.len();
        let (mut loss, mut gradient) = ([0.0], vec![0.0; dim]);
        let mut hessian = vec![0.0; dim * dim];
        let losses = self.losses();
        losses.gradients(params, &[0], &mut loss, &mut gradient);
        losses.add_hessian(params, &[0], &[1.0], &mut hessian);
        // The lower triangle is what was computed.
        for row in 0..dim {
            for column in row + 1..dim {
                hessian[row * dim + column] = hessian[column * dim + row];
            }
        }
        Ok((loss[0], gradient, hessian))
    }

    fn classes(&self) -> usize {
        self.encoding.classes.len()
    }

    fn batch(&self, asked: usize) -> usize {
        let rows = self.samples();
        if asked == 0 { rows } else { asked.min(rows) }
    }

    fn losses(&self) -> FederationLosses<'_> {
        FederationLosses::new(&self.federation, self.family, self.classes(), self.l2)
    }

    fn linear(&self) -> LinearFederation<&Design, f64> {
        let rows = Samples {
            rows: self.federation.design(),
            target: self.federation.target().to_vec(),
            offsets: self.federation.offsets(0..self.samples()).to_vec(),
            owned: self.federation.agents().iter().map(|agent| agent.rows.clone()).collect(),
        };
        LinearFederation::new(self.family, self.classes(), self.l2, rows)
    }

    fn check(&self, params: &[f64]) -> Result<(), AgentError> {
        let (found, expected) = (params.len(), self.dim());
        if found == expected { Ok(()) } else { Err(AgentError::Parameters { found, expected }) }
    }
}
