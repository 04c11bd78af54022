//! Parameters before training.

use corefed_core::{Seed, normal, uniform};

use crate::{Network, SlotKind};

/// How the first parameters are drawn. `in` and `out` count what a number of the layer's output depends on
/// and what a number of its input reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Init {
    /// PyTorch's default: weights and biases uniform within `1/sqrt(in)`.
    Kaiming,
    /// Normal weights of variance `2/in`, biases zero (He et al. 2015).
    He,
    /// Weights uniform within `sqrt(6/(in + out))`, biases zero (Glorot and Bengio 2010).
    Glorot,
}

impl Network {
    /// Parameters drawn from a seed. Every tensor has a stream of its own.
    #[must_use]
    pub fn initial(&self, seed: Seed, init: Init) -> Vec<f32> {
        let mut params = Vec::with_capacity(self.dim());
        let mut fans = (1.0, 1.0);
        for slot in self.slots() {
            let is_bias = match slot.kind {
                SlotKind::Conv { size, input, output } => {
                    let area = (size * size) as f64;
                    fans = (area * input as f64, area * output as f64);
                    false
                }
                SlotKind::Linear { input, output } => {
                    fans = (input.len() as f64, output as f64);
                    false
                }
                SlotKind::Bias(_) => true,
            };
            let mut rng = seed.derive(&slot.name).rng();
            let within = |bound: f64, rng: &mut _| bound * (2.0 * uniform(rng) - 1.0);
            let (fan_in, fan_out) = fans;
            for _ in slot.range.clone() {
                let value = match init {
                    Init::Kaiming => within(1.0 / fan_in.sqrt(), &mut rng),
                    _ if is_bias => 0.0,
                    Init::Glorot => within((6.0 / (fan_in + fan_out)).sqrt(), &mut rng),
                    Init::He => (2.0 / fan_in).sqrt() * normal(&mut rng),
                };
                #[expect(clippy::cast_possible_truncation, reason = "parameters are `f32`")]
                params.push(value as f32);
            }
        }
        params
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Shape, preset};

    /// Largest size and variance of the numbers of a tensor.
    fn spread(numbers: &[f32]) -> (f64, f64) {
        let squares: f64 = numbers.iter().map(|x| f64::from(*x).powi(2)).sum();
        let largest = numbers.iter().map(|x| f64::from(x.abs())).fold(0.0, f64::max);
        (largest, squares / numbers.len() as f64)
    }

    #[test]
    fn draws_have_the_bounds_and_variances_that_are_known() {
        let input = Shape { height: 32, width: 32, channels: 3 };
        let network = Network::new(preset("cnn-wide", input, 10).expect("a preset")).unwrap();
        // The second convolution sees 25 * 32 numbers, and each reaches 25 * 64.
        let (weights, biases) =
            (network.slots()[2].range.clone(), network.slots()[3].range.clone());
        let draw = |init| network.initial(Seed(5), init);
        let params = draw(Init::Kaiming);
        let (largest, variance) = spread(&params[weights.clone()]);
        let bound = 1.0 / 800_f64.sqrt();
        assert!(largest <= bound * 1.000_001 && largest > 0.999 * bound);
        assert!((variance / (bound * bound / 3.0) - 1.0).abs() < 0.02);
        let (largest, _) = spread(&params[biases.clone()]);
        assert!(largest <= bound * 1.000_001 && largest > 0.5 * bound);
        let params = draw(Init::He);
        let (_, variance) = spread(&params[weights.clone()]);
        assert!((variance / (2.0 / 800.0) - 1.0).abs() < 0.03);
        assert_eq!(spread(&params[biases]).0, 0.0);
        let (largest, variance) = spread(&draw(Init::Glorot)[weights]);
        let bound = (6.0 / 2400_f64).sqrt();
        assert!(largest <= bound * 1.000_001 && largest > 0.999 * bound);
        assert!((variance / (bound * bound / 3.0) - 1.0).abs() < 0.02);
        assert_eq!(draw(Init::He), draw(Init::He));
        assert_ne!(draw(Init::He), network.initial(Seed(6), Init::He));
    }
}
