//! What to reproduce, and how much of it.

use std::path::PathBuf;

use corefed_core::Choice;

use crate::ReproduceError;

/// A request for tables.
#[derive(Clone, Debug)]
pub struct Request {
    /// Which table, or which row of table 1.
    pub table: Table,
    /// Train from seeds 1 to this.
    pub seeds: u64,
    /// Where networks are trained: `cpu` or `cuda`.
    pub device: String,
    /// How a GPU multiplies: `tf32` or `bf16`; single precision unless told.
    pub precision: Option<String>,
    /// Trainings at a time, where the caller says so.
    pub jobs: Option<usize>,
    /// A tenth of the images, ten rounds of two epochs, the small network throughout.
    pub quick: bool,
    /// Rounds of every training, instead of the presets'.
    pub rounds: Option<u64>,
    /// Gains up to this do not count in a verdict.
    pub tolerance: Option<f64>,
    /// Folder of downloaded sets; `COREFED_DATA`, else the user's cache, unless told.
    pub data_dir: Option<PathBuf>,
    /// Folder to write, or to resume in.
    pub out: PathBuf,
    /// Other keys of the specs and their values.
    pub set: Vec<(String, String)>,
    /// Compare rules with the best of several settings, instead of rebuilding the paper's tables.
    pub tuned: Option<Tuned>,
}

/// Which settings to try.
#[derive(Clone, Debug, Default)]
pub struct Tuned {
    /// Keys with their values; none: those of the experiment.
    pub grid: Vec<(String, Vec<String>)>,
    /// At most this many settings per rule.
    pub budget: Option<u64>,
}

impl Request {
    /// Whether its parts fit together. Rows without a network would not notice.
    pub(crate) fn check(&self) -> Result<(), ReproduceError> {
        if self.table == Table::Adult && self.device != "cpu" {
            return Err(ReproduceError::NoNetwork { device: self.device.clone() });
        }
        match &self.precision {
            Some(precision) if self.device != "cuda" && precision != "fp32" => {
                let (precision, device) = (precision.clone(), self.device.clone());
                Err(ReproduceError::Precision { precision, device })
            }
            _ => Ok(()),
        }
    }
}

/// The paper's tables, and rows of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// Everything.
    All,
    /// Adult, MNIST and CIFAR-10.
    Table1,
    /// VGG-11.
    Table2,
    /// VGG-11, noise on two agents.
    Table3,
    /// VGG-11, ten agents.
    Table4,
    /// The first row of table 1.
    Adult,
    /// The second row of table 1.
    Mnist,
    /// The third row of table 1.
    Cifar10,
}

impl Choice for Table {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::All, "all", "Everything"),
        (Self::Table1, "table1", "Adult, MNIST and CIFAR-10"),
        (Self::Table2, "table2", "VGG-11"),
        (Self::Table3, "table3", "VGG-11, noise on two agents"),
        (Self::Table4, "table4", "VGG-11, ten agents"),
        (Self::Adult, "adult", "The first row of table 1"),
        (Self::Mnist, "mnist", "The second row of table 1"),
        (Self::Cifar10, "cifar10", "The third row of table 1"),
    ];
}
