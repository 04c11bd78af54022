//! Networks by rounds: agents with images, on the cores of the machine or on its GPU.

#[cfg(feature = "cuda")]
mod device;
mod measure;
#[cfg(not(feature = "cuda"))]
mod no_device;
mod pixels;
mod training;

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use corefed_core::Seed;
use corefed_nn::{Init, Network};

#[cfg(feature = "cuda")]
use self::device::OnDevice;
#[cfg(not(feature = "cuda"))]
use self::no_device::OnDevice;
pub use self::pixels::{Channel, Pixels};
pub use self::training::NetworkWorkspace;
use crate::{DeviceFailure, Evaluation, Federated, Job, Part};

/// Images with labels, and who owns which run of them.
#[derive(Clone, Debug)]
pub struct ImageSamples {
    /// The images.
    pub pixels: Pixels,
    /// The class of every image.
    pub labels: Vec<u8>,
    /// Images of every agent, none for one without.
    pub owned: Vec<Range<usize>>,
}

/// A federation with a network.
pub struct NetworkFederation {
    network: Network,
    init: Init,
    /// Largest mini-batch that will be asked for.
    batch: usize,
    train: Arc<ImageSamples>,
    held_out: Option<Arc<ImageSamples>>,
    validation: Option<Arc<ImageSamples>>,
    test: Option<Arc<ImageSamples>>,
    /// Scratch memory of evaluations, given back after each.
    measuring: Arc<Mutex<Vec<NetworkWorkspace>>>,
    /// How many agents train at once, and on what; `None`: one agent per thread.
    device: Option<(usize, Mutex<OnDevice>)>,
}

impl NetworkFederation {
    /// Joins the parts; `batch` is the largest mini-batch of the training.
    #[must_use]
    pub fn new(network: Network, init: Init, batch: usize, train: ImageSamples) -> Self {
        Self {
            network,
            init,
            batch,
            train: Arc::new(train),
            held_out: None,
            validation: None,
            test: None,
            measuring: Arc::default(),
            device: None,
        }
    }

    /// Adds held-out images, owned by the same agents.
    ///
    /// # Panics
    /// If they have other agents.
    #[must_use]
    pub fn with_held_out(mut self, samples: ImageSamples) -> Self {
        assert_eq!(samples.owned.len(), self.train.owned.len(), "the same agents");
        self.held_out = Some(Arc::new(samples));
        self
    }

    /// Adds images to choose a round by, owned by the same agents.
    ///
    /// # Panics
    /// If they have other agents.
    #[must_use]
    pub fn with_validation(mut self, samples: ImageSamples) -> Self {
        assert_eq!(samples.owned.len(), self.train.owned.len(), "the same agents");
        self.validation = Some(Arc::new(samples));
        self
    }

    /// Adds a test set that belongs to nobody.
    #[must_use]
    pub fn with_test(mut self, samples: ImageSamples) -> Self {
        self.test = Some(Arc::new(samples));
        self
    }

    /// What is trained.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// The GPU it is computed on and how that computes, in words; `None` on the CPU.
    #[must_use]
    pub fn device(&self) -> Option<(String, &'static str)> {
        self.with_device(|device| device.describe())
    }

    /// The longest training image as the network takes it, in Euclidean length.
    #[must_use]
    pub fn longest_image(&self) -> f64 {
        self.train.pixels.longest()
    }

    /// An agent's images of a part; `None` where nothing was held out.
    #[must_use]
    pub fn part(&self, part: Part) -> Option<&ImageSamples> {
        match part {
            Part::Train => Some(&self.train),
            Part::HeldOut => self.held_out.as_deref(),
            Part::Validation => self.validation.as_deref(),
        }
    }

    /// The same federation for another training at the same time: images are shared, and on a device it has
    /// a stream and buffers of its own, so that neither waits for the other.
    pub fn beside(&self) -> Result<Self, DeviceFailure> {
        let device = match &self.device {
            None => None,
            Some((together, device)) => {
                let device = device.lock().unwrap_or_else(PoisonError::into_inner);
                Some((*together, device.beside()?.into()))
            }
        };
        Ok(Self {
            network: self.network.clone(),
            init: self.init,
            batch: self.batch,
            train: self.train.clone(),
            held_out: self.held_out.clone(),
            validation: self.validation.clone(),
            test: self.test.clone(),
            measuring: self.measuring.clone(),
            device,
        })
    }

    /// Asks the device, if there is one.
    fn with_device<R>(&self, work: impl FnOnce(&mut OnDevice) -> R) -> Option<R> {
        let (_, device) = self.device.as_ref()?;
        // A poisoned lock only means that another thread panicked; the device does not mind.
        Some(work(&mut device.lock().unwrap_or_else(PoisonError::into_inner)))
    }

    /// Lends scratch memory, so that no evaluation has to allocate it anew.
    fn with_workspace<R>(&self, work: impl FnOnce(&mut NetworkWorkspace) -> R) -> R {
        // A poisoned lock only means that another evaluation panicked.
        let pool = || self.measuring.lock().unwrap_or_else(PoisonError::into_inner);
        let spare = pool().pop();
        let mut workspace =
            spare.unwrap_or_else(|| NetworkWorkspace::new(&self.network, measure::CHUNK));
        let result = work(&mut workspace);
        pool().push(workspace);
        result
    }
}

impl Federated for NetworkFederation {
    type Scalar = f32;
    type Model = Vec<f32>;
    type Workspace = NetworkWorkspace;

    fn dim(&self) -> usize {
        self.network.dim()
    }

    fn agents(&self) -> usize {
        self.train.owned.len()
    }

    fn samples(&self, part: Part, agent: usize) -> usize {
        self.part(part).map_or(0, |samples| samples.owned[agent].len())
    }

    fn initial(&self, seed: Seed) -> Vec<f32> {
        self.network.initial(seed, self.init)
    }

    fn prepare(&self, params: &[f32]) -> Vec<f32> {
        params.to_vec()
    }

    fn workspace(&self) -> NetworkWorkspace {
        NetworkWorkspace::new(&self.network, self.batch)
    }

    fn evaluate(
        &self,
        model: &Vec<f32>,
        part: Part,
        agents: &[usize],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure> {
        let Some(samples) = self.part(part) else { return Ok(vec![None; agents.len()]) };
        let ranges: Vec<Range<usize>> =
            agents.iter().map(|&agent| samples.owned[agent].clone()).collect();
        self.measure(model, Some(part), samples, &ranges)
    }

    fn test(&self, model: &Vec<f32>) -> Result<Option<Evaluation>, DeviceFailure> {
        let Some(samples) = self.test.as_deref() else { return Ok(None) };
        let all = 0..samples.labels.len();
        let found = self.measure(model, None, samples, std::slice::from_ref(&all))?;
        Ok(found.into_iter().next().flatten())
    }

    fn train(
        &self,
        model: &Vec<f32>,
        agent: usize,
        job: &Job<'_, f32>,
        workspace: &mut NetworkWorkspace,
        update: &mut [f32],
    ) {
        training::train(&self.network, &self.train, agent, job, model, workspace, update);
    }

    fn together(&self) -> Option<usize> {
        self.device.as_ref().map(|(most, _)| *most)
    }

    fn train_together(
        &self,
        model: &Vec<f32>,
        tasks: &[(usize, Job<'_, f32>)],
        updates: &mut [Vec<f32>],
    ) -> Result<(), DeviceFailure> {
        let train = |device: &mut OnDevice| device.train(model, &self.train.owned, tasks, updates);
        self.with_device(train).unwrap_or(Ok(()))
    }

    fn exact_losses(&self, _: &Vec<f32>) -> Option<Vec<f64>> {
        None
    }

    fn convex_gradient(&self, _: &Vec<f32>, _: &[f64]) -> Option<Vec<f64>> {
        None
    }
}
