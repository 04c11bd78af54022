//! `compare.json`: several rules, perhaps from several seeds, on the same data.

use corefed_core::{KappaInterval, Number, Verdict};
use corefed_evidence::{Level, SeedDifference};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::tuning::Tuning;
use crate::{DeviationLine, Document};

/// The trainings of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Comparison {
    /// Where its trainings lie, as seen from this document's file; printed, from where the command ran.
    pub folder: String,
    /// Everybody, in the order of utilities.
    pub agents: Vec<String>,
    /// One entry per rule and seed that left a model.
    pub runs: Vec<ComparedRun>,
    /// Rules that left none.
    #[serde(default)]
    pub exploded: Vec<ExplodedRun>,
    /// Differences from one of the rules, seed by seed.
    #[serde(default)]
    pub paired: Option<PairedDifferences>,
    /// What was tried, where settings were tuned.
    #[serde(default)]
    pub tuning: Option<Tuning>,
}

impl Comparison {
    /// As it is stored: beside its trainings, wherever they lie.
    #[must_use]
    pub fn stored(&self) -> Self {
        Self { folder: ".".to_owned(), ..self.clone() }
    }

    /// A training that has more or fewer utilities than there are agents, as nothing we write has.
    #[must_use]
    pub fn uneven(&self) -> Option<&ComparedRun> {
        let agents = self.agents.len();
        let wrong = |measured: &Measured| {
            let losses = measured.losses.len();
            measured.utilities.len() != agents || (losses != 0 && losses != agents)
        };
        self.runs
            .iter()
            .find(|run| wrong(&run.training) || run.held_out.as_ref().is_some_and(wrong))
    }
}

impl Document for Comparison {
    const KIND: &'static str = "comparison";
    const VERSION: u64 = 1;
}

/// One training of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedRun {
    /// The rule's label.
    pub rule: String,
    /// The seed it was trained from.
    pub seed: u64,
    /// Its run folder, inside that of the comparison.
    pub folder: String,
    /// By everything that is known, the other rules' models included.
    pub verdict: Verdict,
    /// Where kappa lies.
    pub kappa: KappaInterval,
    /// Where everybody's factor lies.
    pub everybody: KappaInterval,
    /// Upper bound of kappa from ceilings alone.
    pub headroom: Number,
    /// Another rule's model of the same seed that a coalition would rather have, if that is the
    /// best rival known.
    pub rival: Option<String>,
    /// The coalition that would rather have it, where the model is blocked.
    #[serde(default)]
    pub deviation: Option<DeviationLine>,
    /// On the rows it was trained on.
    #[serde(flatten)]
    pub training: Measured,
    /// On rows that neither trained nor chose; absent unless everybody kept some back.
    #[serde(default)]
    pub held_out: Option<Measured>,
    /// Accuracy on the test part.
    pub test_accuracy: Option<f64>,
    /// The round whose model this is.
    #[serde(default)]
    pub round: usize,
    /// The setting that was chosen, by key; empty where nothing was tuned.
    #[serde(default)]
    pub setting: Map<String, Value>,
}

/// What a model is worth to everybody on some rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    /// Mean loss by agent.
    #[serde(default)]
    pub losses: Vec<f64>,
    /// By agent.
    pub utilities: Vec<f64>,
    /// Mean accuracy by averaging weight, for classes.
    pub accuracy: Option<f64>,
    /// Weighted sum of log utilities; `-inf` where one is not positive.
    #[serde(default)]
    pub log_welfare: Option<Number>,
    /// The same with logs that are straight lines below the floor, so that it is always a number.
    #[serde(default)]
    pub floored_log_welfare: Option<f64>,
}

impl Measured {
    /// The utility of the agent that has least.
    #[must_use]
    pub fn smallest(&self) -> f64 {
        self.utilities.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// A rule that left no model from a seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplodedRun {
    /// The rule's label.
    pub rule: String,
    /// The seed.
    pub seed: u64,
    /// What happened, with the first setting if several were tried.
    pub failure: String,
}

/// How rules differ from one of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairedDifferences {
    /// Label of the rule that is subtracted.
    pub base: String,
    /// Of the intervals, each on its own.
    pub level: Level,
    /// By rule, measure and rows.
    pub lines: Vec<DifferenceLine>,
}

impl PairedDifferences {
    /// Every other rule less `base`, by what a rule has from a seed; pairs are the seeds from which both have
    /// something.
    #[must_use]
    pub fn between(
        rules: &[&str],
        base: &str,
        seeds: &[u64],
        value: impl Fn(&str, u64, Measure, Rows) -> Option<f64>,
    ) -> Self {
        let level = Level::default();
        let mut lines = Vec::new();
        for &rule in rules.iter().filter(|rule| **rule != base) {
            for (measure, rows) in MEASURES {
                let of = |rule: &str, seed: u64| value(rule, seed, measure, rows);
                let pairs: Vec<f64> = seeds
                    .iter()
                    .filter_map(|&seed| Some(of(rule, seed)? - of(base, seed)?))
                    .collect();
                let rule = rule.to_owned();
                let line = |over_seeds| DifferenceLine { rule, measure, rows, over_seeds };
                lines.extend(SeedDifference::of(&pairs, level).map(line));
            }
        }
        Self { base: base.to_owned(), level, lines }
    }
}

/// What is subtracted, in the order of lines.
const MEASURES: [(Measure, Rows); 7] = [
    (Measure::LogWelfare, Rows::Training),
    (Measure::LogWelfare, Rows::HeldOut),
    (Measure::SmallestUtility, Rows::Training),
    (Measure::SmallestUtility, Rows::HeldOut),
    (Measure::Accuracy, Rows::Training),
    (Measure::Accuracy, Rows::HeldOut),
    (Measure::Accuracy, Rows::Test),
];

/// One rule less the base, seed by seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceLine {
    /// The rule's label.
    pub rule: String,
    /// What is compared.
    pub measure: Measure,
    /// On which rows.
    pub rows: Rows,
    /// What the seeds say that have both.
    #[serde(flatten)]
    pub over_seeds: SeedDifference,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Floored log-welfare.
    LogWelfare,
    /// The utility of the agent that has least.
    SmallestUtility,
    /// Mean accuracy.
    Accuracy,
}

/// Rows to measure on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Rows {
    /// Those that were trained on.
    Training,
    /// Those that neither trained nor chose.
    HeldOut,
    /// The published test part.
    Test,
}

impl ComparedRun {
    /// A measure of this run, where it is known and finite.
    #[must_use]
    pub fn value(&self, measure: Measure, rows: Rows) -> Option<f64> {
        let measured = match rows {
            Rows::Training => Some(&self.training),
            Rows::HeldOut => self.held_out.as_ref(),
            Rows::Test if measure == Measure::Accuracy => return self.test_accuracy,
            Rows::Test => None,
        }?;
        let value = match measure {
            Measure::LogWelfare => measured.floored_log_welfare,
            Measure::SmallestUtility => Some(measured.smallest()),
            Measure::Accuracy => measured.accuracy,
        };
        value.filter(|value| value.is_finite())
    }
}
