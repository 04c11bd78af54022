//! Agents with images, and a linear predictor over their pixels.

use std::ops::Range;

use corefed_core::{Family, Weights};
use corefed_data::{Agent, AgentRows, Images, Partition, PartitionFile};
use corefed_model::worst_loss_of_norms;
use corefed_sim::{LinearFederation, PixelRows, Samples};
use corefed_solve::CeilingPolicy;
use corefed_spec::Spec;

use crate::dataset::{Dataset, Rows};
use crate::failure::Failure;
use crate::policy::{ceiling_policy, resolve_weights};

/// Everything about a training on images.
pub(crate) struct ImageRun {
    pub(crate) federation: LinearFederation<PixelRows, f32>,
    pub(crate) agents: Vec<Agent>,
    pub(crate) classes: usize,
    pub(crate) digest: String,
    pub(crate) ceilings: Vec<f64>,
    pub(crate) weights: Weights,
    pub(crate) average: Weights,
    /// Proven largest losses on the ball.
    pub(crate) worst: Vec<f64>,
    pub(crate) partition: Option<PartitionFile>,
    /// How many images of each class every agent trains on.
    pub(crate) labels: Vec<Vec<usize>>,
}

impl ImageRun {
    pub(crate) fn new(
        spec: &Spec,
        images: &Images,
        (train, held_out): (&Partition, Option<&Partition>),
        test: Option<&Dataset>,
        partition: Option<PartitionFile>,
    ) -> Result<Self, Failure> {
        if spec.model != Family::Softmax {
            return Err(Failure::new(format!("images cannot be predicted by `{}`", spec.model))
                .hint("use `model = \"softmax\"`"));
        }
        if !spec.corrupt.is_empty() {
            return Err(
                Failure::new("`[corrupt]` is for tables, and these are images").hint("remove it")
            );
        }
        let classes = usize::from(images.classes());
        let samples = samples(images, train.agents())?;
        let agents: Vec<Agent> = train
            .agents()
            .iter()
            .zip(&samples.owned)
            .map(|(agent, rows)| Agent { name: agent.name.clone(), rows: rows.clone() })
            .collect();
        let ridge = 0.5 * spec.l2 * spec.radius * spec.radius;
        let worst: Vec<f64> = agents
            .iter()
            .map(|agent| {
                let norms = agent.rows.clone().map(|row| samples.rows.norm(row));
                worst_loss_of_norms(spec.model, classes, norms, spec.radius) + ridge
            })
            .collect();
        let ceilings = ceilings(spec, &agents, &samples.target, classes, &worst)?;
        let labels = agents.iter().map(|agent| counts(&samples.target, agent, classes)).collect();
        let mut federation = LinearFederation::new(spec.model, classes, spec.l2, samples);
        if let Some(held_out) = held_out {
            federation = federation.with_held_out(matched(images, train, held_out)?);
        }
        if let Some(Rows::Images(test)) = test.map(|set| &set.rows) {
            let everything =
                AgentRows { name: "test".to_owned(), rows: (0..).take(test.len()).collect() };
            federation = federation.with_test(self::samples(test, &[everything])?);
        }
        Ok(Self {
            digest: corefed_core::digest_bytes(&[images.pixels(), images.labels()].concat()),
            weights: resolve_weights(&spec.weights, &agents)?,
            average: resolve_weights(&spec.average, &agents)?,
            federation,
            agents,
            classes,
            ceilings,
            worst,
            partition,
            labels,
        })
    }
}

/// Images of each class among an agent's own.
fn counts(target: &[f64], agent: &Agent, classes: usize) -> Vec<usize> {
    let own = &target[agent.rows.clone()];
    (0..classes).map(|class| own.iter().filter(|label| **label == class as f64).count()).collect()
}

/// Rows of every agent one after another.
fn samples(images: &Images, agents: &[AgentRows]) -> Result<Samples<PixelRows>, Failure> {
    let order = || agents.iter().flat_map(|agent| agent.rows.iter().copied());
    let rows = PixelRows::new(images, order()).ok_or_else(|| {
        Failure::new(format!("images of {} numbers are too large", images.sample_size()))
    })?;
    let mut next = 0;
    let mut own = |agent: &AgentRows| -> Range<usize> {
        let start = next;
        next += agent.rows.len();
        start..next
    };
    Ok(Samples {
        rows,
        target: order().map(|row| f64::from(images.labels()[row as usize])).collect(),
        owned: agents.iter().map(&mut own).collect(),
    })
}

/// Rows kept back, with an empty run for agents that have none.
fn matched(
    images: &Images,
    train: &Partition,
    held_out: &Partition,
) -> Result<Samples<PixelRows>, Failure> {
    let mut kept = held_out.agents().iter().peekable();
    // Both list agents in the same order, and some may be missing among those kept back.
    let own = |agent: &AgentRows| match kept.next_if(|other| other.name == agent.name) {
        Some(found) => found.clone(),
        None => AgentRows { name: agent.name.clone(), rows: Vec::new() },
    };
    samples(images, &train.agents().iter().map(own).collect::<Vec<_>>())
}

/// Ceilings by policy; the zero predictor's loss is the log of the number of classes.
fn ceilings(
    spec: &Spec,
    agents: &[Agent],
    labels: &[f64],
    classes: usize,
    worst: &[f64],
) -> Result<Vec<f64>, Failure> {
    let ceilings = match ceiling_policy(&spec.ceiling, agents)? {
        CeilingPolicy::Fixed(value) => vec![value; agents.len()],
        CeilingPolicy::PerAgent(values) => values,
        CeilingPolicy::Initial(factor) => vec![factor * (classes as f64).ln(); agents.len()],
        CeilingPolicy::Constant(factor) => agents
            .iter()
            .map(|agent| factor * entropy(&labels[agent.rows.clone()], classes))
            .collect(),
        CeilingPolicy::Worst => worst.to_vec(),
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
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "labels are small whole numbers"
)]
fn entropy(labels: &[f64], classes: usize) -> f64 {
    let mut counts = vec![0.0; classes];
    for label in labels {
        counts[*label as usize] += 1.0 / labels.len() as f64;
    }
    counts.iter().filter(|p| **p > 0.0).map(|p| -p * f64::ln(*p)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_constant_costs_the_entropy_of_the_labels() {
        assert!((entropy(&[0.0, 0.0, 1.0, 1.0], 3) - 2_f64.ln()).abs() < 1e-15);
        assert_eq!(entropy(&[2.0, 2.0], 3), 0.0);
    }
}
