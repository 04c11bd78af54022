//! What can be wrong with an answer.

use thiserror::Error;

/// An answer that is not kept. Points are counted from zero in the round's own list.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BadAnswer {
    /// Nobody asked it.
    #[error("`{agent}` was not asked in this round")]
    NotAsked {
        /// Whose.
        agent: String,
    },
    /// It answers another round.
    #[error("`{agent}` answers round {got}; this is round {round}")]
    Round {
        /// Whose.
        agent: String,
        /// The round it answers.
        got: usize,
        /// The round that is open.
        round: usize,
    },
    /// It is about other points.
    #[error("`{agent}` answers for other points than those of round {round}")]
    Points {
        /// Whose.
        agent: String,
        /// The round.
        round: usize,
    },
    /// A list is too short or too long.
    #[error("`{agent}` answers {got} {what}; {want} were asked for")]
    Count {
        /// Whose.
        agent: String,
        /// Of what.
        what: &'static str,
        /// How many came.
        got: usize,
        /// How many should have.
        want: usize,
    },
    /// A number is not one.
    #[error("the {what} of `{agent}` at point {point} is not finite")]
    NotFinite {
        /// Whose.
        agent: String,
        /// Loss, gradient or Hessian.
        what: &'static str,
        /// Where.
        point: usize,
    },
    /// A declared ceiling or an own predictor is not one.
    #[error("the {what} of `{agent}` is not usable")]
    Declared {
        /// Whose.
        agent: String,
        /// Which.
        what: &'static str,
    },
    /// The same question had another answer.
    #[error(
        "`{agent}` has loss {now} at point {point}, where it answered {before} in an earlier round"
    )]
    Changed {
        /// Whose.
        agent: String,
        /// Where.
        point: usize,
        /// The earlier answer.
        before: f64,
        /// This one.
        now: f64,
    },
    /// No convex loss has these values and slopes.
    #[error(
        "no convex loss agrees with `{agent}`: at point {point} it is {short:.3e} below its tangent at {other}"
    )]
    NotConvex {
        /// Whose.
        agent: String,
        /// Where it is too low.
        point: usize,
        /// Whose tangent it lies under.
        other: String,
        /// By how much.
        short: f64,
    },
    /// A Hessian of no convex loss.
    #[error("the Hessian of `{agent}` at point {point} is not positive semidefinite")]
    Indefinite {
        /// Whose.
        agent: String,
        /// Where.
        point: usize,
    },
}

impl BadAnswer {
    /// What can be done about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotAsked { .. } | Self::Round { .. } | Self::Points { .. } => {
                "answer the questions of the round that is open"
            }
            Self::Count { .. } => {
                "answer every point once, in the order asked, with one number per parameter"
            }
            Self::NotFinite { .. } => "check the agent's columns for missing or huge values",
            Self::Declared { .. } => {
                "declare a finite ceiling, and an own predictor of the same length inside the ball"
            }
            Self::Changed { .. } => "an agent answers from the same rows in every round",
            Self::NotConvex { .. } | Self::Indefinite { .. } => {
                "check that losses and derivatives are of the same rows, model and ridge, and that the loss is convex"
            }
        }
    }
}
