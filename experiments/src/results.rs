//! What an experiment came to.

use corefed_spec::Spec;

use crate::experiment::Experiment;
use crate::judge::Row;
use crate::outcome::Exploded;

/// An experiment with all its rows.
pub(crate) struct Results<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) spec: &'a Spec,
    pub(crate) agents: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) exploded: Vec<Exploded>,
    /// Where networks were computed.
    pub(crate) device: String,
}

impl Results<'_> {
    /// The rows under a ceiling, of one rule.
    pub(crate) fn of(&self, rule: &str, ceiling: f64) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.rule == rule && row.ceiling == ceiling).collect()
    }

    /// Labels of the rules, in the order of the spec.
    pub(crate) fn rules(&self) -> Vec<&str> {
        let rules = self.spec.compare.as_ref().map_or(&[][..], |compare| &compare.rules);
        rules.iter().map(|contender| contender.label.as_str()).collect()
    }
}
