//! A way to divide rows as somebody asks for it: a name, perhaps numbers, and the usual ones for the rest.

use corefed_core::Choice;
use thiserror::Error;

use super::Method;

/// The methods that can be asked for, without their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivideBy {
    /// See [`iid`](super::iid()).
    Iid,
    /// See [`label_dirichlet`](super::label_dirichlet()).
    LabelDirichlet,
    /// See [`shards`](super::shards()).
    Shards,
    /// See [`quantity_skew`](super::quantity_skew()).
    QuantitySkew,
    /// See [`by_groups`](super::by_groups()).
    Column,
}

impl Choice for DivideBy {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Iid, "iid", "Every row to a random agent, even sizes"),
        (Self::LabelDirichlet, "label-dirichlet", "Each class divided in Dirichlet proportions"),
        (Self::Shards, "shards", "Rows sorted by label, cut into shards, a few shards each"),
        (Self::QuantitySkew, "quantity-skew", "Sizes in Dirichlet proportions, labels even"),
        (Self::Column, "column", "By the names in a column"),
    ];
}

/// A method with the numbers that were given.
#[derive(Clone, Debug, PartialEq)]
pub struct Division {
    /// Which method.
    pub by: DivideBy,
    /// Number of agents; 3 unless given.
    pub agents: Option<usize>,
    /// Concentration of a Dirichlet draw; 0.5 unless given.
    pub alpha: Option<f64>,
    /// Fewest rows of an agent; 10 unless given.
    pub min_samples: Option<usize>,
    /// Shards of every agent; 2 unless given.
    pub shards: Option<usize>,
    /// The column that names owners.
    pub column: Option<String>,
}

/// Why a division is not what its method takes.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum DivisionError {
    /// Something was given that the method does not look at.
    #[error("`@{option}` has no effect with this method")]
    Unused {
        /// What was given.
        option: &'static str,
        /// The methods that look at it.
        methods: &'static str,
    },
    /// Owners are in a column, and nobody said in which.
    #[error("`@method column` needs `@column NAME`")]
    NoColumn,
}

impl DivisionError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Unused { methods, .. } => format!("drop it; it goes with {methods}"),
            Self::NoColumn => "name the column that says who owns a row".to_owned(),
        }
    }
}

impl Division {
    /// The method with all its numbers; one that it would ignore is refused.
    pub fn method(&self) -> Result<Method, DivisionError> {
        let by = self.by;
        let dirichlet = matches!(by, DivideBy::LabelDirichlet | DivideBy::QuantitySkew);
        let draws = "`label-dirichlet` and `quantity-skew`";
        let given = [
            ("agents", self.agents.is_some(), by != DivideBy::Column, "every method but `column`"),
            ("alpha", self.alpha.is_some(), dirichlet, draws),
            ("min-samples", self.min_samples.is_some(), dirichlet, draws),
            ("shards", self.shards.is_some(), by == DivideBy::Shards, "`shards`"),
            ("column", self.column.is_some(), by == DivideBy::Column, "`column`"),
        ];
        if let Some((option, _, _, methods)) =
            given.into_iter().find(|(_, is, used, _)| *is && !used)
        {
            return Err(DivisionError::Unused { option, methods });
        }
        let agents = self.agents.unwrap_or(3);
        let (alpha, min_samples) = (self.alpha.unwrap_or(0.5), self.min_samples.unwrap_or(10));
        Ok(match by {
            DivideBy::Iid => Method::Iid { agents },
            DivideBy::LabelDirichlet => Method::LabelDirichlet { agents, alpha, min_samples },
            DivideBy::Shards => {
                Method::Shards { agents, shards_per_agent: self.shards.unwrap_or(2) }
            }
            DivideBy::QuantitySkew => Method::QuantitySkew { agents, alpha, min_samples },
            DivideBy::Column => {
                let column = self.column.clone().ok_or(DivisionError::NoColumn)?;
                Method::Column { column }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(by: DivideBy) -> Division {
        Division { by, agents: None, alpha: None, min_samples: None, shards: None, column: None }
    }

    #[test]
    fn numbers_that_are_not_given_are_the_usual_ones() {
        let usual = plain(DivideBy::LabelDirichlet).method().unwrap();
        assert_eq!(usual, Method::LabelDirichlet { agents: 3, alpha: 0.5, min_samples: 10 });
        let own = Division { agents: Some(7), shards: Some(4), ..plain(DivideBy::Shards) };
        assert_eq!(own.method().unwrap(), Method::Shards { agents: 7, shards_per_agent: 4 });
    }

    #[test]
    fn what_a_method_would_ignore_is_refused() {
        let refused = |division: Division| division.method().unwrap_err();
        let option = |error| match error {
            DivisionError::Unused { option, .. } => option,
            DivisionError::NoColumn => "none",
        };
        assert_eq!(option(refused(Division { alpha: Some(1.0), ..plain(DivideBy::Iid) })), "alpha");
        assert_eq!(
            option(refused(Division { agents: Some(2), ..plain(DivideBy::Column) })),
            "agents"
        );
        assert_eq!(option(refused(plain(DivideBy::Column))), "none");
    }
}
