//! What is not a game.

use thiserror::Error;

/// Numbers that do not make a game.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum GameError {
    /// Nobody plays, or too many to list their coalitions.
    #[error("{agents} agents; games are listed for 1 to {most}")]
    Agents {
        /// How many there are.
        agents: usize,
        /// How many there may be.
        most: usize,
    },
    /// Not one number per coalition.
    #[error("{agents} agents have {expected} coalitions, and {found} values are given")]
    Values {
        /// How many agents.
        agents: usize,
        /// Coalitions, the empty one included.
        expected: usize,
        /// Values.
        found: usize,
    },
    /// A coalition whose value is not known.
    #[error("coalition {coalition:?} is worth `{value}`; values must be finite")]
    NotFinite {
        /// Its members.
        coalition: Vec<usize>,
        /// The value.
        value: f64,
    },
    /// The empty coalition has a value.
    #[error("the empty coalition is worth `{value}`; it must be worth nothing")]
    Empty {
        /// The value.
        value: f64,
    },
}
