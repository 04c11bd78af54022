//! What is done to every number alone.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};
use std::fmt;

/// A function of one number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activation {
    /// `max(x, 0)`; has a kink, so nothing smooth can be said of its network.
    Relu,
    /// `x Phi(x)` with the normal distribution function, not its tanh approximation.
    Gelu,
    /// `log(1 + e^x)`.
    Softplus,
    /// Hyperbolic tangent.
    Tanh,
}

impl Activation {
    /// Whether it has a continuous second derivative.
    #[must_use]
    pub fn is_smooth(self) -> bool {
        self != Self::Relu
    }

    /// Its value, slope and curvature at a point. The slope of ReLU at its kink is zero.
    pub(crate) fn jet(self, x: f64) -> [f64; 3] {
        match self {
            Self::Relu if x > 0.0 => [x, 1.0, 0.0],
            // Not `max`, which would hide what is not a number.
            Self::Relu => [0.0 * x, 0.0, 0.0],
            Self::Gelu => {
                let below = 0.5 * libm::erfc(-x * FRAC_1_SQRT_2);
                let density = (-0.5 * x * x).exp() * FRAC_1_SQRT_2 * FRAC_2_SQRT_PI / 2.0;
                [x * below, below + x * density, density * (2.0 - x * x)]
            }
            Self::Softplus => {
                // `1 - e^-softplus` would lose the slope of very negative numbers.
                let small = (-x.abs()).exp();
                let slope = if x < 0.0 { small / (1.0 + small) } else { 1.0 / (1.0 + small) };
                [x.max(0.0) + small.ln_1p(), slope, small / ((1.0 + small) * (1.0 + small))]
            }
            Self::Tanh => {
                let value = x.tanh();
                let slope = 1.0 - value * value;
                [value, slope, -2.0 * value * slope]
            }
        }
    }

    /// The largest absolute slope and curvature anywhere, rounded up (ledger E37).
    pub(crate) fn largest_derivatives(self) -> (f64, f64) {
        match self {
            // A kink has no curvature.
            Self::Relu => (1.0, f64::INFINITY),
            // Phi(sqrt 2) + sqrt 2 phi(sqrt 2), where the curvature changes sign; 2 phi(0) = sqrt(2/pi).
            Self::Gelu => (1.128_904_2, 0.797_884_7),
            Self::Softplus => (1.0, 0.25),
            // 2 t (1 - t^2) is largest at t = 1/sqrt 3: 4/(3 sqrt 3).
            Self::Tanh => (1.0, 0.769_800_4),
        }
    }

    pub(crate) const ALL: [Self; 4] = [Self::Relu, Self::Gelu, Self::Softplus, Self::Tanh];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::Gelu => "gelu",
            Self::Softplus => "softplus",
            Self::Tanh => "tanh",
        }
    }
}

impl fmt::Display for Activation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_curvatures_are_derivatives() {
        for activation in Activation::ALL {
            for k in -400..400 {
                let (x, h) = (0.0201 * f64::from(k) + 1e-3, 1e-5);
                let [_, slope, curvature] = activation.jet(x);
                let (left, right) = (activation.jet(x - h), activation.jet(x + h));
                let differences = [0, 1].map(|order| (right[order] - left[order]) / (2.0 * h));
                for (found, expected) in [slope, curvature].into_iter().zip(differences) {
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{activation} at {x}: {found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn largest_derivatives_are_reached_and_not_passed() {
        for activation in [Activation::Gelu, Activation::Softplus, Activation::Tanh] {
            let (slope, curvature) = activation.largest_derivatives();
            let mut found = (0.0_f64, 0.0_f64);
            for k in -1_000_000..=1_000_000 {
                let [_, first, second] = activation.jet(f64::from(k) * 2e-5);
                found = (found.0.max(first.abs()), found.1.max(second.abs()));
            }
            assert!(found.0 <= slope && found.1 <= curvature, "{activation}: {found:?}");
            assert!(
                found.0 > slope - 1e-6 && found.1 > curvature - 1e-6,
                "{activation}: {found:?}"
            );
        }
    }

    #[test]
    fn extreme_arguments_have_limits() {
        for activation in Activation::ALL {
            for x in [-1e30, 1e30] {
                assert!(activation.jet(x).iter().all(|number| number.is_finite()), "{activation}");
            }
            assert!(activation.jet(f64::NAN)[0].is_nan(), "{activation}");
        }
    }
}
