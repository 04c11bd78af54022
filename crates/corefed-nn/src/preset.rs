//! Networks that people compare with.

use crate::{Activation, Architecture, Layer, Loss, Shape, Window};

/// Names that [`preset`] knows; each also with `-smooth` at the end.
pub const PRESETS: [&str; 5] = ["cnn", "cnn-wide", "cnn-pfl", "vgg11", "mlp"];

/// A known network for images of some size; `NAME-smooth` is its twin without kinks.
#[must_use]
pub fn preset(name: &str, input: Shape, classes: usize) -> Option<Architecture> {
    if let Some(name) = name.strip_suffix("-smooth") {
        return preset(name, input, classes).map(Architecture::smooth_twin);
    }
    let mut layers = Vec::new();
    match name {
        // Two unpadded 5x5 convolutions of 6 and 16 channels, then 120, 84: NIID-Bench's small network.
        "cnn" => {
            for channels in [6, 16] {
                layers.extend([conv(channels, 5, 0), RELU, POOL]);
            }
            layers.push(Layer::Flatten);
            for features in [120, 84] {
                layers.extend([Layer::Linear { features }, RELU]);
            }
        }
        "cnn-wide" => {
            for channels in [32, 64] {
                layers.extend([conv(channels, 5, 2), RELU, POOL]);
            }
            layers.extend([Layer::Flatten, Layer::Linear { features: 512 }, RELU]);
        }
        // Of pfl-research's CIFAR-10 benchmark.
        "cnn-pfl" => {
            layers.extend([conv(32, 3, 0), RELU, conv(64, 3, 0), RELU, POOL]);
            layers.extend([Layer::Flatten, Layer::Linear { features: 128 }, RELU]);
        }
        // Configuration A without batch normalisation. Small images leave one pixel at the end, where the
        // classifier of the original expects 7x7.
        "vgg11" => {
            for block in [&[64][..], &[128], &[256, 256], &[512, 512], &[512, 512]] {
                for &channels in block {
                    layers.extend([conv(channels, 3, 1), RELU]);
                }
                layers.push(POOL);
            }
            layers.push(Layer::Flatten);
            for _ in 0..2 {
                layers.extend([Layer::Linear { features: 512 }, RELU]);
            }
        }
        "mlp" => {
            layers.push(Layer::Flatten);
            for _ in 0..2 {
                layers.extend([Layer::Linear { features: 200 }, RELU]);
            }
        }
        _ => return None,
    }
    layers.push(Layer::Linear { features: classes });
    Some(Architecture { input, classes, layers, loss: Loss::CrossEntropy })
}

const RELU: Layer = Layer::Activation(Activation::Relu);
const POOL: Layer = Layer::MaxPool(Window { size: 2, stride: 2, padding: 0 });

fn conv(channels: usize, size: usize, padding: usize) -> Layer {
    Layer::Conv { channels, window: Window { size, stride: 1, padding } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Network;

    const CIFAR: Shape = Shape { height: 32, width: 32, channels: 3 };

    #[test]
    fn presets_have_the_parameters_that_are_published() {
        let count = |name| Network::new(preset(name, CIFAR, 10).unwrap()).unwrap().dim();
        assert_eq!(count("cnn"), 456 + 2_416 + 48_120 + 10_164 + 850);
        assert_eq!(count("cnn-wide"), 2_432 + 51_264 + 2_097_664 + 5_130);
        assert_eq!(count("vgg11"), 9_220_480 + 2 * 262_656 + 5_130);
        assert_eq!(count("mlp"), 614_600 + 40_200 + 2_010);
        assert_eq!(count("cnn-pfl"), 896 + 18_496 + 1_605_760 + 1_290);
    }

    #[test]
    fn twins_are_smooth_and_of_the_same_size() {
        for name in PRESETS {
            let rough = Network::new(preset(name, CIFAR, 10).unwrap()).unwrap();
            let twin = preset(&format!("{name}-smooth"), CIFAR, 10).unwrap();
            let smooth = Network::new(twin).unwrap();
            assert!(smooth.is_smooth() && !rough.is_smooth());
            assert_eq!(smooth.dim(), rough.dim());
        }
        assert!(preset("resnet", CIFAR, 10).is_none());
    }
}
