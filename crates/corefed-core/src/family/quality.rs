//! By what people measure how good a predictor is.

/// A number that is one for the best predictor, and that does not depend on units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quality {
    /// The share of rows whose class is right.
    Accuracy,
    /// One minus squared error over variance: below zero, the mean would be better.
    R2,
    /// One minus deviance over that of the best constant.
    ExplainedDeviance,
}

impl Quality {
    /// As documents call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::R2 => "r2",
            Self::ExplainedDeviance => "explained deviance",
        }
    }
}
