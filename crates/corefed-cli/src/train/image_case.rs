//! Agents with images: what holds for every model of them.

use std::sync::Arc;

use corefed_core::Weights;
use corefed_data::{Agent, AgentRows, Images, Partition, PartitionFile};
use corefed_sim::Terms;
use corefed_solve::CeilingPolicy;
use corefed_spec::Spec;

use crate::failure::Failure;
use crate::policy::{ceiling_policy, resolve_weights};

/// A federation of images with its terms.
pub(crate) struct ImageRun<F> {
    pub(crate) federation: Arc<F>,
    pub(crate) case: ImageCase,
}

/// Who takes part, on which images, under which terms.
#[derive(Clone)]
pub(crate) struct ImageCase {
    pub(crate) agents: Vec<Agent>,
    pub(crate) classes: usize,
    pub(crate) digest: String,
    pub(crate) ceilings: Vec<f64>,
    pub(crate) weights: Weights,
    pub(crate) average: Weights,
    /// Proven largest losses, where the model has some.
    pub(crate) worst: Option<Vec<f64>>,
    pub(crate) partition: Option<Arc<PartitionFile>>,
    /// How many images of each class every agent trains on.
    pub(crate) labels: Vec<Vec<usize>>,
}

impl ImageCase {
    /// `owned` has the classes of every agent's own images.
    pub(crate) fn new(
        spec: &Spec,
        images: &Images,
        agents: Vec<Agent>,
        owned: &[Vec<u8>],
        worst: Option<Vec<f64>>,
        partition: Option<PartitionFile>,
    ) -> Result<Self, Failure> {
        let classes = usize::from(images.classes());
        let labels: Vec<Vec<usize>> = owned.iter().map(|own| counts(own, classes)).collect();
        let ceilings = ceilings(spec, &agents, &labels, worst.as_deref())?;
        Ok(Self {
            digest: corefed_core::digest_bytes(&[images.pixels(), images.labels()].concat()),
            weights: resolve_weights(&spec.weights, &agents)?,
            average: resolve_weights(&spec.average, &agents)?,
            agents,
            classes,
            ceilings,
            worst,
            partition: partition.map(Arc::new),
            labels,
        })
    }

    pub(crate) fn terms(&self, radius: f64) -> Terms {
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

/// Rows kept back by the agents that train, with none for agents that kept none.
pub(super) fn matched(train: &Partition, held_out: &Partition) -> Vec<AgentRows> {
    let mut kept = held_out.agents().iter().peekable();
    // Both list agents in the same order, and some may be missing among those kept back.
    let own = |agent: &AgentRows| match kept.next_if(|other| other.name == agent.name) {
        Some(found) => found.clone(),
        None => AgentRows { name: agent.name.clone(), rows: Vec::new() },
    };
    train.agents().iter().map(own).collect()
}

/// Everything, owned by nobody in particular.
pub(super) fn everything(images: &Images) -> AgentRows {
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

/// Ceilings by policy; the zero predictor's loss is the log of the number of classes.
fn ceilings(
    spec: &Spec,
    agents: &[Agent],
    labels: &[Vec<usize>],
    worst: Option<&[f64]>,
) -> Result<Vec<f64>, Failure> {
    let classes = labels.first().map_or(1, Vec::len);
    let ceilings = match ceiling_policy(&spec.ceiling, agents)? {
        CeilingPolicy::Fixed(value) => vec![value; agents.len()],
        CeilingPolicy::PerAgent(values) => values,
        CeilingPolicy::Initial(factor) => vec![factor * (classes as f64).ln(); agents.len()],
        CeilingPolicy::Constant(factor) => labels.iter().map(|own| factor * entropy(own)).collect(),
        CeilingPolicy::Worst => match worst {
            Some(worst) => worst.to_vec(),
            None => {
                return Err(Failure::new(format!("`{}` has no largest loss", spec.model))
                    .hint("set `network.smoothing` above zero, or choose another `ceiling`"));
            }
        },
    };
    match ceilings.iter().position(|ceiling| !(*ceiling > 0.0 && ceiling.is_finite())) {
        Some(k) => Err(Failure::new(format!(
            "the ceiling of agent `{}` is `{}`; ceilings must be positive and finite",
            agents[k].name, ceilings[k]
        ))
        .hint("choose another `ceiling`, such as `initial:1.5`")),
        None => Ok(ceilings),
    }
}

/// Loss of the best constant prediction.
fn entropy(counts: &[usize]) -> f64 {
    let total = counts.iter().sum::<usize>() as f64;
    let shares = counts.iter().map(|count| *count as f64 / total);
    shares.filter(|p| *p > 0.0).map(|p| -p * f64::ln(p)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_constant_costs_the_entropy_of_the_labels() {
        assert!((entropy(&counts(&[0, 0, 1, 1], 3)) - 2_f64.ln()).abs() < 1e-15);
        assert_eq!(entropy(&counts(&[2, 2], 3)), 0.0);
    }
}
