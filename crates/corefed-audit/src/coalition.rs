//! Coalitions as bit masks, for up to 128 agents.

use corefed_core::Weights;

/// Most agents that a coalition can be drawn from in an exact search.
pub const MOST_AGENTS: usize = 128;

/// A set of agents; the empty one is a valid start of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Coalition(u128);

impl Coalition {
    /// Nobody.
    pub const EMPTY: Self = Self(0);

    /// These agents, in any order.
    #[must_use]
    pub fn from_members(members: &[usize]) -> Self {
        members.iter().fold(Self::EMPTY, |set, &agent| set.with(agent))
    }

    /// The first `count` agents.
    #[must_use]
    pub fn everybody(agents: usize) -> Self {
        Self::from_members(&(0..agents).collect::<Vec<_>>())
    }

    /// Whether nobody is in it.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all of `other` are in it.
    #[must_use]
    pub fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// With one agent more.
    #[must_use]
    pub fn with(self, agent: usize) -> Self {
        Self(self.0 | 1 << agent)
    }

    /// Without one agent.
    #[must_use]
    pub fn without(self, agent: usize) -> Self {
        Self(self.0 & !(1 << agent))
    }

    /// Those in either.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Members, ascending.
    pub fn members(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let agent = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(agent)
        })
    }

    /// `w(S) / W`.
    #[must_use]
    pub fn share(self, weights: &Weights) -> f64 {
        self.members().map(|agent| weights.values()[agent]).sum::<f64>() / weights.total()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_back_in_order() {
        let set = Coalition::from_members(&[127, 3, 64]);
        assert_eq!(set.members().collect::<Vec<_>>(), [3, 64, 127]);
        assert_eq!(set.without(64), Coalition::EMPTY.with(3).with(127));
        assert!(set.contains_all(Coalition::EMPTY.with(3)) && !set.contains_all(set.with(5)));
        assert_eq!(Coalition::everybody(128).members().count(), 128);
    }
}
