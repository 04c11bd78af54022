//! The same federation on a GPU: images stay there, and agents of a cohort advance together.

use std::ops::Range;
use std::sync::Arc;

use corefed_cuda::{CudaError, Device, Engine, Images, Objective, Sums, Task};
use corefed_rules::LocalObjective;
use corefed_spec::Precision;

use super::training::{masks, order, single};
use super::{ImageSamples, NetworkFederation};
use crate::{DeviceFailure, Drift, Job, Part};

/// A network and all images on one device.
pub(super) struct OnDevice {
    engine: Engine,
    ordinal: usize,
    name: String,
    precision: Precision,
    // Shared with trainings at the same time, and dropped after the engine that reads them.
    train: Arc<Images>,
    held_out: Option<Arc<Images>>,
    validation: Option<Arc<Images>>,
    test: Option<Arc<Images>>,
}

impl NetworkFederation {
    /// Moves everything to a GPU, where up to `together` agents train at once.
    pub fn on_cuda(mut self, precision: Precision, together: usize) -> Result<Self, DeviceFailure> {
        let device = Device::open(0)?;
        let engine = Engine::new(&device, &self.network, arithmetic(precision))?;
        let upload = |samples: &ImageSamples| -> Result<Arc<Images>, CudaError> {
            samples.pixels.upload(&engine, &samples.labels).map(Arc::new)
        };
        let on_device = OnDevice {
            ordinal: device.info().ordinal,
            name: device.info().name.clone(),
            precision,
            train: upload(&self.train)?,
            held_out: self.held_out.as_deref().map(&upload).transpose()?,
            validation: self.validation.as_deref().map(&upload).transpose()?,
            test: self.test.as_deref().map(&upload).transpose()?,
            engine,
        };
        self.device = Some((together.max(1), on_device.into()));
        Ok(self)
    }
}

impl From<CudaError> for DeviceFailure {
    fn from(error: CudaError) -> Self {
        Self { hint: error.hint(), reason: error.to_string() }
    }
}

impl OnDevice {
    /// The same images, with a stream and buffers of its own.
    pub(super) fn beside(&self) -> Result<Self, DeviceFailure> {
        let device = Device::open(self.ordinal)?;
        Ok(Self {
            engine: Engine::new(&device, self.engine.network(), arithmetic(self.precision))?,
            ordinal: self.ordinal,
            name: self.name.clone(),
            precision: self.precision,
            train: self.train.clone(),
            held_out: self.held_out.clone(),
            validation: self.validation.clone(),
            test: self.test.clone(),
        })
    }

    /// Its name and its arithmetic.
    pub(super) fn describe(&self) -> (String, &'static str) {
        (self.name.clone(), self.precision.name())
    }

    fn images(&mut self, part: Option<Part>) -> Option<(&mut Engine, &Images)> {
        let images = match part {
            Some(Part::Train) => Some(&*self.train),
            Some(Part::HeldOut) => self.held_out.as_deref(),
            Some(Part::Validation) => self.validation.as_deref(),
            None => self.test.as_deref(),
        };
        Some((&mut self.engine, images?))
    }

    /// Sums over runs of images; without a part, over the test set.
    pub(super) fn measure(
        &mut self,
        part: Option<Part>,
        params: &[f32],
        ranges: &[Range<usize>],
    ) -> Result<Vec<Sums>, DeviceFailure> {
        match self.images(part) {
            Some((engine, images)) => Ok(engine.measure(images, params, ranges)?),
            None => Ok(vec![Sums::default(); ranges.len()]),
        }
    }

    /// Loss of every image of a run.
    pub(super) fn losses(
        &mut self,
        part: Part,
        params: &[f32],
        rows: Range<usize>,
    ) -> Result<Vec<f64>, DeviceFailure> {
        let Some((engine, images)) = self.images(Some(part)) else { return Ok(Vec::new()) };
        let losses = engine.losses(images, params, rows)?;
        Ok(losses.into_iter().map(f64::from).collect())
    }

    /// Gradient of the mean training loss over a run of images.
    pub(super) fn gradient(
        &mut self,
        params: &[f32],
        rows: Range<usize>,
    ) -> Result<Vec<f64>, DeviceFailure> {
        let (_, gradient) = self.engine.gradient(&self.train, params, rows)?;
        Ok(gradient.into_iter().map(f64::from).collect())
    }

    /// Trains some agents from one model, each into an update of its own.
    pub(super) fn train(
        &mut self,
        params: &[f32],
        owned: &[Range<usize>],
        tasks: &[(usize, Job<'_, f32>)],
        updates: &mut [Vec<f32>],
    ) -> Result<(), DeviceFailure> {
        let orders: Vec<Vec<u32>> =
            tasks.iter().map(|(agent, job)| rows(job, &owned[*agent])).collect();
        let tasks: Vec<Task<'_>> = tasks
            .iter()
            .zip(&orders)
            .map(|((agent, job), order)| task(job, owned[*agent].len(), order))
            .collect();
        let mut updates: Vec<&mut [f32]> = updates.iter_mut().map(Vec::as_mut_slice).collect();
        Ok(self.engine.train(&self.train, params, &tasks, &mut updates)?)
    }
}

fn arithmetic(precision: Precision) -> corefed_cuda::Precision {
    match precision {
        Precision::Fp32 => corefed_cuda::Precision::Fp32,
        Precision::Tf32 => corefed_cuda::Precision::Tf32,
        Precision::Bf16 => corefed_cuda::Precision::Bf16,
    }
}

/// The order of an agent's images, counted among those of everybody.
fn rows(job: &Job<'_, f32>, own: &Range<usize>) -> Vec<u32> {
    // Rows are numbered by `u32`, so there are never more of them.
    let first = u32::try_from(own.start).unwrap_or(u32::MAX);
    order(job, own.len()).into_iter().map(|row| first + row).collect()
}

fn task<'a>(job: &Job<'a, f32>, count: usize, order: &'a [u32]) -> Task<'a> {
    Task {
        order,
        epoch_rows: count,
        batch: job.batch,
        steps: job.steps,
        learning_rate: single(job.learning_rate),
        momentum: single(job.momentum),
        weight_decay: single(job.weight_decay),
        objective: match job.objective {
            LocalObjective::Loss => Objective::Loss,
            LocalObjective::LogUtility(log) => {
                Objective::LogUtility { ceiling: single(log.ceiling), floor: single(log.floor) }
            }
        },
        dropout_seed: masks(job).0,
        drift: job.drift.map(|Drift { common, own }| (common, own)),
    }
}
