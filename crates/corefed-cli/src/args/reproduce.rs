//! Arguments of `reproduce`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::train::{Setting, setting};

/// Rebuild the paper's tables, with what is proven, estimated and only searched beside every number.
///
/// Trains FedAvg, CoreFed (as printed, at FedAvg's step length, with dynamic steps), AFL and q-FFL, and
/// coalitions on their own as rivals, under the printed ceiling and two others. Data are read from the data
/// folder (`corefed data fetch`). Settings are those of the presets `table1-adult` to `table4`. Stopped by
/// Ctrl-C or worse, the same command goes on where it was.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed reproduce all --quick --out quick     # minutes on two cores: a part of the data, few rounds
  corefed reproduce adult                       # one row of table 1, convex, audited exactly
  corefed reproduce table1 --seeds 5 --device cuda
  corefed reproduce table4 --device cuda --tf32 --rounds 20 --jobs 4

Exit codes: 0 done, 2 error, 130 stopped by Ctrl-C.")]
pub(crate) struct ReproduceArgs {
    /// Which table, or which row of table 1.
    #[arg(value_enum)]
    pub(crate) table: TableArg,
    /// Train from seeds 1 to N [default: 5, or 1 with --quick].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    /// Where networks are trained.
    #[arg(long, value_enum, default_value = "cpu")]
    pub(crate) device: DeviceArg,
    /// Let a GPU round factors of matrix products to 10 bits; faster, and recorded.
    #[arg(long)]
    pub(crate) tf32: bool,
    /// Let a GPU keep and multiply numbers between layers with 7 bits, which take half the memory; recorded.
    #[arg(long, conflicts_with = "tf32")]
    pub(crate) bf16: bool,
    /// Run this many trainings at a time; results do not depend on it [default: one per thread, or 8 on
    /// a GPU, which needs memory for all of them].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    jobs: Option<u16>,
    /// A first look: one seed, a tenth of the images, ten rounds of two epochs, the small network
    /// throughout.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Rounds of every training [default: as in the presets, or 10 with --quick].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    pub(crate) rounds: Option<u64>,
    /// Gains up to X do not count in a verdict (`tolerance` of the specs).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Folder to write, or to resume in.
    #[arg(long, value_name = "DIR", default_value = "runs/reproduce")]
    pub(crate) out: PathBuf,
    /// Set any other key of the specs; repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) set: Vec<Setting>,
}

impl ReproduceArgs {
    /// How many trainings at a time, if the user said so.
    pub(crate) fn jobs(&self) -> Option<usize> {
        self.jobs.map(usize::from)
    }

    /// How many seeds.
    pub(crate) fn seeds(&self) -> u64 {
        self.seeds.unwrap_or(if self.quick { 1 } else { 5 })
    }
}

/// What to reproduce.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TableArg {
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

/// `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceArg {
    /// All cores of the machine.
    Cpu,
    /// Its first NVIDIA GPU.
    Cuda,
}

impl DeviceArg {
    /// As a spec spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}
