//! A game with transferable utility: one number per coalition.

use crate::GameError;

/// Most agents of a game that is listed: a million coalitions.
pub const MOST_AGENTS: usize = 20;

/// What every coalition is worth. Coalitions are masks: bit `i` says that agent `i` is a member.
#[derive(Clone, Debug, PartialEq)]
pub struct Game {
    agents: usize,
    values: Vec<f64>,
}

impl Game {
    /// Takes the value of every coalition, by mask; the empty coalition comes first and is worth nothing.
    ///
    /// ```
    /// use corefed_game::Game;
    ///
    /// // Two agents save 3 together; alone, nothing.
    /// let game = Game::new(2, vec![0.0, 0.0, 0.0, 3.0])?;
    /// assert_eq!(game.shapley(), [1.5, 1.5]);
    /// # Ok::<(), corefed_game::GameError>(())
    /// ```
    pub fn new(agents: usize, values: Vec<f64>) -> Result<Self, GameError> {
        if !(1..=MOST_AGENTS).contains(&agents) {
            return Err(GameError::Agents { agents, most: MOST_AGENTS });
        }
        let (expected, found) = (1 << agents, values.len());
        if expected != found {
            return Err(GameError::Values { agents, expected, found });
        }
        if let Some(mask) = values.iter().position(|value| !value.is_finite()) {
            let coalition = members(mask).collect();
            return Err(GameError::NotFinite { coalition, value: values[mask] });
        }
        if values[0] != 0.0 {
            return Err(GameError::Empty { value: values[0] });
        }
        Ok(Self { agents, values })
    }

    /// Number of agents.
    #[must_use]
    pub fn agents(&self) -> usize {
        self.agents
    }

    /// What a coalition is worth.
    #[must_use]
    pub fn value(&self, mask: usize) -> f64 {
        self.values[mask]
    }

    /// The mask of everybody.
    #[must_use]
    pub fn everybody(&self) -> usize {
        self.values.len() - 1
    }
}

/// Members of a mask, ascending.
pub fn members(mask: usize) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_list_their_members_in_order() {
        assert_eq!(members(0b1_0110).collect::<Vec<_>>(), [1, 2, 4]);
        assert_eq!(members(0).count(), 0);
    }

    #[test]
    fn what_is_not_a_game_is_refused_by_name() {
        assert_eq!(Game::new(0, vec![0.0]), Err(GameError::Agents { agents: 0, most: 20 }));
        let short = GameError::Values { agents: 2, expected: 4, found: 3 };
        assert_eq!(Game::new(2, vec![0.0; 3]), Err(short));
        let refused = Game::new(2, vec![0.0, 1.0, 2.0, f64::NAN]).unwrap_err();
        assert!(refused.to_string().starts_with("coalition [0, 1] is worth `NaN`"), "{refused}");
        assert_eq!(Game::new(1, vec![1.0, 1.0]), Err(GameError::Empty { value: 1.0 }));
    }
}
