//! What is done to every number alone.

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
