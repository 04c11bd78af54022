//! Random numbers of every distribution that is needed here.
//!
//! Logarithms come from `libm`, whose results do not depend on the machine, so a split drawn
//! on one can be drawn again on another.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// A multiple of 2^-53 in 0..1.
pub fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
}

/// An integer in `0..bound`, each equally likely (Lemire, arXiv 1805.10941).
pub fn below(rng: &mut ChaCha8Rng, bound: u32) -> u32 {
    if bound < 2 {
        return 0;
    }
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(bound);
        let (high, low) = (product >> 32, product & u64::from(u32::MAX));
        // Of the 2^32 values of `low`, the first `2^32 mod bound` would favour some results.
        if low >= u64::from(bound) || low >= u64::from(bound.wrapping_neg() % bound) {
            return u32::try_from(high).unwrap_or(u32::MAX);
        }
    }
}

/// Puts rows in random order (Fisher and Yates).
pub fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    let len = items.len();
    choose(items, len, rng);
}

/// Moves a random choice of `count` items, in random order, to the front.
pub fn choose<T>(items: &mut [T], count: usize, rng: &mut ChaCha8Rng) {
    for i in 0..count.min(items.len()) {
        // Rows are numbered by `u32`, so there are never more of them.
        let rest = u32::try_from(items.len() - i).unwrap_or(u32::MAX);
        items.swap(i, i + below(rng, rest) as usize);
    }
}

/// A standard normal number by Marsaglia's polar method.
pub fn normal(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * libm::log(square) / square).sqrt();
        }
    }
}

/// The logarithm of a Gamma(shape, 1) number, by Marsaglia and Tsang (ACM TOMS 26, 2000).
///
/// A shape below one is drawn one higher and multiplied by `U^(1/shape)`, which underflows for
/// small shapes. Hence the logarithm, which does not.
fn log_gamma_variate(shape: f64, rng: &mut ChaCha8Rng) -> f64 {
    if shape < 1.0 {
        // In (0, 1], so that the logarithm is finite.
        let u = 1.0 - uniform(rng);
        return log_gamma_variate(shape + 1.0, rng) + libm::log(u) / shape;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let root = 1.0 + c * x;
        if root <= 0.0 {
            continue;
        }
        let v = root * root * root;
        let log_v = 3.0 * libm::log(root);
        let u = 1.0 - uniform(rng);
        // The first test accepts nearly always and needs no logarithm of `u`.
        if u < 1.0 - 0.0331 * (x * x) * (x * x)
            || libm::log(u) < 0.5 * x * x + d * (1.0 - v + log_v)
        {
            return libm::log(d) + log_v;
        }
    }
}

/// A point of the simplex from the symmetric Dirichlet distribution.
///
/// Shares are normalised by the largest before they are summed, so a tiny `alpha` gives
/// all to one agent where a quotient of underflowed numbers would give nothing to any.
pub fn dirichlet(alpha: f64, shares: &mut [f64], rng: &mut ChaCha8Rng) {
    let mut largest = f64::NEG_INFINITY;
    for share in &mut *shares {
        *share = log_gamma_variate(alpha, rng);
        largest = largest.max(*share);
    }
    let mut total = 0.0;
    for share in &mut *shares {
        *share = libm::exp(*share - largest);
        total += *share;
    }
    for share in shares {
        *share /= total;
    }
}

#[cfg(test)]
mod tests;
