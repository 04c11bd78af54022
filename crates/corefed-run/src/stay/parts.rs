//! The held-out rows of every agent, divided.

use corefed_core::Seed;
use corefed_evidence::Units;

use crate::hold_out::HeldOutGroups;

/// The held-out rows of every agent: what belongs together, and which half chooses and which tests.
pub(crate) struct Parts {
    pub(crate) units: Vec<Units>,
    /// The half that chooses, and the half that tests.
    pub(crate) halves: Vec<[Units; 2]>,
}

impl Parts {
    pub(crate) fn new(
        names: &[String],
        rows: &[usize],
        groups: Option<&HeldOutGroups>,
        seed: Seed,
    ) -> Self {
        let own = |(name, rows): (&String, &usize)| {
            let labels = groups.and_then(|groups| groups.iter().find(|(other, _)| other == name));
            labels.map_or_else(|| Units::rows(*rows), |(_, labels)| Units::groups(labels))
        };
        let units: Vec<Units> = names.iter().zip(rows).map(own).collect();
        let halves = names.iter().zip(&units);
        let halves = halves.map(|(name, units)| units.halves(seed.derive(name))).collect();
        Self { units, halves }
    }
}
