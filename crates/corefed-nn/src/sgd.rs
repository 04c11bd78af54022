//! The step of stochastic gradient descent.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

use pulp::Arch;

use crate::fast::{Loops, Run};

/// Descends by `lr` in one pass: `v = momentum v + gradient + decay p`, `p -= lr v`, as PyTorch does.
/// Without momentum nothing is remembered and `velocity` may be empty.
///
/// # Panics
/// If lengths do not fit.
pub fn sgd_step(
    params: &mut [f32],
    velocity: &mut [f32],
    gradient: &[f32],
    lr: f32,
    momentum: f32,
    weight_decay: f32,
) {
    assert_eq!(params.len(), gradient.len(), "a gradient of all parameters");
    if momentum == 0.0 {
        Arch::new().dispatch(Run(Plain { params, gradient, lr, weight_decay }));
        return;
    }
    assert_eq!(params.len(), velocity.len(), "a velocity of all parameters");
    Arch::new().dispatch(Run(HeavyBall { params, velocity, gradient, lr, momentum, weight_decay }));
}

struct Plain<'a> {
    params: &'a mut [f32],
    gradient: &'a [f32],
    lr: f32,
    weight_decay: f32,
}

impl Loops for Plain<'_> {
    #[inline(always)]
    fn run(self) {
        for (p, &g) in self.params.iter_mut().zip(self.gradient) {
            *p -= self.lr * (g + self.weight_decay * *p);
        }
    }
}

struct HeavyBall<'a> {
    params: &'a mut [f32],
    velocity: &'a mut [f32],
    gradient: &'a [f32],
    lr: f32,
    momentum: f32,
    weight_decay: f32,
}

impl Loops for HeavyBall<'_> {
    #[inline(always)]
    fn run(self) {
        let rows = self.params.iter_mut().zip(self.velocity).zip(self.gradient);
        for ((p, v), &g) in rows {
            *v = self.momentum * *v + (g + self.weight_decay * *p);
            *p -= self.lr * *v;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_steps_by_hand() {
        // v = 1 + 0.5 * 2 = 2, p = 2 - 0.1 * 2 = 1.8; then v = 0.9 * 2 + 3 + 0.5 * 1.8 = 5.7, p = 1.8 - 0.57.
        let (mut params, mut velocity) = ([2.0], [0.0]);
        sgd_step(&mut params, &mut velocity, &[1.0], 0.1, 0.9, 0.5);
        assert!((params[0] - 1.8).abs() < 1e-6 && (velocity[0] - 2.0).abs() < 1e-6);
        sgd_step(&mut params, &mut velocity, &[3.0], 0.1, 0.9, 0.5);
        assert!((params[0] - 1.23).abs() < 1e-6 && (velocity[0] - 5.7).abs() < 1e-6);
        // Without momentum nothing is remembered.
        let mut params = [2.0];
        sgd_step(&mut params, &mut [], &[1.0], 0.1, 0.0, 0.5);
        assert!((params[0] - 1.8).abs() < 1e-6);
    }
}
