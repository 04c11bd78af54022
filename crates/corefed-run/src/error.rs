//! What can go wrong between a spec and its documents.

use std::io;
use std::path::PathBuf;

use corefed_core::WeightError;
use corefed_data::DataError;
use corefed_data::source::FolderError;
use corefed_data::source::catalogue::UnknownSet;
use corefed_documents::DocumentError;
use corefed_log::{DeviceHeader, LogError};
use corefed_nn::NetworkError;
use corefed_report::ReportError;
use corefed_sim::{DeviceFailure, EngineError, TrainError};
use corefed_solve::CeilingError;
use corefed_spec::SpecErrors;
use corefed_verify::VerifyError;
use thiserror::Error;

/// Why a run could not be prepared, solved, trained, audited or written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The data are not what they should be.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The spec is not what it should be.
    #[error(transparent)]
    Spec(#[from] SpecErrors),
    /// The run folder could not be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// A document could not be read or written.
    #[error(transparent)]
    Document(#[from] DocumentError),
    /// The page could not be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The settings of a training do not fit together.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The certificate that was made does not hold.
    #[error("certificate refused: {0}")]
    Refused(#[from] VerifyError),
    /// A ceiling is not positive.
    #[error(transparent)]
    Ceiling(#[from] CeilingError),
    /// A weight is not positive.
    #[error(transparent)]
    Weights(#[from] WeightError),
    /// The folder of published data is not known.
    #[error(transparent)]
    DataFolder(#[from] FolderError),
    /// There is no published set of that name.
    #[error(transparent)]
    UnknownSet(#[from] UnknownSet),
    /// The network cannot be built.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// A GPU is missing or did not do its part.
    #[error("{}", .0.reason)]
    Device(DeviceFailure),

    /// Neither a preset nor a spec file.
    #[error("`{what}` is neither a preset nor a .toml file")]
    UnknownSpec {
        /// What was asked for.
        what: String,
        /// The presets there are.
        presets: Vec<&'static str>,
    },
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder cannot be created.
    #[error("cannot create `{}`: {source}", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The spec names no owners.
    #[error("who owns the rows?")]
    NoOwners,
    /// The spec, or the caller, names no target.
    #[error("which column{} is the target?", of(data))]
    NoTarget {
        /// The data, where a caller asked for their labels.
        data: Option<String>,
    },
    /// A test part was asked of a set that was published in one piece.
    #[error("`{name}` has no test part of its own")]
    NoTestPart {
        /// The set.
        name: String,
    },
    /// A column of images was asked for.
    #[error("images have no columns")]
    NoColumns,
    /// A partition by this method cannot be drawn.
    #[error("this partition exists only as a file")]
    PartitionIsFile,
    /// A partition file does not fit the data.
    #[error("`{}`: {}", path.display(), chain(error))]
    PartitionFile {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        error: DataError,
    },
    /// A column has too many values to be classes.
    #[error("column `{column}` has {values} different values and cannot be used as class labels")]
    NotClasses {
        /// The column.
        column: String,
        /// How many values it has.
        values: usize,
    },
    /// The name of the owners' column is taken.
    #[error("`{file}` has a column `{column}` already")]
    OwnerColumn {
        /// The table.
        file: String,
        /// The name.
        column: &'static str,
    },
    /// Rows cannot be written as CSV.
    #[error("cannot write CSV: {reason}")]
    Csv {
        /// What the writer said.
        reason: String,
    },
    /// A network was asked to predict a table.
    #[error("`{model}` takes images, and `{data}` is a table")]
    TableForNetwork {
        /// The model.
        model: String,
        /// The data.
        data: String,
    },
    /// A model of tables was asked to predict images.
    #[error("images cannot be predicted by `{model}`")]
    ImagesForModel {
        /// The model.
        model: String,
    },
    /// Exact solvers were asked to take images.
    #[error("`{data}` holds images, which exact solvers do not take")]
    ImagesForSolver {
        /// The data.
        data: String,
    },
    /// Pixels of a linear predictor cannot be corrupted.
    #[error("`[corrupt]` is for tables and for networks")]
    CorruptPixels,
    /// The test part is not a table.
    #[error("the test part of `{name}` is not a table")]
    TestNotTable {
        /// The set.
        name: String,
    },
    /// Images are too large for a linear predictor.
    #[error("images of {numbers} numbers are too large")]
    LargeImages {
        /// Numbers of one image.
        numbers: usize,
    },
    /// A ridge penalty was asked of a network.
    #[error("`l2` is for linear predictors")]
    NetworkRidge,
    /// Mini-batches do not fit into memory.
    #[error("mini-batches of {batch} images are too large")]
    LargeBatch {
        /// Images in a mini-batch.
        batch: usize,
        /// The most there may be.
        most: usize,
    },
    /// The model has no largest loss that could be a ceiling.
    #[error("`{model}` has no largest loss")]
    NoWorstLoss {
        /// The model.
        model: String,
    },
    /// A ceiling is not positive and finite.
    #[error("the ceiling of agent `{agent}` is `{ceiling}`; ceilings must be positive and finite")]
    AgentCeiling {
        /// Whose it is.
        agent: String,
        /// The ceiling.
        ceiling: f64,
    },
    /// A weight is far from one.
    #[error("the weight of agent `{agent}` is `{weight}`")]
    AgentWeight {
        /// Whose it is.
        agent: String,
        /// The weight.
        weight: f64,
    },
    /// The ball has no radius.
    #[error("the radius is `{radius}`; it must be positive")]
    Radius {
        /// The radius.
        radius: f64,
    },
    /// The ridge penalty is negative or not a number.
    #[error("l2 is `{l2}`; it must not be negative")]
    Ridge {
        /// The penalty.
        l2: f64,
    },
    /// A tolerance with which `stable` means nothing.
    #[error("the tolerance is `{tolerance}`")]
    Tolerance {
        /// The tolerance.
        tolerance: f64,
        /// Whether zero would be allowed.
        exact: bool,
    },
    /// A time limit that is no time.
    #[error("the time limit is `{seconds}`")]
    TimeLimit {
        /// The limit.
        seconds: f64,
    },
    /// More agents than exact solvers take.
    #[error("`{file}`: column `{column}` names {agents} agents; exact solvers take at most {most}")]
    ManyAgents {
        /// The data.
        file: String,
        /// The column of owners.
        column: String,
        /// How many there are.
        agents: usize,
        /// How many there may be.
        most: usize,
    },
    /// More parameters than exact solvers take.
    #[error("{file}: the model has {parameters} parameters; exact solvers take at most {most}")]
    ManyParameters {
        /// The data.
        file: String,
        /// How many there are.
        parameters: usize,
        /// How many there may be.
        most: usize,
    },
    /// The data have one agent.
    #[error("{file}: the data have a single agent")]
    SingleAgent {
        /// The data.
        file: String,
    },
    /// No predictor serves these agents together, which is proven.
    #[error("{}", infeasible(file, agents, *bound))]
    Infeasible {
        /// The data.
        file: String,
        /// Their names.
        agents: Vec<String>,
        /// What a weighted mean of their utilities is at most.
        bound: f64,
        /// By how much the ceilings are too low at least.
        shortfall: f64,
    },
    /// No predictor was found that serves everybody.
    #[error("`{file}`: {reason}")]
    NotFound {
        /// The data.
        file: String,
        /// What the solver said.
        reason: String,
    },
    /// The parameters lie outside the ball.
    #[error("{what} have norm {norm:.6}, outside the ball of radius {radius}")]
    OutsideBall {
        /// What they are called.
        what: String,
        /// Their norm.
        norm: f64,
        /// The radius.
        radius: f64,
    },
    /// The file holds no predictor.
    #[error("`{}` holds no predictor", path.display())]
    NoPredictor {
        /// The file.
        path: PathBuf,
    },
    /// The file holds parameters without an encoding.
    #[error("`{}` has no encoding", path.display())]
    NoEncoding {
        /// The file.
        path: PathBuf,
    },
    /// The predictor of a file is not one.
    #[error("`{}`: {reason}", path.display())]
    Predictor {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do about it.
        hint: Option<String>,
    },
    /// A table of utilities has one row.
    #[error("{file}: the table has no rivals")]
    NoRivals {
        /// The table.
        file: String,
        /// The audited row.
        incumbent: String,
    },
    /// Weights by samples were asked of a table of utilities.
    #[error("a table of utilities does not say how many samples there are")]
    NoSamples,

    /// The spec does not train.
    #[error("`{spec}` has no `[train]`")]
    NoTraining {
        /// Its name.
        spec: String,
    },
    /// The spec trains nothing that could be compared.
    #[error("`{spec}` trains nothing that could be compared")]
    NothingToCompare {
        /// Its name.
        spec: String,
    },
    /// The training could not continue.
    #[error("{error}")]
    Stopped {
        /// Why.
        error: TrainError,
        /// Where the last good model is.
        model: PathBuf,
    },
    /// The checkpoint is of something else.
    #[error("the checkpoint is not one of this training")]
    Checkpoint,
    /// The folder was made by another spec.
    #[error("`{}` was made by other settings", path.display())]
    OtherSettings {
        /// The folder.
        path: PathBuf,
        /// Whether the caller brought the settings, not the folder.
        asked: bool,
    },
    /// The data are not those the run began with.
    #[error("the data of `{}` have changed: digest {then} is now {now}", path.display())]
    DataChanged {
        /// The folder.
        path: PathBuf,
        /// The beginning of the digest when the run began.
        then: String,
        /// The beginning of the digest now.
        now: String,
    },
    /// The run was started on a device that computes differently.
    #[error("`{}` was started on {then} and cannot be resumed on {now}", path.display())]
    OtherDevice {
        /// The folder.
        path: PathBuf,
        /// What it began on.
        then: DeviceHeader,
        /// What it would continue on.
        now: DeviceHeader,
    },
    /// A folder that is complete has no record to judge.
    #[error("the run in `{}` has no evaluated round", path.display())]
    NoRound {
        /// The folder.
        path: PathBuf,
    },
    /// It happened at one setting of several.
    #[error("at {setting}: {}", chain(error))]
    At {
        /// Which setting.
        setting: String,
        /// What happened.
        error: Box<RunError>,
    },
}

impl RunError {
    /// Names the setting of several at which it happened.
    #[must_use]
    pub fn at(self, setting: &str) -> Self {
        Self::At { setting: setting.to_owned(), error: Box::new(self) }
    }

    /// Whether a training exploded: an outcome, for whoever compares trainings.
    #[must_use]
    pub fn is_diverged(&self) -> bool {
        match self {
            // A device that fails says nothing about the rule.
            Self::Stopped { error, .. } => !matches!(error, TrainError::Device { .. }),
            Self::At { error, .. } => error.is_diverged(),
            _ => false,
        }
    }

    /// The error with its causes, on one line.
    #[must_use]
    pub fn message(&self) -> String {
        chain(self)
    }
}

impl From<DeviceFailure> for RunError {
    fn from(failure: DeviceFailure) -> Self {
        Self::Device(failure)
    }
}

/// An error with its causes, on one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}

#[expect(clippy::ref_option, reason = "a field of an error")]
fn of(data: &Option<String>) -> String {
    data.as_ref().map_or_else(String::new, |data| format!(" of `{data}`"))
}

fn infeasible(file: &str, agents: &[String], bound: f64) -> String {
    let names: Vec<String> = agents.iter().map(|name| format!("`{name}`")).collect();
    let (who, what) = match names.as_slice() {
        [one] => (format!("agent {one} cannot have a positive utility"), "its utility"),
        _ => (
            format!("agents {} cannot all have a positive utility", names.join(", ")),
            "a weighted mean of their utilities",
        ),
    };
    format!(
        "`{file}`: {who} under these ceilings: whatever the predictor, {what} is at most {bound:.6}"
    )
}
