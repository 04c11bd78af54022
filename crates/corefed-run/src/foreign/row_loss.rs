//! Losses of single rows from predictions, for models of any kind (ledger E75).

use std::fmt;
use std::str::FromStr;

use corefed_spec::Ceiling;
use thiserror::Error;

/// What a prediction costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowLoss {
    /// `(y - p)^2`.
    Squared,
    /// `|y - p|`.
    Absolute,
    /// `-log` of the probability that the true class was given.
    Log,
    /// One for a wrong class, zero for the right one.
    ZeroOne,
    /// Half the Poisson deviance, `p - y + y log(y / p)`, where `p` is a mean count.
    Poisson,
    /// Rows come with their losses.
    Given,
}

impl RowLoss {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Squared, Self::Absolute, Self::Log, Self::ZeroOne, Self::Poisson, Self::Given];

    /// What a user calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Squared => "squared",
            Self::Absolute => "absolute",
            Self::Log => "log",
            Self::ZeroOne => "zero-one",
            Self::Poisson => "poisson",
            Self::Given => "given",
        }
    }

    /// In words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Squared => "the squared error",
            Self::Absolute => "the absolute error",
            Self::Log => "the negative log of the probability of the true class",
            Self::ZeroOne => "one for a wrong class, zero for the right one",
            Self::Poisson => "half the Poisson deviance of a mean count",
            Self::Given => "the losses that rows come with",
        }
    }

    /// Whether targets are classes; `None` where they do not matter.
    #[must_use]
    pub fn of_classes(self) -> Option<bool> {
        match self {
            Self::Squared | Self::Absolute | Self::Poisson => Some(false),
            Self::Log | Self::ZeroOne => Some(true),
            Self::Given => None,
        }
    }

    /// The ceiling unless told: half as much again as the best common constant costs. `None` where losses
    /// alone do not say what they could be.
    #[must_use]
    pub fn usual_ceiling(self) -> Option<Ceiling> {
        (self != Self::Given).then_some(Ceiling::PooledConstant(1.5))
    }

    /// What it takes for a prediction, in words.
    #[must_use]
    pub fn wanted(self) -> &'static str {
        match self {
            Self::Squared | Self::Absolute => "a finite number",
            Self::Log => "a probability in [0, 1], above zero for the true class",
            Self::ZeroOne => "a class",
            Self::Poisson => "a mean count above zero",
            Self::Given => "a finite loss, zero or more",
        }
    }
}

/// A name that no loss of a row has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no loss `{name}`; the losses are {}", RowLoss::ALL.map(|loss| format!("`{loss}`")).join(", "))]
pub struct UnknownLoss {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for RowLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RowLoss {
    type Err = UnknownLoss;

    fn from_str(text: &str) -> Result<Self, UnknownLoss> {
        let found = Self::ALL.into_iter().find(|loss| loss.name() == text);
        found.ok_or_else(|| UnknownLoss { name: text.to_owned() })
    }
}

/// What was to be predicted.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Quantities or counts.
    Numbers(Vec<f64>),
    /// Classes by their place among `names`.
    Classes {
        /// One per row.
        labels: Vec<usize>,
        /// What classes are called.
        names: Vec<String>,
    },
    /// Nothing that matters, because rows come with their losses.
    Unused,
}

/// What one row is told by a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Predicted<'a> {
    /// A number: a prediction, a mean, or the loss itself.
    Number(f64),
    /// A class by its place.
    Class(usize),
    /// The probability of every class.
    Shares(&'a [f64]),
}

impl Targets {
    /// The loss of one row; not finite where the prediction makes no sense for the loss.
    #[must_use]
    pub fn loss(&self, row: usize, loss: RowLoss, predicted: Predicted<'_>) -> f64 {
        match (loss, self, predicted) {
            (RowLoss::Given, _, Predicted::Number(loss)) if loss >= 0.0 => loss,
            (RowLoss::Squared, Self::Numbers(y), Predicted::Number(p)) => (y[row] - p).powi(2),
            (RowLoss::Absolute, Self::Numbers(y), Predicted::Number(p)) => (y[row] - p).abs(),
            (RowLoss::Poisson, Self::Numbers(y), Predicted::Number(p)) if p > 0.0 => {
                // The limit of y log y at zero is zero; rounding may leave less than nothing.
                let log = if y[row] > 0.0 { y[row] * (y[row] / p).ln() } else { 0.0 };
                (p - y[row] + log).max(0.0)
            }
            (RowLoss::ZeroOne, Self::Classes { labels, .. }, Predicted::Class(class)) => {
                f64::from(u8::from(labels[row] != class))
            }
            (RowLoss::Log, Self::Classes { labels, .. }, Predicted::Shares(shares)) => {
                -shares[labels[row]].ln()
            }
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_worked_by_hand() {
        let numbers = Targets::Numbers(vec![3.0, 0.0]);
        let loss = |loss, row, p| numbers.loss(row, loss, Predicted::Number(p));
        assert_eq!(loss(RowLoss::Squared, 0, 1.0), 4.0);
        assert_eq!(loss(RowLoss::Absolute, 0, 5.0), 2.0);
        // 2 - 3 + 3 ln(3/2), and the mean itself where nobody came.
        assert!((loss(RowLoss::Poisson, 0, 2.0) - (3.0 * 1.5_f64.ln() - 1.0)).abs() < 1e-15);
        assert_eq!(loss(RowLoss::Poisson, 1, 2.0), 2.0);
        assert_eq!(loss(RowLoss::Poisson, 0, 3.0), 0.0);
        assert!(loss(RowLoss::Poisson, 0, 0.0).is_nan());
        assert_eq!(loss(RowLoss::Given, 0, 0.7), 0.7);
        assert!(loss(RowLoss::Given, 0, -0.7).is_nan());

        let names = ["a", "b", "c"].map(str::to_owned).to_vec();
        let classes = Targets::Classes { labels: vec![2, 0], names };
        let shares = Predicted::Shares(&[0.5, 0.25, 0.25]);
        assert!((classes.loss(0, RowLoss::Log, shares) - 4_f64.ln()).abs() < 1e-15);
        assert!((classes.loss(1, RowLoss::Log, shares) - 2_f64.ln()).abs() < 1e-15);
        assert_eq!(classes.loss(0, RowLoss::ZeroOne, Predicted::Class(2)), 0.0);
        assert_eq!(classes.loss(1, RowLoss::ZeroOne, Predicted::Class(2)), 1.0);
    }
}
