//! Networks by their definitions, in double precision: what everything faster is compared with. With numbers that carry a
//! derivative, a gradient carries the exact product of a Hessian and a direction.

#[cfg(any(test, feature = "oracle"))]
mod layers;
mod number;

#[cfg(any(test, feature = "oracle"))]
pub(crate) use layers::windows;
pub(crate) use number::{Dual, Number};

use crate::Loss;
#[cfg(any(test, feature = "oracle"))]
use crate::{Network, Samples, dropout::Mask};

/// The logits of one image.
#[cfg(test)]
pub(crate) fn logits<T: Number>(network: &Network, params: &[T], image: &[f32]) -> Vec<T> {
    forward(network, params, image, |_| None).pop().unwrap_or_default()
}

/// The sum of losses; adds the sum of gradients to `gradient`.
#[cfg(any(test, feature = "oracle"))]
pub(crate) fn gradient<T: Number>(
    network: &Network,
    params: &[T],
    samples: Samples<'_>,
    dropout: Option<u64>,
    gradient: &mut [T],
) -> T {
    let mut total = T::of(0.0);
    for (row, (image, label)) in samples.rows(network.input().len()).enumerate() {
        let mask = |layer: usize| mask(dropout, layer, row);
        let values = forward(network, params, image, mask);
        let (loss, mut error) = loss(network.loss(), &values[values.len() - 1], label);
        total += loss;
        for (index, stage) in network.stages().iter().enumerate().rev() {
            error = layers::backward(stage, params, &values[index], mask(index), &error, gradient);
        }
    }
    total
}

/// What a step drops of an image in a layer.
#[cfg(any(test, feature = "oracle"))]
pub(crate) fn mask(dropout: Option<u64>, layer: usize, row: usize) -> Option<Mask> {
    dropout.map(|seed| Mask::new(seed, layer, row))
}

/// The image, then what every layer makes of it.
#[cfg(any(test, feature = "oracle"))]
pub(crate) fn forward<T: Number>(
    network: &Network,
    params: &[T],
    image: &[f32],
    mask: impl Fn(usize) -> Option<Mask>,
) -> Vec<Vec<T>> {
    let mut values: Vec<Vec<T>> = vec![image.iter().map(|x| T::of(f64::from(*x))).collect()];
    for (index, stage) in network.stages().iter().enumerate() {
        values.push(layers::forward(stage, params, &values[index], mask(index)));
    }
    values
}

/// The loss of one image and its gradient in the logits (ledger E36).
pub(crate) fn loss<T: Number>(loss: Loss, logits: &[T], label: usize) -> (T, Vec<T>) {
    let largest = logits.iter().map(|z| z.value()).fold(f64::NEG_INFINITY, f64::max);
    let shifted: Vec<T> = logits.iter().map(|&z| z - T::of(largest)).collect();
    let powers: Vec<T> = shifted.iter().map(|z| z.exp()).collect();
    let total = powers.iter().fold(T::of(0.0), |sum, &power| sum + power);
    let shares: Vec<T> = powers.iter().map(|&power| power / total).collect();
    let (loss, factor) = match loss {
        Loss::CrossEntropy => (total.ln() - shifted[label], T::of(1.0)),
        Loss::Bounded { smoothing } => {
            let kept = T::of(1.0 - smoothing) * shares[label];
            let mixed = kept + T::of(smoothing / logits.len() as f64);
            (-mixed.ln(), kept / mixed)
        }
    };
    let error = shares.iter().enumerate().map(|(class, &share)| {
        let hit = T::of(f64::from(u8::from(class == label)));
        factor * (share - hit)
    });
    (loss, error.collect())
}

#[cfg(test)]
mod tests;
