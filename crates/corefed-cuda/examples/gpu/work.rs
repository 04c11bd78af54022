//! Networks, images and tasks to measure and check with.

use std::error::Error;

use corefed_core::Seed;
use corefed_cuda::{CudaError, Device, Engine, Images, Objective, Pixels, Precision, Task};
use corefed_nn::{Architecture, Init, Loss, Network, Shape, Size, preset};

const CIFAR: Shape = Shape { height: 32, width: 32, channels: 3 };
const CLASSES: usize = 10;

/// Small networks that meet what presets do not.
pub(crate) const SMALL: [(&str, &[&str]); 10] = [
    ("linear", &["flatten", "linear 10"]),
    ("two linear, bounded", &["flatten", "linear 33", "tanh", "linear 10"]),
    ("conv", &["conv 8 3 pad=1", "relu", "flatten", "linear 10"]),
    ("conv pool", &["conv 8 3", "relu", "max-pool 2", "flatten", "linear 10"]),
    (
        "conv pool twice",
        &[
            "conv 8 3 pad=1",
            "relu",
            "max-pool 2",
            "conv 12 4",
            "relu",
            "max-pool 2",
            "flatten",
            "linear 10",
        ],
    ),
    (
        "conv pool wide",
        &[
            "conv 32 3 pad=1",
            "relu",
            "max-pool 2",
            "conv 64 3",
            "max-pool 2",
            "flatten",
            "linear 10",
        ],
    ),
    (
        "stride",
        &["conv 6 5 stride=2 pad=2", "tanh", "conv 5 2 stride=2", "gelu", "flatten", "linear 10"],
    ),
    (
        "points",
        &[
            "avg-pool 2 stride=1",
            "conv 6 3",
            "softplus",
            "max-pool 3 stride=2",
            "conv 4 2 pad=1",
            "gelu",
            "avg-pool 2 stride=1",
            "flatten",
            "linear 10",
        ],
    ),
    ("gather", &["avg-pool 4", "flatten", "linear 20", "gelu", "linear 10"]),
    (
        "dropout",
        &[
            "conv 6 3",
            "relu",
            "max-pool 2",
            "dropout 0.25",
            "flatten",
            "linear 20",
            "tanh",
            "linear 10",
        ],
    ),
];

/// A preset or one of the small ones, `@HEIGHTxWIDTHxCHANNELS` for other images than CIFAR's.
pub(crate) fn network(name: &str) -> Result<Network, Box<dyn Error>> {
    let (kind, input) = match name.split_once('@') {
        None => (name, CIFAR),
        Some((kind, sizes)) => {
            let sizes = sizes.split('x').map(str::parse).collect::<Result<Vec<usize>, _>>()?;
            let [height, width, channels] = sizes[..] else {
                return Err(format!("`{name}` needs three sizes, such as @28x28x1").into());
            };
            (kind, Shape { height, width, channels })
        }
    };
    if let Some((_, layers)) = SMALL.into_iter().find(|(known, _)| *known == kind) {
        let layers = layers.iter().map(|layer| layer.parse()).collect::<Result<_, _>>()?;
        let bounded = kind.ends_with("bounded");
        let loss = if bounded { Loss::Bounded { smoothing: 0.1 } } else { Loss::CrossEntropy };
        return Ok(Network::new(Architecture { input, classes: CLASSES, layers, loss })?);
    }
    let known = preset(kind, input, CLASSES);
    Ok(Network::new(known.ok_or_else(|| format!("there is no network `{kind}`"))?)?)
}

/// The batch that a preset is measured with.
pub(crate) fn usual_batch(name: &str) -> usize {
    match name.split('@').next().unwrap_or_default() {
        "cnn-pfl" => 10,
        "cnn-wide" => 32,
        _ => 64,
    }
}

/// Floating-point operations of a step of one agent: products with weights, forwards, for weights, and for inputs
/// of all layers but the first.
pub(crate) fn operations(network: &Network, batch: usize) -> f64 {
    let mut products = 0;
    let mut first = true;
    for stage in network.stages() {
        let Some(params) = &stage.params else { continue };
        let places = match stage.output {
            Size::Maps(maps) => maps.height * maps.width,
            Size::Features(_) => 1,
        };
        products += if first { 2 } else { 3 } * params.weights.len() * places;
        first = false;
    }
    2.0 * (products * batch) as f64
}

/// Bytes that look like noise, and labels.
pub(crate) fn noise(network: &Network, rows: usize) -> (Vec<u8>, Vec<u8>) {
    let bytes = (0..rows * network.input().len()).map(|at| {
        let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 40).to_le_bytes()[0]
    });
    (bytes.collect(), (0_u8..10).cycle().take(rows).collect())
}

pub(crate) const SCALE: f32 = 1.0 / 64.0;
pub(crate) const SHIFT: f32 = -2.0;

/// Noise on the device.
pub(crate) fn upload(engine: &Engine, bytes: &[u8], labels: &[u8]) -> Result<Images, CudaError> {
    let channels = engine.network().input().channels;
    let (scale, shift) = (vec![SCALE; channels], vec![SHIFT; channels]);
    engine.upload(Pixels::Bytes { bytes, scale: &scale, shift: &shift }, labels)
}

/// Agents that take as many steps of one batch size on the same noise.
pub(crate) struct Crew {
    pub(crate) engine: Engine,
    pub(crate) images: Images,
    pub(crate) start: Vec<f32>,
    pub(crate) agents: usize,
    pub(crate) batch: usize,
    order: Vec<u32>,
}

/// Batches that an agent has before it sees the first again.
const BATCHES: usize = 8;

impl Crew {
    pub(crate) fn new(
        device: &Device,
        name: &str,
        agents: usize,
        batch: usize,
        precision: Precision,
    ) -> Result<Self, Box<dyn Error>> {
        let network = network(name)?;
        let (bytes, labels) = noise(&network, BATCHES * batch);
        let engine = Engine::new(device, &network, precision)?;
        let images = upload(&engine, &bytes, &labels)?;
        let start = network.initial(Seed(1), Init::Kaiming);
        Ok(Self { engine, images, start, agents, batch, order: Vec::new() })
    }

    /// Tasks of this many steps, beside what else a round takes.
    pub(crate) fn with(&mut self, steps: usize) -> (&mut Engine, &Images, &[f32], Vec<Task<'_>>) {
        let rows = u32::try_from(BATCHES * self.batch).unwrap_or(u32::MAX);
        let epochs = steps.div_ceil(BATCHES);
        self.order = (0..epochs).flat_map(|_| 0..rows).collect();
        let task = Task {
            order: &self.order,
            epoch_rows: BATCHES * self.batch,
            batch: self.batch,
            steps,
            learning_rate: 0.001,
            momentum: 0.0,
            weight_decay: 0.0,
            objective: Objective::Loss,
            dropout_seed: 1,
            drift: None,
        };
        (&mut self.engine, &self.images, &self.start, vec![task; self.agents])
    }
}

/// `NAME [AGENTS] [BATCH]`.
pub(crate) fn named<'a>(words: &[&'a str]) -> Result<(&'a str, usize, usize), Box<dyn Error>> {
    let [name, sizes @ ..] = words else { return Err("NAME is missing".into()) };
    let sizes = sizes.iter().map(|size| size.parse()).collect::<Result<Vec<usize>, _>>()?;
    let usual = usual_batch(name);
    match sizes[..] {
        [] => Ok((name, 1, usual)),
        [agents] => Ok((name, agents, usual)),
        [agents, batch] => Ok((name, agents, batch)),
        _ => Err("too many words: NAME [AGENTS] [BATCH]".into()),
    }
}
