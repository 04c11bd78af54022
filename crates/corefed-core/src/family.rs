//! The convex models: every fact about a family, in one table.
//!
//! All other crates ask this table. A new family is a variant of [`Family`], a line of [`Family::facts`]
//! and, unless it predicts one margin per class, a [`MarginLoss`]. The checker of certificates and the
//! campaign keep copies of their own on purpose.

mod margin_loss;
mod poisson;
mod quality;
mod targets;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use margin_loss::{LogisticLoss, MarginLoss, Observation, SquaredError, cross_entropy, label};
pub use quality::Quality;
pub use targets::Targets;

use self::poisson::{LARGEST_MARGIN, PoissonDeviance};

/// The convex models a predictor can belong to.
///
/// Each fixes the loss of one sample with features `x` and parameters `theta`:
/// squared error `(x·theta - y)^2`, logistic loss `log(1 + exp(-s x·theta))` with
/// `s = ±1`, softmax cross-entropy with one parameter block per class, or half the Poisson deviance
/// `mu - y + y log(y / mu)` with `log mu = x·theta + log exposure`. All add `(l2 / 2) |theta|^2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// Least squares.
    Linear,
    /// Binary logistic regression.
    Logistic,
    /// Softmax regression, one block of parameters per class, class-major.
    Softmax,
    /// Poisson regression of counts, with an exposure where rows have one.
    Poisson,
}

/// What is known about a family.
#[derive(Clone, Copy, Debug, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, one row of a table")]
pub struct Facts {
    /// As specs, commands and documents write it.
    pub name: &'static str,
    /// For people, as in the middle of a sentence.
    pub title: &'static str,
    /// The loss of one sample, in words.
    pub loss: &'static str,
    /// What can be predicted.
    pub targets: Targets,
    /// By what people measure how good its predictors are.
    pub quality: Quality,
    /// Whether there is one block of parameters per class rather than one in all.
    pub block_per_class: bool,
    /// Whether losses are quadratic in the parameters, so that Hessians are the same everywhere.
    pub quadratic: bool,
    /// Whether losses are at least zero: headroom (ledger E8) holds for those only.
    pub nonnegative: bool,
    /// Whether rows may have an exposure, whose log is added to their margin.
    pub takes_exposure: bool,
    /// The regression of scikit-learn whose coefficients mean this family, where its name alone says so.
    pub scikit_learn: Option<&'static str>,
    /// Losses and their derivatives are computed for margins up to this; beyond it they may overflow.
    pub largest_margin: f64,
}

impl Family {
    /// All families, in the order in which they are listed.
    pub const ALL: [Self; 4] = [Self::Linear, Self::Logistic, Self::Softmax, Self::Poisson];

    /// The table.
    #[must_use]
    pub const fn facts(self) -> Facts {
        match self {
            Self::Linear => Facts {
                name: "linear",
                title: "least squares",
                loss: "squared error",
                targets: Targets::Number,
                quality: Quality::R2,
                block_per_class: false,
                quadratic: true,
                nonnegative: true,
                takes_exposure: false,
                scikit_learn: None,
                largest_margin: f64::INFINITY,
            },
            Self::Logistic => Facts {
                name: "logistic",
                title: "binary logistic regression",
                loss: "cross-entropy",
                targets: Targets::Class { least: 2, most: Some(2) },
                quality: Quality::Accuracy,
                block_per_class: false,
                quadratic: false,
                nonnegative: true,
                takes_exposure: false,
                scikit_learn: None,
                largest_margin: f64::INFINITY,
            },
            Self::Softmax => Facts {
                name: "softmax",
                title: "softmax regression",
                loss: "cross-entropy",
                targets: Targets::Class { least: 2, most: None },
                quality: Quality::Accuracy,
                block_per_class: true,
                quadratic: false,
                nonnegative: true,
                takes_exposure: false,
                scikit_learn: None,
                largest_margin: f64::INFINITY,
            },
            Self::Poisson => Facts {
                name: "poisson",
                title: "Poisson regression",
                loss: "half the Poisson deviance",
                targets: Targets::Count,
                quality: Quality::ExplainedDeviance,
                block_per_class: false,
                quadratic: false,
                nonnegative: true,
                takes_exposure: true,
                scikit_learn: Some("PoissonRegressor"),
                largest_margin: LARGEST_MARGIN,
            },
        }
    }

    /// Hands the loss of a row to a visitor. The second half of the table: which function of the
    /// margins it is.
    #[expect(clippy::inline_always, reason = "vector features reach only what is inlined")]
    #[inline(always)]
    pub fn visit<V: FamilyVisitor>(self, visitor: V) -> V::Output {
        match self {
            Self::Linear => visitor.one_margin::<SquaredError>(),
            Self::Logistic => visitor.one_margin::<LogisticLoss>(),
            Self::Softmax => visitor.margin_per_class(),
            Self::Poisson => visitor.one_margin::<PoissonDeviance>(),
        }
    }

    /// As specs, commands and documents write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// What can be predicted.
    #[must_use]
    pub const fn targets(self) -> Targets {
        self.facts().targets
    }

    /// By what people measure how good its predictors are.
    #[must_use]
    pub const fn quality(self) -> Quality {
        self.facts().quality
    }

    /// Whether losses are quadratic in the parameters.
    #[must_use]
    pub const fn is_quadratic(self) -> bool {
        self.facts().quadratic
    }

    /// Whether rows may have an exposure.
    #[must_use]
    pub const fn takes_exposure(self) -> bool {
        self.facts().takes_exposure
    }

    /// The loss in words, where it is never negative.
    #[must_use]
    pub const fn nonnegative_loss(self) -> Option<&'static str> {
        let facts = self.facts();
        if facts.nonnegative { Some(facts.loss) } else { None }
    }

    /// Parameter blocks of `dim` numbers each: one, or one per class.
    #[must_use]
    pub const fn blocks(self, classes: usize) -> usize {
        if self.facts().block_per_class { classes } else { 1 }
    }

    /// A family for any number of classes.
    #[must_use]
    pub fn of_any_classes() -> Self {
        let any = |family: &Self| {
            let targets = family.targets();
            targets.is_class() && targets.most_classes().is_none()
        };
        Self::ALL.into_iter().find(any).unwrap_or(Self::Softmax)
    }

    /// All names, for messages.
    #[must_use]
    pub fn listed() -> String {
        let [first @ .., last] = Self::ALL.map(|family| format!("`{family}`"));
        format!("{} or {last}", first.join(", "))
    }
}

/// What can be done with a loss that is known only when the program runs.
pub trait FamilyVisitor {
    /// What comes of it.
    type Output;

    /// The loss is a function of one margin.
    fn one_margin<L: MarginLoss>(self) -> Self::Output;

    /// The loss is the cross-entropy of one margin per class.
    fn margin_per_class(self) -> Self::Output;
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no family has.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no model `{name}`; expected {}", Family::listed())]
pub struct UnknownFamily {
    /// What was asked for.
    pub name: String,
}

impl FromStr for Family {
    type Err = UnknownFamily;

    fn from_str(name: &str) -> Result<Self, UnknownFamily> {
        let found = Self::ALL.into_iter().find(|family| family.name() == name);
        found.ok_or_else(|| UnknownFamily { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests;
