//! Control variates: what keeps agents that take many steps from drifting to optima of their own.
//!
//! Agent `s` remembers `c_s`, an estimate of its own gradient. The server mixes `c = sum_j p_j c_j` with the
//! weights `p` of this very round, so that `grad L_s - c_s + c` estimates the gradient of what the rule
//! minimises, regardless of who takes the step (ledger E48).

use corefed_rules::{Plan, Scalar, fold};
use rayon::prelude::*;

/// Numbers that one thread takes at a time.
const BLOCK: usize = 1 << 14;

/// The steps that an agent took in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// How many.
    pub steps: usize,
    /// Their size, > 0.
    pub learning_rate: f64,
    /// Their heavy-ball momentum, in [0, 1).
    pub momentum: f64,
}

/// Adds `sum_j p_j c_j` over those whose reports count, `p` their pulls over the sum of pulls; nothing
/// where nobody pulls (ledger E48). `control` gives an agent's `c_j`.
pub fn mix_controls<'a, T: Scalar>(
    plan: &Plan,
    control: impl Fn(usize) -> &'a [T],
    common: &mut [T],
) {
    let total: f64 = plan.pulls().map(|pull| pull.value).sum();
    if total > 0.0 {
        for pull in plan.pulls() {
            fold(common, pull.value / total, control(pull.agent));
        }
    }
}

/// `c_s <- c_s - c - D_s/(eta S)`: the mean of the gradients that the agent met, each by how much it
/// moved the agent (ledger E48). Without any step nothing is learnt.
pub fn learn_control<T: Scalar>(walk: Walk, update: &[T], common: &[T], own: &mut [T]) {
    if walk.steps == 0 {
        return;
    }
    let per_gradient = 1.0 / (walk.learning_rate * travel(walk));
    let blocks = own.par_chunks_mut(BLOCK).zip(common.par_chunks(BLOCK));
    blocks.zip(update.par_chunks(BLOCK)).for_each(|((own, common), update)| {
        for ((own, common), update) in own.iter_mut().zip(common).zip(update) {
            let drifted = own.to_f64() - common.to_f64();
            *own = T::from_f64(drifted - per_gradient * update.to_f64());
        }
    });
}

/// How far, in learning rates, this many steps along a gradient of one go: the sum of `(1 - m^j)/(1 - m)`
/// over the steps. It is the number of steps without momentum, and tends to `K/(1 - m)` for many.
fn travel(Walk { steps, momentum, .. }: Walk) -> f64 {
    let (steps, rest) = (steps as f64, 1.0 - momentum);
    let missing = momentum * (1.0 - libm::pow(momentum, steps)) / rest;
    (steps - missing) / rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_along_one_gradient_travel_as_far_as_they_say() {
        for (steps, momentum) in [(1, 0.0), (7, 0.0), (1, 0.9), (2, 0.5), (40, 0.9)] {
            let (mut velocity, mut way) = (0.0, 0.0);
            for _ in 0..steps {
                velocity = momentum * velocity + 1.0;
                way += velocity;
            }
            let found = travel(Walk { steps, learning_rate: 1.0, momentum });
            assert!((found - way).abs() < 1e-12 * way, "{steps} of {momentum}: {found}, {way}");
        }
    }

    #[test]
    fn a_constant_gradient_is_learnt_exactly_whatever_was_known_before() {
        for (steps, momentum) in [(1, 0.0), (5, 0.0), (3, 0.5)] {
            let walk = Walk { steps, learning_rate: 0.25, momentum };
            let (gradient, common, mut own) = (3.0, [0.5], [-2.0]);
            let corrected = gradient + (common[0] - own[0]);
            let update = [-walk.learning_rate * travel(walk) * corrected];
            learn_control(walk, &update, &common, &mut own);
            assert!((own[0] - gradient).abs() < 1e-14, "{own:?}");
        }
    }
}
