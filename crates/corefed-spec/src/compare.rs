//! Several rules on the same data, from the same seeds.

use corefed_rules::Rule;

use crate::{Correction, Schedule, Search, Train, Tune};

/// As `[compare]` describes it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compare {
    /// The rules, at least one, each under a label of its own.
    pub rules: Vec<Contender>,
    /// Every rule is trained once from each seed; at least one, none twice.
    pub seeds: Vec<u64>,
    /// Label of the rule that others are compared with, if it says so; see [`Compare::baseline`].
    pub base: Option<String>,
    /// Settings to try first.
    pub tune: Option<Tune>,
}

impl Compare {
    /// The rule that others are compared with: as told, else the first FedAvg, else the first of all.
    #[must_use]
    pub fn baseline(&self) -> Option<&Contender> {
        let told = self.base.as_ref();
        let is_base = |rule: &&Contender| match told {
            Some(label) => rule.label == *label,
            None => rule.rule == Rule::Fedavg,
        };
        self.rules.iter().find(is_base).or(self.rules.first())
    }
}

/// A rule under a label, trained as `[train]` says unless it says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Contender {
    /// Its name in tables, pictures and folders.
    pub label: String,
    /// The rule.
    pub rule: Rule,
    /// Whether its local steps are corrected for drift, if it says so.
    pub correction: Option<Correction>,
    /// Whether its steps are compared, if it says so.
    pub search: Option<Search>,
    /// How its learning rate changes, if it says so; without steps.
    pub schedule: Option<Schedule>,
    /// Part of the server's step in its first round, if it says so.
    pub first_step: Option<f64>,
}

impl Contender {
    /// A rule that is trained as all others are.
    #[must_use]
    pub fn new(label: String, rule: Rule) -> Self {
        Self { label, rule, correction: None, search: None, schedule: None, first_step: None }
    }

    /// Changes a training to its own.
    pub fn enter(&self, train: &mut Train) {
        train.rule = self.rule;
        train.correction = self.correction.unwrap_or(train.correction);
        train.search = self.search.unwrap_or(train.search);
        train.first_step = self.first_step.unwrap_or(train.first_step);
        train.local.schedule = self.schedule.unwrap_or(train.local.schedule);
    }
}
