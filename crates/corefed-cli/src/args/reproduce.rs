//! Arguments of `reproduce`.

use std::path::PathBuf;

use clap::Args;
use corefed_core::Choice;
use corefed_reproduce::{Request, Table};
use corefed_spec::Device;

use super::shared::{JobsArgs, Setting, Tuned, choice, setting, tuned};

/// Rebuild the paper's tables, with what is proven, estimated and only searched beside every number.
///
/// Trains FedAvg, CoreFed (as printed, at FedAvg's step length, with dynamic steps), AFL and q-FFL, and
/// coalitions on their own as rivals, under the printed ceiling and two others. Data are read from the data
/// folder (`corefed data fetch`). Settings are those of the presets `table1-adult` to `table4`. Stopped by
/// Ctrl-C or worse, the same command resumes where it stopped.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed reproduce all --quick --out quick     # minutes on two cores: a part of the data, few rounds
  corefed reproduce adult                       # one row of table 1, convex, audited exactly
  corefed reproduce table1 --seeds 5 --device cuda
  corefed reproduce table4 --device cuda --tf32 --rounds 20 --jobs 4
  corefed reproduce cifar10 --tuned --device cuda   # every rule with the best of three rates

Exit codes: 0 done, 2 error, 130 stopped by Ctrl-C.")]
pub(crate) struct ReproduceArgs {
    /// Which table, or which row of table 1.
    #[arg(value_parser = choice::<Table>())]
    table: Table,
    /// Train from seeds 1 to N [default: 5, or 1 with --quick].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    seeds: Option<u64>,
    /// Where networks are trained.
    #[arg(long, value_parser = choice::<Device>(), default_value = "cpu")]
    device: Device,
    /// Let a GPU round factors of matrix products to 10 bits; faster, and recorded. Needs `--device cuda`.
    #[arg(long)]
    tf32: bool,
    /// Let a GPU keep and multiply numbers between layers with 7 bits, which take half the memory; recorded.
    /// Needs `--device cuda`.
    #[arg(long, conflicts_with = "tf32")]
    bf16: bool,
    #[command(flatten)]
    jobs: JobsArgs,
    /// A first look: one seed, a tenth of the images, ten rounds of two epochs, the small network
    /// throughout.
    #[arg(long)]
    quick: bool,
    /// Rounds of every training [default: as in the presets, or 10 with --quick].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    rounds: Option<u64>,
    /// Gains up to X do not count in a verdict (`tolerance` of the specs).
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    tolerance: Option<f64>,
    /// Folder of downloaded sets [default: `COREFED_DATA`, else the user's cache].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
    /// Folder to write, or to resume in.
    #[arg(long, value_name = "DIR", default_value = "runs/reproduce")]
    out: PathBuf,
    /// Set any other key of the specs; repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    set: Vec<Setting>,
    #[command(flatten)]
    tuning: TuningArgs,
}

impl ReproduceArgs {
    /// As the library asks for it.
    pub(crate) fn request(&self) -> Request {
        Request {
            table: self.table,
            seeds: self.seeds.unwrap_or(if self.quick { 1 } else { 5 }),
            device: self.device.word().to_owned(),
            precision: match (self.tf32, self.bf16) {
                (true, _) => Some("tf32".to_owned()),
                (_, true) => Some("bf16".to_owned()),
                _ => None,
            },
            jobs: self.jobs.at_once(),
            quick: self.quick,
            rounds: self.rounds,
            tolerance: self.tolerance,
            data_dir: self.data_dir.clone(),
            out: self.out.clone(),
            set: self.set.clone(),
            tuned: self.tuning.request(),
        }
    }
}

/// Whether rules are compared with the best of several settings, and which.
#[derive(Debug, Args)]
struct TuningArgs {
    /// Instead of the paper's tables, compare rules with the best of several settings: rates of a third, once and three times
    /// the preset's, chosen on a tenth of every agent's rows. Written to `NAME-tuned`.
    #[arg(long)]
    tuned: bool,
    /// The same with these values of a key of `[train]`, or of a rule's knob; repeatable.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = tuned)]
    tune: Vec<Tuned>,
    /// Try at most N settings of a rule, drawn at random where there are more [default: 3, or 12 with --tune].
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
}

impl TuningArgs {
    fn request(&self) -> Option<corefed_reproduce::Tuned> {
        let asked = self.tuned || !self.tune.is_empty() || self.budget.is_some();
        asked.then(|| corefed_reproduce::Tuned { grid: self.tune.clone(), budget: self.budget })
    }
}
