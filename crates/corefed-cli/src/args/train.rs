//! Arguments of `run`, `compare` and `sweep`.

use std::path::PathBuf;

use clap::Args;
use corefed_log::RecordTable;
use corefed_spec::{Ceiling, Device};

use super::shared::{SeveralArgs, SpecArgs, Tuned, choice, tuned};

/// Run a spec: solve it exactly under three rules, or train it by rounds, and audit what comes out.
///
/// Without arguments it generates five hospitals: three alike, one with noisy labels, one small and
/// different, and solves them. A spec with `[train]` is trained by rounds instead (docs/spec.md lists
/// every key). Either way a run folder is written. The exit code is the verdict on the core
/// predictor, or on the trained model.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed run                                # the embedded hospitals, solved exactly
  corefed run --ceiling 0.75                 # a ceiling where the core predictor itself is blocked
  corefed run hospitals-rounds               # the same hospitals, trained by rounds
  corefed run mnist --set train.rule=fedavg --set train.rounds=20
  corefed run my-consortium.toml --out runs/march
  corefed run --resume runs/march            # after Ctrl-C, a crash or a reboot
  corefed run mnist --data-dir /srv/data     # sets that lie elsewhere
  corefed run mnist --json | jq 'select(.event == \"round\") | [.round, .log_welfare]'

Exit codes: 0 stable, 1 blocked or improvable, 2 error, 3 undecided, 130 stopped by Ctrl-C.")]
pub(crate) struct RunArgs {
    /// A preset (`hospitals`, `hospitals-rounds`, `adult`, `mnist`, `table1-cifar10`, ...) or a spec file ending in `.toml`.
    #[arg(default_value = "hospitals", value_name = "PRESET|SPEC.toml")]
    pub(crate) what: String,
    /// Folder to write; it must not exist. Default: the next free `runs/NAME`.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Continue the training in this folder from its newest checkpoint.
    #[arg(
        long,
        value_name = "DIR",
        conflicts_with_all = ["what", "out", "device", "seed", "ceiling", "radius", "tolerance", "time_limit", "set"]
    )]
    pub(crate) resume: Option<PathBuf>,
    /// With `--resume`: continue although `spec.toml` was changed. The run then says so wherever it is told.
    #[arg(long, requires = "resume")]
    pub(crate) changed_spec: bool,
    /// Where a network is trained (`network.device`). Several trainings on one GPU belong into one process:
    /// `corefed compare` runs them side by side.
    #[arg(long, value_parser = choice::<Device>())]
    pub(crate) device: Option<Device>,
    /// Seed of everything that is drawn.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Loss at which an agent gets nothing (see `corefed solve --help`).
    #[arg(long, value_name = "CEILING", allow_negative_numbers = true)]
    pub(crate) ceiling: Option<Ceiling>,
    /// Radius of the ball of parameters.
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) radius: Option<f64>,
    /// Seconds an audit may search before it answers with an interval.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    #[command(flatten)]
    pub(crate) spec: SpecArgs,
    /// Show the training live in the browser while it runs (see `corefed watch`).
    #[arg(long)]
    pub(crate) watch: bool,
    /// Print JSON: the summary of an exact run, or one event per line while training.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Train several rules over several seeds, and print the paper's table.
///
/// For every rule: each agent's utility, their average and product, the sum of ratios against CoreFed,
/// kappa and the verdict. Models of other rules from the same seed count as rivals. Beside them what rules are worth
/// on held-out rows, and differences from FedAvg over seeds, with intervals.
///
/// With `--tune`, or `[compare.tune]` in the spec, every rule is trained with several settings, and the best by
/// log-welfare on `validation` rows is compared.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed compare hospitals-rounds --rules fedavg,corefed,qffl,afl,term,fedmgda,propfair --seeds 3
  corefed compare adult --seeds 5 --format latex > table.tex
  corefed compare my.toml                     # rules and seeds from its [compare]
  corefed compare adult --seeds 5 --set validation=0.1 --set held_out=0.2 --tune train.local.learning_rate=0.003,0.01,0.03

Exit codes: 0 done, 2 error, 130 stopped by Ctrl-C.")]
pub(crate) struct CompareArgs {
    /// A preset or a spec with `[train]`.
    #[arg(value_name = "PRESET|SPEC.toml")]
    pub(crate) what: String,
    /// Rules to train [default: as in `[compare]`, else fedavg,corefed,qffl,afl].
    #[arg(long, value_delimiter = ',', value_name = "RULE,...")]
    pub(crate) rules: Vec<String>,
    /// Train from seeds 1 to N [default: as in `[compare]`, else the spec's own seed].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub(crate) seeds: Option<u64>,
    /// Label of the rule that others are compared with [default: as in `[compare]`, else the first FedAvg].
    #[arg(long, value_name = "LABEL")]
    pub(crate) base: Option<String>,
    /// Try these values of a key of `[train]`, or of a rule's knob; repeatable: all combinations are settings.
    #[arg(long, value_name = "KEY=VALUE,...", value_parser = tuned)]
    pub(crate) tune: Vec<Tuned>,
    /// Try at most N settings of a rule, drawn at random where there are more [default: as in `[compare.tune]`, else 12].
    #[arg(long, value_name = "N")]
    pub(crate) budget: Option<u64>,
    #[command(flatten)]
    pub(crate) several: SeveralArgs,
}

/// Run a spec once for each of several values of one of its keys.
///
/// A spec without `[train]` is solved exactly under the core rule; one with `[train]` is trained.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed sweep hospitals --field ceiling --values 0.7,0.75,0.8,1,1.5,3
  corefed sweep hospitals-rounds --field train.local.learning_rate --values 0.1,0.3,1
  corefed sweep adult --field partition.alpha --values 0.1,0.5,5 --format markdown

Exit codes: 0 done, 2 error, 130 stopped by Ctrl-C.")]
pub(crate) struct SweepArgs {
    /// A preset or a spec.
    #[arg(value_name = "PRESET|SPEC.toml")]
    pub(crate) what: String,
    /// The key to change, by its dotted path; `ceiling` is M.
    #[arg(long, value_name = "KEY", default_value = "ceiling")]
    pub(crate) field: String,
    /// Its values.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "VALUE,...",
        required = true,
        allow_negative_numbers = true
    )]
    pub(crate) values: Vec<String>,
    #[command(flatten)]
    pub(crate) several: SeveralArgs,
}

/// Write the records of a run as one table, CSV or Parquet.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed export runs/mnist --out rounds.csv
  corefed export runs/mnist --table agents --out agents.parquet

Works while the run is in progress. Exit codes: 0 done, 2 error.")]
pub(crate) struct ExportArgs {
    /// The run folder.
    #[arg(value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// Which records.
    #[arg(long, value_parser = choice::<RecordTable>(), default_value = "rounds")]
    pub(crate) table: RecordTable,
    /// File to write, ending in `.csv` or `.parquet`.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,
}
