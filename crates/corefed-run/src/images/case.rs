//! Agents with images: what holds for every model of them.

use std::sync::Arc;

use corefed_core::{CeilingError, Reference, ReferenceLosses, Weights};
use corefed_data::{Agent, AgentRows, Images, Partition, PartitionFile};
use corefed_sim::Terms;
use corefed_spec::Spec;

use crate::policy::{ceiling_policy, resolve_weights};
use crate::{RunError, TermsError};

/// A federation of images with its terms.
pub struct ImageRun<F> {
    pub federation: Arc<F>,
    pub case: ImageCase,
}

/// Who takes part, on which images, under which terms.
#[derive(Clone)]
pub struct ImageCase {
    pub agents: Vec<Agent>,
    pub classes: usize,
    pub digest: String,
    pub ceilings: Vec<f64>,
    pub weights: Weights,
    pub average: Weights,
    /// Proven largest losses, where the model has some.
    pub worst: Option<Vec<f64>>,
    pub partition: Option<Arc<PartitionFile>>,
    /// How many images of each class every agent trains on.
    pub labels: Vec<Vec<usize>>,
}

impl ImageCase {
    /// `owned` has the classes of every agent's own images.
    pub fn new(
        spec: &Spec,
        images: &Images,
        agents: Vec<Agent>,
        owned: &[Vec<u8>],
        worst: Option<Vec<f64>>,
        partition: Option<PartitionFile>,
    ) -> Result<Self, RunError> {
        let classes = usize::from(images.classes());
        let labels: Vec<Vec<usize>> = owned.iter().map(|own| counts(own, classes)).collect();
        let weights = resolve_weights(&spec.weights, &agents)?;
        let references = ImageReferences {
            agents: &agents,
            labels: &labels,
            weights: &weights,
            worst: worst.as_deref(),
        };
        let ceilings = ceilings(spec, &references)?;
        Ok(Self {
            digest: images.digest(),
            weights,
            average: resolve_weights(&spec.average, &agents)?,
            agents,
            classes,
            ceilings,
            worst,
            partition: partition.map(Arc::new),
            labels,
        })
    }

    pub fn terms(&self, radius: f64) -> Terms {
        let proven = |worst: &Vec<f64>| worst.iter().zip(&self.ceilings).all(|(w, c)| w <= c);
        Terms {
            names: self.agents.iter().map(|agent| agent.name.clone()).collect(),
            weights: self.weights.clone(),
            average: self.average.clone(),
            ceilings: self.ceilings.clone(),
            radius,
            premise: self.worst.as_ref().is_some_and(proven),
            // Softmax regression and networks alike.
            nonnegative: corefed_core::Family::Softmax.nonnegative_loss(),
        }
    }
}

/// Held-out rows of the agents that train, with none for agents without any.
pub(crate) fn matched(train: &Partition, held_out: &Partition) -> Vec<AgentRows> {
    let mut kept = held_out.agents().iter().peekable();
    // Both list agents in the same order, and some may have no held-out rows.
    let own = |agent: &AgentRows| match kept.next_if(|other| other.name == agent.name) {
        Some(found) => found.clone(),
        None => AgentRows { name: agent.name.clone(), rows: Vec::new() },
    };
    train.agents().iter().map(own).collect()
}

/// Everything, owned by nobody in particular.
pub(crate) fn everything(images: &Images) -> AgentRows {
    AgentRows { name: "test".to_owned(), rows: (0..).take(images.len()).collect() }
}

/// Images of each class among an agent's own.
fn counts(labels: &[u8], classes: usize) -> Vec<usize> {
    let mut counts = vec![0; classes];
    for label in labels {
        counts[usize::from(*label)] += 1;
    }
    counts
}

/// What ceilings of images go by.
struct ImageReferences<'a> {
    agents: &'a [Agent],
    labels: &'a [Vec<usize>],
    weights: &'a Weights,
    worst: Option<&'a [f64]>,
}

impl ReferenceLosses for ImageReferences<'_> {
    fn names(&self) -> Vec<String> {
        self.agents.iter().map(|agent| agent.name.clone()).collect()
    }

    /// The zero predictor's loss is the log of the number of classes.
    fn initial(&self) -> Option<Vec<f64>> {
        Some(self.labels.iter().map(|own| (own.len() as f64).ln()).collect())
    }

    fn constant(&self) -> Option<Vec<f64>> {
        Some(self.labels.iter().map(|own| cross_entropy(&shares(own), own)).collect())
    }

    fn pooled_constant(&self) -> Option<Vec<f64>> {
        let mut pooled = vec![0.0; self.labels.first().map_or(0, Vec::len)];
        for (own, weight) in self.labels.iter().zip(self.weights.values()) {
            for (pooled, share) in pooled.iter_mut().zip(shares(own)) {
                *pooled += weight / self.weights.total() * share;
            }
        }
        Some(self.labels.iter().map(|own| cross_entropy(&pooled, own)).collect())
    }

    fn worst(&self) -> Option<Vec<f64>> {
        self.worst.map(<[f64]>::to_vec)
    }
}

/// Ceilings by policy.
fn ceilings(spec: &Spec, references: &ImageReferences<'_>) -> Result<Vec<f64>, RunError> {
    let policy = ceiling_policy(&spec.ceiling, references.agents)?;
    policy.resolve(references).map_err(|error| match error {
        CeilingError::NotKnown { what: Reference::Worst } => {
            TermsError::NoWorstLoss { model: spec.model.to_string() }.into()
        }
        error => error.into(),
    })
}

/// Shares of classes.
fn shares(counts: &[usize]) -> Vec<f64> {
    let total = counts.iter().sum::<usize>() as f64;
    counts.iter().map(|count| *count as f64 / total).collect()
}

/// Loss of an agent under constant probabilities of classes.
fn cross_entropy(constant: &[f64], counts: &[usize]) -> f64 {
    let pairs = constant.iter().zip(shares(counts));
    pairs.filter(|(_, own)| *own > 0.0).map(|(p, own)| -own * f64::ln(*p)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_constant_costs_the_entropy_of_the_labels() {
        let best = |labels: &[u8]| {
            let own = counts(labels, 3);
            cross_entropy(&shares(&own), &own)
        };
        assert!((best(&[0, 0, 1, 1]) - 2_f64.ln()).abs() < 1e-15);
        assert_eq!(best(&[2, 2]), 0.0);
    }

    #[test]
    fn the_best_common_constant_goes_by_weights() {
        // One agent has class 0 only, the other class 1 only; with weights 1 and 3 they have shares of 1/4 and 3/4.
        let labels = [counts(&[0, 0, 0, 0], 2), counts(&[1], 2)];
        let agents: Vec<Agent> =
            [("a", 0..4), ("b", 4..5)].map(|(name, rows)| Agent { name: name.into(), rows }).into();
        let weights = Weights::new(vec![1.0, 3.0]).unwrap();
        let known =
            ImageReferences { agents: &agents, labels: &labels, weights: &weights, worst: None };
        let found = known.pooled_constant().unwrap();
        assert!((found[0] - 4_f64.ln()).abs() < 1e-15, "{found:?}");
        assert!((found[1] - (4_f64 / 3.0).ln()).abs() < 1e-15, "{found:?}");
    }
}
