//! A network over images.

use std::sync::Arc;

use corefed_core::Seed;
use corefed_data::{
    Agent, AgentRows, CorruptedImages, Images, Partition, PartitionFile, corrupt_images,
};
use corefed_nn::{Network, Shape};
use corefed_sim::{Channel, ImageSamples, NetworkFederation, Pixels};
use corefed_spec::{Device, NetworkSpec, Spec};

use crate::images::case::{ImageCase, ImageRun, everything, matched};
use crate::images::linear::runs;
use crate::source::data;
use crate::{PrepareError, RunError};

/// Largest mini-batch of a network; more than this and memory, not speed, decides.
const MOST_BATCH: usize = 4096;

pub(crate) fn network_images(
    spec: &Spec,
    own: &NetworkSpec,
    images: &Images,
    (train, held_out, validation): (&Partition, Option<&Partition>, Option<&Partition>),
    test: Option<&Images>,
    partition: Option<PartitionFile>,
) -> Result<ImageRun<NetworkFederation>, RunError> {
    if spec.l2 > 0.0 {
        return Err(PrepareError::NetworkRidge.into());
    }
    let input =
        Shape { height: images.height(), width: images.width(), channels: images.channels() };
    let classes = usize::from(images.classes());
    let network = Network::new(own.architecture(input, classes))?;
    let channels = if own.standardise {
        Channel::standard(images.pixels(), images.channels())
    } else {
        vec![Channel::UNCHANGED; images.channels()]
    };
    let seed = Seed(spec.seed).derive("corrupt");
    let corrupted = corrupt_images(images, train.agents(), &spec.corrupt, seed).map_err(data)?;
    let samples = samples(images, train.agents(), &corrupted, &channels);
    let agents: Vec<Agent> = train
        .agents()
        .iter()
        .zip(&samples.owned)
        .map(|(agent, rows)| Agent { name: agent.name.clone(), rows: rows.clone() })
        .collect();
    let owned: Vec<Vec<u8>> =
        samples.owned.iter().map(|rows| samples.labels[rows.clone()].to_vec()).collect();
    let worst = network.loss().largest(classes).map(|worst| vec![worst; agents.len()]);
    let batch = largest_batch(spec, &agents)?;
    let case = ImageCase::new(spec, images, agents, &owned, worst, partition)?;
    let mut federation = NetworkFederation::new(network, own.init, batch, samples);
    let clean = |images: &Images, agents: &[AgentRows]| {
        self::samples(images, agents, &vec![None; agents.len()], &channels)
    };
    if let Some(held_out) = held_out {
        federation = federation.with_held_out(clean(images, &matched(train, held_out)));
    }
    if let Some(validation) = validation {
        federation = federation.with_validation(clean(images, &matched(train, validation)));
    }
    if let Some(test) = test {
        federation = federation.with_test(clean(test, &[everything(test)]));
    }
    if own.device == Device::Cuda {
        federation = federation.on_cuda(own.precision, own.together)?;
    }
    Ok(ImageRun { federation: Arc::new(federation), case })
}

/// Images of every agent one after another, some made worse.
fn samples(
    images: &Images,
    agents: &[AgentRows],
    corrupted: &[Option<CorruptedImages>],
    channels: &[Channel],
) -> ImageSamples {
    let (size, channels) = (images.sample_size(), channels.to_vec());
    let rows = |agent: &AgentRows| agent.rows.iter().map(|row| *row as usize).collect::<Vec<_>>();
    let mut labels = Vec::new();
    let mut lengths = Vec::new();
    for (agent, worse) in agents.iter().zip(corrupted) {
        let before = labels.len();
        match worse {
            Some(worse) => labels.extend_from_slice(&worse.labels),
            None => labels.extend(rows(agent).iter().map(|row| images.labels()[*row])),
        }
        lengths.push(labels.len() - before);
    }
    let owned = runs(lengths.into_iter());
    let pixels = if corrupted.iter().all(Option::is_none) {
        let bytes = agents.iter().flat_map(rows).flat_map(|row| images.image(row)).copied();
        Pixels::bytes(bytes.collect(), size, channels)
    } else {
        let mut numbers = Vec::with_capacity(labels.len() * size);
        for (agent, worse) in agents.iter().zip(corrupted) {
            match worse {
                Some(worse) => numbers.extend_from_slice(&worse.numbers),
                None => numbers.extend(
                    rows(agent)
                        .iter()
                        .flat_map(|row| images.image(*row))
                        .map(|b| f32::from(*b) / 255.0),
                ),
            }
        }
        Pixels::numbers(numbers, size, channels)
    };
    ImageSamples { pixels, labels, owned }
}

/// Scratch memory is made for this many images at a time.
fn largest_batch(spec: &Spec, agents: &[Agent]) -> Result<usize, RunError> {
    let most = agents.iter().map(|agent| agent.rows.len()).max().unwrap_or(1);
    let asked = spec.train.as_ref().and_then(|train| train.local.batch);
    let batch = asked.map_or(most, |batch| batch.get().min(most));
    if batch > MOST_BATCH {
        return Err(PrepareError::LargeBatch { batch, most: MOST_BATCH }.into());
    }
    Ok(batch)
}
