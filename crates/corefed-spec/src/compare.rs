//! Several rules on the same data, from the same seeds.

use corefed_rules::Rule;

/// As `[compare]` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The rules, at least one, each under a label of its own.
    pub rules: Vec<Contender>,
    /// Every rule is trained once from each seed; at least one, none twice.
    pub seeds: Vec<u64>,
}

/// A rule under a label.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Its name in tables, pictures and folders.
    pub label: String,
    /// The rule.
    pub rule: Rule,
}
