//! Settings to try for every rule of a comparison.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use corefed_rules::Rule;

/// As `[compare.tune]` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Tune {
    /// Values, as TOML, by key: a dotted path below `[train]`, or the knob of a rule.
    pub grid: BTreeMap<String, Vec<String>>,
    /// At most this many settings per rule, the same for every one.
    pub budget: NonZeroUsize,
    /// Which seeds choose.
    pub seeds: TuneSeeds,
}

/// Which seeds choose a setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TuneSeeds {
    /// Every one for itself: no row that a seed reports on was seen by what chose.
    #[default]
    Each,
    /// The first for all: cheaper, but rows by which it chooses may be held out from other seeds.
    First,
}

impl TuneSeeds {
    /// Every choice with its name in specs.
    pub const NAMES: &[(&str, Self)] = &[("each", Self::Each), ("first", Self::First)];

    /// Its name in specs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Each => "each",
            Self::First => "first",
        }
    }
}

/// A key of the grid that means something to a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunedKey<'a> {
    /// As in the grid.
    pub key: &'a str,
    /// Its dotted path in a spec that trains this rule.
    pub path: String,
    /// Its values, as TOML.
    pub values: &'a [String],
}

impl Tune {
    /// The keys that mean something to a rule: those of `[train]`, and its own knobs.
    #[must_use]
    pub fn keys(&self, rule: Rule) -> Vec<TunedKey<'_>> {
        let keys = self.grid.iter().filter_map(|(key, values)| {
            let path = if key.contains('.') {
                key.clone()
            } else if has_knob(rule, key) {
                format!("train.{key}")
            } else {
                return None;
            };
            Some(TunedKey { key, path, values })
        });
        keys.collect()
    }
}

/// Whether a rule has a knob of this name.
pub(crate) fn has_knob(rule: Rule, name: &str) -> bool {
    rule.info().knobs.iter().any(|knob| knob.name == name)
}
