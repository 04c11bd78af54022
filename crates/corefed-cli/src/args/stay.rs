//! Arguments of `stay`.

use std::path::PathBuf;

use clap::Args;
use corefed_run::HoldOut;
use corefed_solve::Rule;

use super::shared::{Setting, choice, setting};
use super::terms::{EncodingArgs, TableArgs, TermsArgs};

/// Is the shared model worth staying for, on rows that nobody trained on?
///
/// Holds out rows of every agent, trains a model for every group of agents by the same rule and settings, and
/// measures all of them on everybody's held-out rows. Says who would leave and with whom, what each agent has
/// alone and in its best group, what each brings, who should train with whom, and what fairness costs.
///
/// Takes a preset, a spec file (one with `[train]` is trained by rounds), the folder of a run, whose report then
/// shows the answer, or a table with `--agent`, `--target` and `--model`. Without arguments it asks the embedded hospitals.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed stay                                         # the embedded hospitals
  corefed stay heart.csv --agent hospital --target disease --model logistic --out answer
  corefed stay heart.csv --agent hospital --target disease --model logistic --split group:patient
  corefed stay visits.csv --agent clinic --target days --model linear --split time:admitted
  corefed stay my-consortium.toml --without north --with south --repeats 20
  corefed stay runs/hospitals                          # of a run: its report shows the answer
  corefed stay --json | jq .verdict

Exit codes: 0 nobody would leave, 1 somebody would, 2 error, 3 the rows cannot say, 130 stopped by Ctrl-C.")]
pub(crate) struct StayArgs {
    /// A preset, a spec file ending in `.toml`, the folder of a run, or a table.
    #[arg(default_value = "hospitals", value_name = "PRESET|SPEC.toml|RUN|TABLE.csv")]
    pub(crate) what: String,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Which optimum every group takes [default: core]; a spec with `[train]` has its own rule.
    #[arg(long, value_parser = choice::<Rule>())]
    pub(crate) rule: Option<Rule>,
    /// Share of every agent's rows that nobody trains on [default: `held_out` of the spec, else 0.3].
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) held_out: Option<f64>,
    /// Which rows these are: `rows` at random, `group:COLUMN` (all rows of a patient on one side) or
    /// `time:COLUMN` (the latest of every agent). The column is not a feature unless `--column` gives its type.
    #[arg(long, value_name = "HOW", default_value_t)]
    pub(crate) split: HoldOut,
    /// Average over this many splits; verdict and intervals are those of the first.
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) repeats: u32,
    /// How sure intervals and verdicts are.
    #[arg(long, value_name = "LEVEL", default_value_t = 0.9, allow_negative_numbers = true)]
    pub(crate) level: f64,
    /// Gains by leaving up to this part of a loss still count as staying.
    #[arg(long, value_name = "PART", default_value_t = corefed_run::MARGIN, allow_negative_numbers = true)]
    pub(crate) margin: f64,
    /// Say nothing about agents with fewer independent held-out rows.
    #[arg(long, value_name = "ROWS", default_value_t = corefed_run::SUPPORT)]
    pub(crate) support: usize,
    /// Train every group; at most 12 agents.
    #[arg(long, conflicts_with = "coalitions")]
    pub(crate) all: bool,
    /// Beyond 12 agents, train at least N more groups, drawn at random, and estimate contributions from them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) coalitions: Option<u32>,
    /// Seconds after which there is no answer [default: none].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    /// What if these agents left? For those who stay, and for them; repeatable.
    #[arg(long, value_name = "AGENT,...")]
    pub(crate) without: Vec<String>,
    /// What did these agents bring as new partners? repeatable.
    #[arg(long, value_name = "AGENT,...")]
    pub(crate) with: Vec<String>,
    /// What if the others expelled these agents? repeatable.
    #[arg(long, value_name = "AGENT,...")]
    pub(crate) expel: Vec<String>,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    /// Seed of everything that is drawn.
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// Set any key of the spec; repeatable.
    #[arg(long, value_name = "KEY=VALUE", value_parser = setting)]
    pub(crate) set: Vec<Setting>,
    /// Folder of downloaded sets [default: `COREFED_DATA`, else the user's cache].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Folder to write `stay.json`, `stay.md` and `stay.csv` to; it must not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
