//! What is wrong with data, owners or model.

use std::path::PathBuf;

use corefed_core::Family;
use corefed_data::DataError;
use thiserror::Error;

use super::chain;

/// Why data and model do not make a federation.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PrepareError {
    /// A table of which not every column can be looked at.
    #[error("`{data}` has {columns} columns; at most {most} are looked at one by one")]
    ManyColumns {
        /// The file.
        data: String,
        /// How many it has.
        columns: usize,
        /// How many there may be.
        most: usize,
    },
    /// The spec names no owners.
    #[error("who owns the rows?")]
    NoOwners,
    /// A folder is not that of a run.
    #[error("`{}` has no `spec.toml`", folder.display())]
    NoSpec {
        /// The folder.
        folder: PathBuf,
    },
    /// A column must be named.
    #[error("which column says {what}?")]
    WhichColumn {
        /// What it says.
        what: &'static str,
        /// The setting that names it.
        setting: &'static str,
        /// The table.
        file: PathBuf,
        /// Its columns.
        columns: Vec<String>,
    },
    /// The spec, or the caller, names no target.
    #[error("which column{} is the target?", of(data))]
    NoTarget {
        /// The data, where a caller asked for their labels.
        data: Option<String>,
    },
    /// A device was asked for, for a model that is not a network.
    #[error("`@device` has no effect on `{model}`, which is not a network")]
    IdleDevice {
        /// The model.
        model: String,
    },
    /// A time limit was asked for, for images.
    #[error("`@time-limit` has no effect on images, whose audit does not search")]
    IdleTimeLimit,
    /// Images were to be written as a table.
    #[error("`{name}` holds images, which no table can")]
    ImagesInTable {
        /// The set.
        name: String,
    },
    /// Nobody said who owns the rows of a set.
    #[error("who owns the rows?")]
    WhoseRows,
    /// Nobody said what to fit.
    #[error("which model is fitted?")]
    WhichModel,
    /// A test part was asked of a set that was published in one piece.
    #[error("`{name}` has no test part of its own")]
    NoTestPart {
        /// The set.
        name: String,
    },
    /// Told how a file is written, of a set that is none of the user's.
    #[error("`{name}` is a known set: how it is written is known, too")]
    NoWriting {
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
    #[error("`{}`: {}", path.display(), chain(&**error))]
    PartitionFile {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        error: Box<DataError>,
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
    /// No agent can spare a row.
    #[error("no agent has rows to hold out by column `{column}`")]
    NothingHeldOut {
        /// The column of groups or times.
        column: String,
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
}

impl PrepareError {
    /// What to do about it, where that is known.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::PartitionFile { error, .. } => return error.hint(),
            Self::ManyColumns { .. } => "keep the columns that matter in a file of their own",
            Self::LargeBatch { most, .. } => {
                return Some(format!("set `train.local.batch` to at most {most}"));
            }
            Self::WhichColumn { setting, file, columns, .. } => {
                let (file, columns) = (file.display(), columns.join("`, `"));
                return Some(format!("name it with `@{setting}`; {file} has `{columns}`"));
            }
            Self::WhichModel => {
                let names: Vec<&str> = Family::ALL.iter().map(|family| family.name()).collect();
                return Some(format!("name it with `@model`: `{}`", names.join("`, `")));
            }
            Self::NoSpec { .. } => "give the folder of a run, a spec, a table or a preset",
            Self::NoOwners => {
                "name the column with `agent = \"...\"`, or divide them with `[partition]`"
            }
            Self::NoTarget { data: None } => "name it with `target = \"...\"`",
            Self::NoTarget { data: Some(_) } => "name it with `@target COLUMN`",
            Self::IdleDevice { .. } | Self::IdleTimeLimit => "drop it",
            Self::WhoseRows => {
                "give `@agent COLUMN`, or a file of `@corefed data partition` with `@partition`"
            }
            Self::NoTestPart { .. } => {
                "in a spec, hold rows out with `held_out = 0.2` instead of `test = true`"
            }
            Self::NoWriting { .. } => "drop `separator` and `decimal`; they go with files of text",
            Self::NoColumns => "give a `@partition` file",
            Self::NotClasses { .. } => {
                "partition by rows (`iid` or `quantity-skew`), or name another target"
            }
            Self::NothingHeldOut { .. } => {
                "an agent needs at least two groups, or two moments, so that some train and some measure"
            }
            Self::OwnerColumn { .. } => "rename it, or name the owners with `@agent agent`",
            Self::TableForNetwork { .. } => "use a model of tables, such as `linear` or `logistic`",
            Self::ImagesForModel { .. } => {
                "use `model = \"softmax\"`, or a network such as `model = \"cnn\"`"
            }
            Self::ImagesForSolver { .. } => "add `[train]` to train by rounds",
            Self::CorruptPixels => "remove it, or use a network such as `model = \"cnn\"`",
            Self::NetworkRidge => "use `train.local.weight_decay` instead",
            Self::ImagesInTable { .. }
            | Self::PartitionIsFile
            | Self::TestNotTable { .. }
            | Self::LargeImages { .. } => {
                return None;
            }
        };
        Some(hint.to_owned())
    }
}

#[expect(clippy::ref_option, reason = "a field of an error")]
fn of(data: &Option<String>) -> String {
    data.as_ref().map_or_else(String::new, |data| format!(" of `{data}`"))
}
