//! A linear predictor over pixels.

use std::ops::Range;
use std::sync::Arc;

use corefed_core::Family;
use corefed_data::{Agent, AgentRows, Images, Partition, PartitionFile};
use corefed_model::worst_loss_of_norms;
use corefed_sim::{LinearFederation, PixelRows, Samples};
use corefed_spec::Spec;

use super::case::{ImageCase, ImageRun, everything, matched};
use crate::{PrepareError, RunError};

/// Softmax regression on images.
pub(crate) type LinearImages = LinearFederation<PixelRows, f32>;

pub(crate) fn linear_images(
    spec: &Spec,
    images: &Images,
    (train, held_out, validation): (&Partition, Option<&Partition>, Option<&Partition>),
    test: Option<&Images>,
    partition: Option<PartitionFile>,
) -> Result<ImageRun<LinearImages>, RunError> {
    // Images have any number of classes.
    let suits = |family: &Family| family.facts().block_per_class;
    let Some(family) = spec.model.family().filter(suits) else {
        return Err(PrepareError::ImagesForModel { model: spec.model.to_string() }.into());
    };
    if !spec.corrupt.is_empty() {
        return Err(PrepareError::CorruptPixels.into());
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
    let worst = agents.iter().map(|agent| {
        let norms = agent.rows.clone().map(|row| samples.rows.norm(row));
        worst_loss_of_norms(family, classes, norms, spec.radius) + ridge
    });
    let worst = Some(worst.collect());
    let own = |agent: &AgentRows| -> Vec<u8> {
        agent.rows.iter().map(|row| images.labels()[*row as usize]).collect()
    };
    let owned: Vec<Vec<u8>> = train.agents().iter().map(own).collect();
    let case = ImageCase::new(spec, images, agents, &owned, worst, partition)?;
    let mut federation = LinearFederation::new(family, classes, spec.l2, samples);
    if let Some(held_out) = held_out {
        federation = federation.with_held_out(self::samples(images, &matched(train, held_out))?);
    }
    if let Some(validation) = validation {
        federation =
            federation.with_validation(self::samples(images, &matched(train, validation))?);
    }
    if let Some(test) = test {
        federation = federation.with_test(self::samples(test, &[everything(test)])?);
    }
    Ok(ImageRun { federation: Arc::new(federation), case })
}

/// Rows of every agent one after another.
fn samples(images: &Images, agents: &[AgentRows]) -> Result<Samples<PixelRows>, RunError> {
    let order = || agents.iter().flat_map(|agent| agent.rows.iter().copied());
    let rows = PixelRows::new(images, order())
        .ok_or_else(|| PrepareError::LargeImages { numbers: images.sample_size() })?;
    Ok(Samples {
        rows,
        target: order().map(|row| f64::from(images.labels()[row as usize])).collect(),
        offsets: Vec::new(),
        owned: runs(agents.iter().map(|agent| agent.rows.len())),
    })
}

/// Where runs of some lengths lie, one after another.
pub(crate) fn runs(lengths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    let mut next = 0;
    let run = |length: usize| {
        let start = next;
        next += length;
        start..next
    };
    lengths.map(run).collect()
}
