//! Losses of a batch of logits, in double precision.

use crate::Loss;

/// The loss of one image. `powers` is scratch and holds the softmax times its sum afterwards.
pub(crate) fn value(loss: Loss, logits: &[f32], label: usize, powers: &mut [f64]) -> f64 {
    softmax(loss, logits, label, powers).0
}

/// The loss of one image, and its gradient in the logits times a factor (ledger E36).
#[expect(clippy::cast_possible_truncation, reason = "errors go back in `f32`")]
pub(crate) fn with_error(
    loss: Loss,
    logits: &[f32],
    label: usize,
    factor: f64,
    powers: &mut [f64],
    error: &mut [f32],
) -> f64 {
    let (value, total, kept) = softmax(loss, logits, label, powers);
    for (class, (error, power)) in error.iter_mut().zip(powers).enumerate() {
        let hit = f64::from(u8::from(class == label));
        *error = (factor * kept * (*power / total - hit)) as f32;
    }
    value
}

/// The loss, the sum of powers, and the factor of the gradient.
fn softmax(loss: Loss, logits: &[f32], label: usize, powers: &mut [f64]) -> (f64, f64, f64) {
    let largest = f64::from(logits.iter().copied().fold(f32::NEG_INFINITY, f32::max));
    let mut total = 0.0;
    for (power, &z) in powers.iter_mut().zip(logits) {
        *power = (f64::from(z) - largest).exp();
        total += *power;
    }
    match loss {
        Loss::CrossEntropy => (total.ln() - (f64::from(logits[label]) - largest), total, 1.0),
        Loss::Bounded { smoothing } => {
            let kept = (1.0 - smoothing) * (powers[label] / total);
            let mixed = kept + smoothing / logits.len() as f64;
            (-mixed.ln(), total, kept / mixed)
        }
    }
}
