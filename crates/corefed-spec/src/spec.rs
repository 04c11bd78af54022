//! Everything a run depends on.

use std::collections::BTreeMap;

use corefed_core::Family;
use corefed_data::{Checks, ColumnType, Corruptions, Missing};

use crate::{Ceiling, Compare, DataSource, PartitionSpec, Train, WeightsBy};

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
    /// What is fitted.
    pub model: Family,
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
    /// What a missing cell means.
    pub missing: Missing,
    /// Types of columns whose cells should not decide.
    pub columns: BTreeMap<String, ColumnType>,
    /// Slack of a verdict, in (0, 0.1].
    pub epsilon: f64,
    /// Seconds an audit may search, >= 0.
    pub time_limit: f64,
    /// Fraction of each agent's rows kept back for evaluation, in [0, 1).
    pub held_out: f64,
    /// Whether to evaluate on the set's published test part as well, where there is one.
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
