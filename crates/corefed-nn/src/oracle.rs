//! Networks by their definitions, in double precision, for programs that check other engines (feature `oracle`).
//!
//! A gradient jumps where a ReLU is zero or a maximum has two equals. Engines that round differently may stand on either
//! side of such a kink, and both are right: anybody who compares them has to know which images are near one.

use crate::plain;
use crate::{Activation, Layer, Network, Samples};

/// The mean loss of some images, and its gradient.
///
/// # Panics
/// If lengths do not fit, or a label is not a class.
#[must_use]
pub fn gradient(network: &Network, params: &[f32], samples: Samples<'_>) -> (f64, Vec<f64>) {
    samples.check(network.input().len(), network.classes());
    let mut sums = vec![0.0; network.dim()];
    let loss = plain::gradient(network, &wide(params), samples, None, &mut sums);
    let count = samples.labels.len().max(1) as f64;
    for slope in &mut sums {
        *slope /= count;
    }
    (loss / count, sums)
}

/// How many kinks are near, by image: those of `relu` whose input is nearer to zero than `reach` times the root mean square of the
/// layer's inputs, and maxima whose runner-up is as near to the winner.
///
/// `dropout` is the seed of the step's masks, as in [`Network::gradient`].
///
/// # Panics
/// If lengths do not fit, or a label is not a class.
#[must_use]
pub fn kinks_within(
    network: &Network,
    params: &[f32],
    samples: Samples<'_>,
    dropout: Option<u64>,
    reach: f64,
) -> Vec<usize> {
    samples.check(network.input().len(), network.classes());
    let params = wide(params);
    let near = |(row, (image, _)): (usize, (&[f32], usize))| {
        let values =
            plain::forward(network, &params, image, |layer| plain::mask(dropout, layer, row));
        let layers = network.stages().iter().zip(&values);
        layers.map(|(stage, input)| near_in_layer(stage, input, reach)).sum()
    };
    samples.rows(network.input().len()).enumerate().map(near).collect()
}

fn near_in_layer(stage: &crate::Stage, input: &[f64], reach: f64) -> usize {
    let square: f64 = input.iter().map(|x| x * x).sum();
    let reach = reach * (square / input.len() as f64).sqrt();
    match stage.layer {
        Layer::Activation(Activation::Relu) => input.iter().filter(|x| x.abs() < reach).count(),
        Layer::MaxPool(window) => {
            let near = |places: &Vec<usize>| {
                let mut seen: Vec<f64> = places.iter().map(|&at| input[at]).collect();
                seen.sort_by(|a, b| b.total_cmp(a));
                // Equal zeros come from a ReLU, which passes nothing back for any of them.
                seen.len() > 1 && seen[0] != 0.0 && seen[0] - seen[1] < reach
            };
            plain::windows(stage, window).iter().filter(|places| near(places)).count()
        }
        _ => 0,
    }
}

fn wide(params: &[f32]) -> Vec<f64> {
    params.iter().map(|x| f64::from(*x)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, Loss, Shape};

    /// Two pixels, weights 1 and biases 0: what a layer takes is the image itself.
    fn count(layers: &[&str], image: [f32; 2], reach: f64) -> usize {
        let input = Shape { height: 1, width: 2, channels: 1 };
        let layers = layers.iter().map(|layer| layer.parse().unwrap()).collect();
        let loss = Loss::CrossEntropy;
        let network = Network::new(Architecture { input, classes: 2, layers, loss }).unwrap();
        let samples = Samples { pixels: &image, labels: &[0] };
        let params = vec![1.0; network.dim()];
        kinks_within(&network, &params, samples, None, reach)[0]
    }

    #[test]
    fn a_relu_is_near_its_kink_by_the_root_mean_square_of_its_layer() {
        let layers = ["relu", "flatten", "linear 2"];
        // The root mean square of 0.005 and 1 is 0.707.
        assert_eq!(count(&layers, [0.005, 1.0], 1e-2), 1);
        assert_eq!(count(&layers, [0.005, 1.0], 1e-3), 0);
        assert_eq!(count(&layers, [-0.005, 1.0], 1e-2), 1);
        assert_eq!(count(&layers, [0.005, 0.005], 1e-2), 0, "all of a size");
    }

    #[test]
    fn a_smooth_layer_has_no_kinks() {
        assert_eq!(count(&["tanh", "flatten", "linear 2"], [0.0, 1.0], 1.0), 0);
    }
}
