//! Who should train with whom: partitions that no coalition would leave together.

use crate::{GameError, members};

/// Most agents whose partitions are searched; ten have 115,975.
pub const MOST_PARTITIONED: usize = 10;

/// What every agent gets in every coalition that it may be in; larger is better.
#[derive(Clone, Debug, PartialEq)]
pub struct HedonicGame {
    agents: usize,
    /// By mask, then by agent; minus infinity for coalitions that cannot form.
    worth: Vec<f64>,
}

impl HedonicGame {
    /// Takes `worth(mask, agent)` for every member of every coalition. Minus infinity says that a coalition
    /// cannot form; every agent can be alone.
    pub fn new(agents: usize, worth: impl Fn(usize, usize) -> f64) -> Result<Self, GameError> {
        if !(1..=MOST_PARTITIONED).contains(&agents) {
            return Err(GameError::Agents { agents, most: MOST_PARTITIONED });
        }
        let mut table = vec![f64::NEG_INFINITY; agents << agents];
        for mask in 1_usize..1 << agents {
            for agent in members(mask) {
                let value = worth(mask, agent);
                let alone = mask.is_power_of_two();
                if value.is_nan() || value == f64::INFINITY || (alone && !value.is_finite()) {
                    return Err(GameError::NotFinite { coalition: members(mask).collect(), value });
                }
                table[mask * agents + agent] = value;
            }
        }
        Ok(Self { agents, worth: table })
    }

    /// All partitions that no coalition blocks, each as masks in the order of their smallest members
    /// (ledger E55).
    ///
    /// A coalition blocks if every member gets more than `slack` of its own above what it has: with no slack
    /// this is the core of the game, with some it is what differences up to the slack do not decide.
    #[must_use]
    pub fn core_stable(&self, slack: &[f64]) -> Vec<Vec<usize>> {
        let mut search = Search {
            game: self,
            slack,
            needed: vec![0.0; self.agents],
            blocks: Vec::new(),
            found: Vec::new(),
        };
        search.extend(0);
        search.found
    }

    fn worth(&self, mask: usize, agent: usize) -> f64 {
        self.worth[mask * self.agents + agent]
    }
}

/// Partitions block by block: as soon as agents are placed, coalitions among them are asked, so that most
/// partitions are given up early.
struct Search<'a> {
    game: &'a HedonicGame,
    slack: &'a [f64],
    /// What placed agents must exceed to leave.
    needed: Vec<f64>,
    blocks: Vec<usize>,
    found: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn extend(&mut self, placed: usize) {
        let rest = ((1 << self.game.agents) - 1) & !placed;
        if rest == 0 {
            self.found.push(self.blocks.clone());
            return;
        }
        let first = rest & rest.wrapping_neg();
        let others = rest & !first;
        // Every subset of the others, the largest first.
        let mut with = others;
        loop {
            self.place(placed, first | with);
            if with == 0 {
                break;
            }
            with = (with - 1) & others;
        }
    }

    fn place(&mut self, placed: usize, block: usize) {
        let worth = |agent: usize| self.game.worth(block, agent);
        if members(block).any(|agent| worth(agent) == f64::NEG_INFINITY) {
            return;
        }
        for agent in members(block) {
            self.needed[agent] = self.game.worth(block, agent) + self.slack[agent];
        }
        if !self.is_blocked(placed, block) {
            self.blocks.push(block);
            self.extend(placed | block);
            self.blocks.pop();
        }
    }

    /// Whether a coalition with new members, and otherwise only placed ones, would leave.
    fn is_blocked(&self, placed: usize, block: usize) -> bool {
        let everybody = placed | block;
        let mut coalition = everybody;
        while coalition != 0 {
            let leaves = |agent: usize| self.game.worth(coalition, agent) > self.needed[agent];
            if coalition & block != 0 && members(coalition).all(leaves) {
                return true;
            }
            coalition = (coalition - 1) & everybody;
        }
        false
    }
}
