//! One network on one device.

#![expect(unsafe_code, reason = "talks to the driver")]

mod kernels;

use crate::precision::Precision;
use std::collections::HashMap;

use corefed_nn::Network;
use cudarc::driver::CudaFunction;

use crate::arena::Arena;
use crate::crowd::{Crowd, Use};
use crate::graph::Ready;
use crate::layout::Layout;
use crate::plan::{Op, convolves, plan};
use crate::source::Source;
use crate::staging::Staging;
use crate::steps::{Kernel, Outside, Recipe};
use crate::tile::Machine;
use crate::{CudaError, Device, Images, Pixels};

/// Crowds whose buffers are kept.
const CROWDS: usize = 6;

/// Sets of images, such as those to train and to test on, whose graphs a crowd keeps.
const GRAPHS: usize = 4;

/// Steps in one graph, where that many are left.
const CHAIN: usize = 8;

/// Trains and evaluates one network.
#[derive(Debug)]
pub struct Engine {
    pub(crate) device: Device,
    pub(crate) network: Network,
    pub(crate) ops: Vec<Op>,
    precision: Precision,
    functions: HashMap<Source, CudaFunction>,
    pub(crate) crowds: Vec<Loaded>,
    /// Rows in their order, and what samples cost; grow as needed.
    pub(crate) order: Arena,
    pub(crate) losses: Arena,
    pub(crate) correct: Arena,
    pub(crate) staging: Staging,
}

// SAFETY: handles of the driver may move between threads; `&mut self` keeps them to one at a time, and every
// entry binds the context to its thread.
unsafe impl Send for Engine {}

/// Agents that train together: their buffers and graphs.
#[derive(Debug)]
pub(crate) struct Loaded {
    // Dropped before the memory that they use.
    graphs: Vec<Graphs>,
    pub(crate) crowd: Crowd,
    layout: Layout,
    memory: Arena,
}

impl Loaded {
    pub(crate) fn buffers(&self) -> (&Layout, &Arena) {
        (&self.layout, &self.memory)
    }
}

#[derive(Debug)]
struct Graphs {
    images: u64,
    outside: Outside,
    one: Ready,
    chain: Ready,
}

impl Engine {
    /// Prepares a network; kernels are compiled when they are first needed.
    pub fn new(
        device: &Device,
        network: &Network,
        precision: Precision,
    ) -> Result<Self, CudaError> {
        let info = device.info();
        if precision != Precision::Fp32 && info.capability < (8, 0) {
            return Err(CudaError::OldDevice {
                name: info.name.clone(),
                found: format!("{}.{}", info.capability.0, info.capability.1),
                needed: "8.0",
            });
        }
        let empty = || Arena::new(&device.stream, 0);
        Ok(Self {
            device: device.clone(),
            network: network.clone(),
            ops: plan(network),
            precision,
            functions: HashMap::new(),
            crowds: Vec::new(),
            order: empty()?,
            losses: empty()?,
            correct: empty()?,
            staging: Staging::new(&device.stream)?,
        })
    }

    /// Copies images to the device.
    pub fn upload(&self, pixels: Pixels<'_>, labels: &[u8]) -> Result<Images, CudaError> {
        let network = &self.network;
        let (input, classes) = (network.input(), network.classes());
        Images::upload(&self.device, input, classes, convolves(&self.ops), pixels, labels)
    }

    /// Bytes that this many agents need to train together with batches of this many rows and momentum, images
    /// aside.
    #[must_use]
    pub fn memory(&self, agents: usize, batch: usize) -> usize {
        let crowd = Crowd { agents, batch, purpose: Use::Train, momentum: true, drift: false };
        self.bytes(Crowd { agents: crowd.places(), ..crowd })
    }

    /// The network it was made for.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// How it trains. Losses and gradients are single precision in any case.
    #[must_use]
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// What the device can do, as far as products are cut by it.
    pub(crate) fn machine(&self) -> Machine {
        let info = self.device.info();
        Machine {
            processors: info.processors,
            copies: info.capability >= (8, 0),
            clusters: info.capability >= (9, 0),
        }
    }

    fn layout(&self, crowd: Crowd) -> Layout {
        let precision = crowd.precision(self.precision);
        Layout::new(&self.ops, self.network.dim(), crowd, self.machine(), precision)
    }

    pub(crate) fn bytes(&self, crowd: Crowd) -> usize {
        self.layout(crowd).bytes
    }

    /// Finds or makes room for a crowd; returns its place. What it computes depends on the crowd alone, never
    /// on which were there before: a run that continues must end with the same bytes.
    pub(crate) fn room(&mut self, crowd: Crowd) -> Result<usize, CudaError> {
        let crowd = Crowd { agents: crowd.places(), ..crowd };
        if let Some(at) = self.crowds.iter().position(|loaded| loaded.crowd == crowd) {
            return Ok(at);
        }
        let layout = self.layout(crowd);
        let Crowd { agents, batch, .. } = crowd;
        // The one that was made first makes place, then the next.
        while self.crowds.len() >= CROWDS || layout.bytes > self.device.free()? {
            if self.crowds.is_empty() {
                let free = self.device.free()?;
                return Err(CudaError::Memory { agents, batch, needed: layout.bytes, free });
            }
            self.crowds.remove(0);
        }
        let memory = Arena::new(&self.device.stream, layout.bytes)?;
        self.crowds.push(Loaded { graphs: Vec::new(), crowd, layout, memory });
        Ok(self.crowds.len() - 1)
    }

    pub(crate) fn outside(&self, at: usize, images: &Images, keep_losses: bool) -> Outside {
        let kept = |arena: &Arena| if keep_losses { arena.at(0) } else { 0 };
        Outside {
            pixels: images.pixels.at(0),
            shade: images.shade.at(0),
            labels: images.labels.at(0),
            order: self.order.at(0),
            losses: kept(&self.losses),
            correct: kept(&self.correct),
            base: self.crowds[at].memory.at(0),
        }
    }

    pub(crate) fn recipe(&self, at: usize, images: &Images, outside: Outside) -> Recipe<'_> {
        let loaded = &self.crowds[at];
        Recipe {
            network: &self.network,
            ops: &self.ops,
            crowd: loaded.crowd,
            layout: &loaded.layout,
            precision: loaded.crowd.precision(self.precision),
            form: images.form,
            outside,
        }
    }

    pub(crate) fn kernels(&self, at: usize, images: &Images, outside: Outside) -> Vec<Kernel> {
        self.recipe(at, images, outside).kernels()
    }

    /// Runs this many steps of a crowd, without waiting for them.
    pub(crate) fn replay(
        &mut self,
        at: usize,
        images: &Images,
        keep_losses: bool,
        steps: usize,
    ) -> Result<(), CudaError> {
        let outside = self.outside(at, images, keep_losses);
        let same = |graphs: &Graphs| graphs.images == images.id && graphs.outside == outside;
        let known = self.crowds[at].graphs.iter().position(same);
        let place = if let Some(place) = known {
            place
        } else {
            let kernels = self.kernels(at, images, outside);
            self.load(kernels.iter().map(|kernel| (&kernel.source, kernel.launch.shared)))?;
            let (one, chain) = (self.graph(&kernels, 1)?, self.graph(&kernels, CHAIN)?);
            let graphs = &mut self.crowds[at].graphs;
            if graphs.len() == GRAPHS {
                graphs.remove(0);
            }
            graphs.push(Graphs { images: images.id, outside, one, chain });
            graphs.len() - 1
        };
        let graphs = &self.crowds[at].graphs[place];
        for _ in 0..steps / CHAIN {
            graphs.chain.launch()?;
        }
        for _ in 0..steps % CHAIN {
            graphs.one.launch()?;
        }
        Ok(())
    }

    /// Kernels of the latest step that was run in training, for measurements.
    #[must_use]
    pub fn kernels_per_step(&self) -> Option<usize> {
        let train = self.crowds.iter().find(|loaded| loaded.crowd.purpose == Use::Train)?;
        train.graphs.last().map(|graphs| graphs.one.nodes())
    }
}
