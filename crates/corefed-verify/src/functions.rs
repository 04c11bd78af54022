//! Exponentials and logarithms with a stated error.
//!
//! `libm` is a port of FreeBSD's library, whose authors prove errors below one unit in the last place
//! for `exp` and `log1p` and `log`. Twice that is counted. It is ordinary code on doubles, the same on every
//! platform.

use crate::eft::{UNIT, add_up, mul_up};
use crate::enclosed::Enclosed;

/// Relative error counted for `exp`, `log1p` and `log`: two units in the last place.
const STATED: f64 = 4.0 * UNIT;
/// For results that may underflow.
const TINY: f64 = 1e-300;

/// `exp(t)` of a double.
fn exp(t: f64) -> Enclosed {
    if t == 0.0 {
        return Enclosed::exact(1.0);
    }
    let value = libm::exp(t);
    Enclosed::new(value, add_up(mul_up(value, STATED), TINY))
}

/// `log(1 + s)` of an enclosed number that is not negative.
fn log_one_plus(s: Enclosed) -> Enclosed {
    let value = libm::log1p(s.value());
    // The slope of log(1 + s) is at most one.
    Enclosed::new(value, add_up(add_up(mul_up(value, STATED), TINY), s.error()))
}

/// `log(1 + exp(t))` and its derivative `1/(1 + exp(-t))`.
///
/// Both are computed at the middle of `t`; the first moves no faster than `t`, the second at most a
/// quarter as fast.
pub(crate) fn log_one_plus_exp(t: Enclosed) -> (Enclosed, Enclosed) {
    let middle = t.value();
    let power = exp(-middle.abs());
    let value = Enclosed::exact(middle.max(0.0)) + log_one_plus(power);
    let below = power.over(Enclosed::exact(1.0) + power);
    let slope = if middle > 0.0 { Enclosed::exact(1.0) - below } else { below };
    (value.widened(t.error()), slope.widened(t.error()))
}

/// `mu - y + y log(y / mu)` for `mu = e exp(score)` with an exposure `e`, and its derivative `mu - y` in the
/// score; for no count, `y = 0`, both are `mu`.
pub(crate) fn deviance(score: Enclosed, count: f64, exposure: f64) -> (Enclosed, Enclosed) {
    // The exponential moves at most twice as fast as itself over an error below one; beyond, nothing is known.
    let power = exp(score.value());
    let moved = mul_up(mul_up(2.0, power.magnitude()), score.error());
    let power = if score.error() < 1.0 { power.widened(moved) } else { Enclosed::UNKNOWN };
    let excess = Enclosed::exact(exposure) * power - Enclosed::exact(count);
    if count == 0.0 {
        return (excess, excess);
    }
    let log_ratio = log(count) - log(exposure) - score;
    (excess + Enclosed::exact(count) * log_ratio, excess)
}

/// `log(number)` of a double that is positive.
pub(crate) fn log(number: f64) -> Enclosed {
    if number == 1.0 {
        return Enclosed::ZERO;
    }
    let value = libm::log(number);
    Enclosed::new(value, add_up(mul_up(value.abs(), STATED), TINY))
}

/// Softmax cross-entropy of some scores, and its derivative in each.
pub(crate) fn cross_entropy(scores: &[Enclosed], label: usize) -> (Enclosed, Vec<Enclosed>) {
    // Shifted by the largest middle nothing overflows, and the loss does not change.
    let top = (0..scores.len())
        .fold(0, |top, k| if scores[k].value() > scores[top].value() { k } else { top });
    let largest = scores[top].value();
    let off = scores.iter().map(|z| z.error()).fold(0.0, f64::max);
    let power = |z: &Enclosed| {
        let shifted = Enclosed::exact(z.value()) - Enclosed::exact(largest);
        let power = exp(shifted.value());
        // What the difference rounds away is below one unless the power is nothing, and there the
        // exponential moves at most twice as fast as itself.
        power.widened(mul_up(mul_up(2.0, power.magnitude()), shifted.error()))
    };
    let powers: Vec<Enclosed> = scores.iter().map(power).collect();
    // The largest score contributes one; log(1 + the rest) keeps the digits of a small loss.
    let others = powers.iter().enumerate().filter(|(k, _)| *k != top);
    let rest = others.fold(Enclosed::ZERO, |sum, (_, power)| sum + *power);
    let total = rest + Enclosed::exact(1.0);
    let gap = Enclosed::exact(largest) - Enclosed::exact(scores[label].value());
    // Both the log of the sum and a score move no faster than the scores do.
    let moved = mul_up(2.0, off);
    let loss = (gap + log_one_plus(rest)).widened(moved);
    let slopes = powers.iter().enumerate().map(|(k, power)| {
        let share = power.over(total).widened(moved);
        if k == label { share - Enclosed::exact(1.0) } else { share }
    });
    (loss, slopes.collect())
}
