//! Random networks and images.
#![expect(clippy::cast_possible_truncation, reason = "small numbers")]

use corefed_core::{Seed, below, uniform};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;

use crate::{Architecture, Init, Layer, Loss, Network, Samples, Shape};

/// A network of a few layers with parameters and images, all from one seed.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) network: Network,
    pub(crate) params: Vec<f32>,
    pub(crate) pixels: Vec<f32>,
    pub(crate) labels: Vec<u8>,
}

impl Case {
    pub(crate) fn samples(&self) -> Samples<'_> {
        Samples { pixels: &self.pixels, labels: &self.labels }
    }

    pub(crate) fn new(network: Network, rows: usize, seed: Seed) -> Self {
        let mut rng = seed.derive("images").rng();
        let mut draw = |spread: f64| (spread * (2.0 * uniform(&mut rng) - 1.0)) as f32;
        let pixels = (0..rows * network.input().len()).map(|_| draw(1.0)).collect();
        let mut params = network.initial(seed.derive("params"), Init::He);
        // Biases that are zero would hide mistakes.
        for x in &mut params {
            *x += draw(0.1);
        }
        let mut rng = seed.derive("labels").rng();
        let labels = (0..rows).map(|_| below(&mut rng, network.classes() as u32) as u8).collect();
        Self { network, params, pixels, labels }
    }

    /// Layers as a spec writes them, over images of a size.
    pub(crate) fn of(layers: &[&str], input: [usize; 3], rows: usize) -> Self {
        let [height, width, channels] = input;
        let layers: Vec<Layer> =
            layers.iter().map(|layer| layer.parse().expect("a layer")).collect();
        let Some(Layer::Linear { features: classes }) = layers.last().copied() else {
            panic!("the last layer is linear")
        };
        let input = Shape { height, width, channels };
        let architecture = Architecture { input, classes, layers, loss: Loss::CrossEntropy };
        Self::new(Network::new(architecture).expect("layers that fit"), rows, Seed(1))
    }

    pub(crate) fn random(seed: Seed, smooth: bool) -> Self {
        let rng = &mut seed.rng();
        let mut up_to = |most: u32| 1 + below(rng, most) as usize;
        let input = Shape { height: 2 + up_to(8), width: 2 + up_to(8), channels: up_to(3) };
        let classes = 1 + up_to(11);
        let loss = match up_to(2) {
            1 => Loss::CrossEntropy,
            _ => Loss::Bounded { smoothing: 0.05 },
        };
        let mut text = Vec::new();
        for _ in 0..up_to(4) {
            text.push(match up_to(if smooth { 7 } else { 12 }) {
                1 | 8 => format!("conv {} {}", up_to(20), up_to(3)),
                2 | 9 => format!("conv {} 3 pad={} stride={}", up_to(35), up_to(2), up_to(2)),
                3 => format!("conv {} 2 pad=1 stride={}", up_to(6), up_to(3)),
                4 => format!("avg-pool {} stride={}", up_to(3), up_to(2)),
                5 => "softplus".to_owned(),
                6 => "gelu".to_owned(),
                7 => "tanh".to_owned(),
                10 => format!("max-pool {} stride={}", up_to(3), up_to(2)),
                11 => "max-pool 2".to_owned(),
                _ => "relu".to_owned(),
            });
        }
        text.push("flatten".to_owned());
        if up_to(2) == 1 {
            text.push(format!("linear {}", up_to(40)));
            text.push(if smooth { "tanh" } else { "relu" }.to_owned());
        }
        text.push(format!("linear {classes}"));
        let mut layers: Vec<Layer> =
            text.iter().map(|layer| layer.parse().expect("a layer")).collect();
        let rows = up_to(5);
        // Windows that have become too large are left out.
        loop {
            let layers_now = layers.clone();
            match Network::new(Architecture { input, classes, layers: layers_now, loss }) {
                Ok(network) => return Self::new(network, rows, seed),
                Err(crate::NetworkError::Misfit { index, .. }) => layers.remove(index - 1),
                Err(other) => panic!("{other}"),
            };
        }
    }
}

/// Any network, kinks included.
pub(crate) fn any_case() -> impl Strategy<Value = Case> {
    any::<u64>().prop_map(|seed| Case::random(Seed(seed), false))
}

/// Networks with second derivatives.
pub(crate) fn smooth_case() -> impl Strategy<Value = Case> {
    any::<u64>().prop_map(|seed| Case::random(Seed(seed), true))
}

/// A direction of length one.
pub(crate) fn direction(dim: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let raw: Vec<f64> = (0..dim).map(|_| corefed_core::normal(rng)).collect();
    let norm = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
    raw.into_iter().map(|x| x / norm).collect()
}
