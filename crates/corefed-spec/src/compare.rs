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

    /// Its label as part of the name of a folder, which no other rule of a comparison has.
    #[must_use]
    pub fn folder_name(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || ".-=".contains(c);
        self.label.chars().map(|c| if plain(c) { c } else { '-' }).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    #[test]
    fn labels_become_plain_folder_names() {
        let contender = Contender::new("q-FFL 2/../x".to_owned(), Rule::Fedavg);
        assert_eq!(contender.folder_name(), "q-FFL-2-..-x");
    }

    #[test]
    fn labels_that_collide_as_folders_are_refused_in_the_spec() {
        let rules = |a: &str, b: &str| {
            let rule = |label: &str| format!("{{rule = \"qffl\", label = \"{label}\"}}");
            let rules = format!("[{}, {}]", rule(a), rule(b));
            Spec::preset("hospitals-rounds").unwrap().with("compare.rules", &rules)
        };
        assert!(rules("q=1", "q=2").is_ok());
        let error = rules("q<1", "q>1").unwrap_err().to_string();
        assert!(error.contains("the folder `q-1` of the rule `q>1`"), "{error}");
    }
}
