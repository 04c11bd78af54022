//! Everything a run depends on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use corefed_core::Writing;
use corefed_data::{Checks, ColumnType, Corruptions, Missing};

use crate::{Ceiling, Compare, DataSource, Model, PartitionSpec, Train, WeightsBy};

/// Seconds an audit may search unless told.
pub const TIME_LIMIT: f64 = 60.0;

/// Data, terms and, if it is not solved exactly, the training.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// Of the run's folder.
    pub name: String,
    /// The rows.
    pub data: DataSource,
    /// Of everything that is drawn.
    pub seed: u64,
    /// Column that names the owner of a row; `None`: the set's own, or the partition says.
    pub agent: Option<String>,
    /// Column to predict; `None`: the set's own.
    pub target: Option<String>,
    /// Column of exposures, for models that take them.
    pub exposure: Option<String>,
    /// What is fitted.
    pub model: Model,
    /// Loss at which an agent gets nothing.
    pub ceiling: Ceiling,
    /// Radius of the ball of parameters, > 0.
    pub radius: f64,
    /// The say of each agent.
    pub weights: WeightsBy,
    /// Weights of averaging rules; FedAvg counts samples.
    pub average: WeightsBy,
    /// Ridge in every agent's loss, >= 0.
    pub l2: f64,
    /// Whether to fit an intercept.
    pub intercept: bool,
    /// Take numbers as they are.
    pub raw: bool,
    /// Checks on the data to waive.
    pub allow: Checks,
    /// How the file is written, where that is told.
    pub written: Writing,
    /// What a missing cell means.
    pub missing: Missing,
    /// Words that stand for a missing cell, beside the usual ones.
    pub na: Vec<String>,
    /// Types of columns whose cells should not decide.
    pub columns: BTreeMap<String, ColumnType>,
    /// Gains up to this do not count in a verdict, in (0, 0.1].
    pub tolerance: f64,
    /// Seconds an audit may search, >= 0.
    pub time_limit: f64,
    /// Fraction of each agent's rows that is used at all, in (0, 1].
    pub sample: f64,
    /// Fraction of each agent's rows that is held out for evaluation, in [0, 1).
    pub held_out: f64,
    /// Fraction of each agent's rows that is held out to choose a round by; less than one with `held_out`.
    pub validation: f64,
    /// Whether to evaluate on the set's published test part as well; it must have one.
    pub test: bool,
    /// Who owns which row, when no column says so.
    pub partition: Option<PartitionSpec>,
    /// Agents made worse on purpose.
    pub corrupt: Corruptions,
    /// The training; without one, the run solves exactly.
    pub train: Option<Train>,
    /// Rules to train side by side; only with a training.
    pub compare: Option<Compare>,
}

impl Spec {
    /// Takes files that the spec names as relative to a folder, such as its own.
    #[must_use]
    pub fn relative_to(self, folder: &Path) -> Self {
        self.with_paths(|path| folder.join(path))
    }

    /// The spec with every file that it names somewhere else.
    #[must_use]
    pub fn with_paths(mut self, place: impl Fn(&Path) -> PathBuf) -> Self {
        let place = |path: &mut PathBuf| *path = place(path);
        if let DataSource::File(path) = &mut self.data {
            place(path);
        }
        if let Ceiling::File(path) = &mut self.ceiling {
            place(path);
        }
        for weights in [&mut self.weights, &mut self.average] {
            if let WeightsBy::File(path) = weights {
                place(path);
            }
        }
        if let Some(PartitionSpec::File(path)) = &mut self.partition {
            place(path);
        }
        self
    }
}
