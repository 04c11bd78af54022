//! What was changed about a run's spec after it had begun.

use serde::{Deserialize, Serialize};

use crate::Document;

/// `changes.json` of a run folder: keys that were changed on request while the run continued.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecChanges {
    /// In the order in which they were made.
    pub changes: Vec<SpecChange>,
}

/// One key that was changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SpecChange {
    /// The last round with the old value.
    pub after_round: usize,
    /// Its dotted path.
    pub key: String,
    /// What it was, as TOML; absent where the spec had no such key.
    pub then: Option<String>,
    /// What it is.
    pub now: Option<String>,
}

impl Document for SpecChanges {
    const KIND: &'static str = "spec-changes";
    const VERSION: u64 = 1;
}

impl SpecChanges {
    /// Adds changes after a round. What was changed after a later one, or the same, was undone when the run went back.
    pub fn add(&mut self, after_round: usize, changes: impl IntoIterator<Item = SpecChange>) {
        self.changes.retain(|known| known.after_round < after_round);
        self.changes.extend(changes);
    }

    /// A sentence for each, for anybody who reads the results.
    #[must_use]
    pub fn sentences(&self) -> Vec<String> {
        let told = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".to_owned());
        let sentence = |change: &SpecChange| {
            let SpecChange { after_round, key, then, now } = change;
            format!(
                "`{key}` of the spec was changed after round {after_round}: {} before, {} since, so \
                 `spec.toml` does not repeat this run",
                told(then),
                told(now)
            )
        };
        self.changes.iter().map(sentence).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_run_went_back_behind_is_forgotten() {
        let change = |after_round, key: &str| SpecChange {
            after_round,
            key: key.to_owned(),
            then: Some("1".to_owned()),
            now: None,
        };
        let mut known = SpecChanges::default();
        known.add(10, [change(10, "a")]);
        known.add(20, [change(20, "b")]);
        known.add(20, [change(20, "c")]);
        let keys: Vec<&str> = known.changes.iter().map(|c| c.key.as_str()).collect();
        assert_eq!(keys, ["a", "c"]);
        assert!(
            known.sentences()[0]
                .contains("`a` of the spec was changed after round 10: 1 before, absent since")
        );
    }
}
