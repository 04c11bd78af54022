//! What a user types. Nothing here reads a file or resolves a default that depends on data.

mod attest;
mod audit;
mod ceiling;
mod choose;
mod data;
mod predict;
mod report;
mod reproduce;
mod shared;
mod stay;
mod train;

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use corefed_core::Family;
use corefed_data::{Check, ColumnType, EncodeOptions, Missing};
use corefed_solve::Rule;
use corefed_spec::{Ceiling, WeightsBy};

pub(crate) use self::attest::{AttestArgs, KeysCommand};
pub(crate) use self::audit::AuditArgs;
pub(crate) use self::ceiling::CeilingArgs;
pub(crate) use self::choose::ChooseArgs;
pub(crate) use self::data::{
    DataCommand, ExportDataArgs, FetchArgs, InspectArgs, ListArgs, MethodArg, PartitionArgs,
};
pub(crate) use self::predict::PredictArgs;
pub(crate) use self::report::{ReportArgs, WatchArgs};
pub(crate) use self::reproduce::ReproduceArgs;
pub(crate) use self::shared::Setting;
pub(crate) use self::stay::StayArgs;
pub(crate) use self::train::{CompareArgs, ExportArgs, RecordTable, RunArgs, SweepArgs};

/// Federated learning with a proof that no group can do better by more than its share allows.
#[derive(Debug, Parser)]
#[command(name = "corefed", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Use this many threads; results do not depend on it.
    #[arg(long, global = true, value_name = "N")]
    pub(crate) threads: Option<usize>,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(RunArgs),
    Stay(StayArgs),
    Compare(CompareArgs),
    Sweep(SweepArgs),
    Reproduce(ReproduceArgs),
    Export(ExportArgs),
    Solve(SolveArgs),
    Ceiling(CeilingArgs),
    Audit(AuditArgs),
    Choose(ChooseArgs),
    Report(ReportArgs),
    Watch(WatchArgs),
    Verify(VerifyArgs),
    Attest(AttestArgs),
    /// Keys to sign answers with, where rows stay at the agents.
    #[command(subcommand)]
    Keys(KeysCommand),
    Predict(PredictArgs),
    /// Known data sets, users' tables, and every way to split them among agents.
    #[command(subcommand)]
    Data(DataCommand),
}

const EXIT_CODES: &str = "Exit codes: 0 stable or done, 1 blocked or improvable, 2 error, 3 undecided, 130 stopped by Ctrl-C.";

/// Find the optimum of a rule on a table of data, and audit it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed solve heart.csv --agent hospital --target disease --model logistic
  corefed solve heart.csv --agent hospital --target disease --model logistic \\
      --ceiling worst --radius 2 --certificate heart.certificate.json
  corefed solve prices.csv --agent bank --target price --model linear --ceiling ceilings.csv \\
      --weights samples --rule egalitarian --json > egalitarian.json

Exit codes: 0 stable, 1 blocked or improvable, 2 error, 3 undecided, each up to the tolerance.")]
pub(crate) struct SolveArgs {
    /// The table, CSV with a header or Parquet: one row per sample.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Column that names the owner of a row (required).
    #[arg(long, value_name = "COLUMN")]
    pub(crate) agent: Option<String>,
    /// Column to predict (required).
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Model to fit.
    #[arg(long, value_parser = family())]
    pub(crate) model: Family,
    /// Which optimum.
    #[arg(long, value_enum, default_value = "core")]
    pub(crate) rule: RuleArg,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    #[command(flatten)]
    pub(crate) audit: AuditLimits,
    /// Write the certificate to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Write the answer as a page to this file.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Print JSON; `corefed audit --predictor` reads it back.
    #[arg(long)]
    pub(crate) json: bool,
    /// Say on standard error how many seconds reading, solving and auditing took.
    #[arg(long)]
    pub(crate) timing: bool,
}

/// Check a certificate with code that shares with the solver only how documents and data are read.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed verify runs/hospitals/core.certificate.json --data runs/hospitals/federation.csv
  corefed verify core.certificate.json      # consistency only: says what was not checked
  corefed verify attested.certificate.json  # where rows stay at the agents: who signed, and what follows
  corefed verify attested.certificate.json --data my-rows.csv --agent north

Exit codes: 0 the certificate holds, 2 refused (with the reason) or error.")]
pub(crate) struct VerifyArgs {
    /// The certificate.
    #[arg(value_name = "CERTIFICATE")]
    pub(crate) certificate: PathBuf,
    /// The data it speaks of; of several files, the one with the right digest is used. Where rows stay at the
    /// agents, one agent's own rows, on which its answers are checked.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub(crate) data: Vec<PathBuf>,
    /// Whose rows these are, where agents keep their rows and the file does not say so.
    #[arg(long, value_name = "NAME", requires = "data")]
    pub(crate) agent: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How rows become numbers.
#[derive(Clone, Debug, Args)]
pub(crate) struct EncodingArgs {
    /// Column that says for how long, or how many, a row was observed; for models of counts.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) exposure: Option<String>,
    /// Take numbers as they are: no standardisation, no text columns.
    #[arg(long)]
    pub(crate) raw: bool,
    /// Fit no intercept.
    #[arg(long)]
    pub(crate) no_intercept: bool,
    /// Add (X/2)|parameters|^2 to every agent's loss, intercept included.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) l2: Option<f64>,
    /// Accept data that look like a mistake.
    #[arg(long, value_name = "CHECK", value_delimiter = ',')]
    pub(crate) allow: Vec<Check>,
    /// What a missing cell (empty, `?`, `NA`, `NaN`, `null`, `.`, `-`) means: `error`; `category`, a level of a
    /// text column but an error among numbers; `mean`, which also fills in numbers; `drop`, which leaves out
    /// its row; or `auto`, as `mean`, and rows without target are left out [default: auto].
    #[arg(long, value_name = "POLICY")]
    pub(crate) missing: Option<Missing>,
    /// A further word for a missing value, such as `-9999`; repeatable.
    #[arg(long, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) na: Vec<String>,
    /// Take a column as `number`, `text`, `ignore`, `date` (a number of days) or `parts` (of a date: days,
    /// month, weekday, hour), whatever its cells look like; repeatable.
    #[arg(long = "column", value_name = "NAME=TYPE", value_parser = typed_column)]
    pub(crate) columns: Vec<(String, ColumnType)>,
}

/// `NAME=TYPE`; a name may contain `=`.
fn typed_column(text: &str) -> Result<(String, ColumnType), String> {
    let (name, kind) = text.rsplit_once('=').ok_or_else(|| {
        format!("`{text}` has no `=`; write `NAME=number`, `text`, `ignore`, `date` or `parts`")
    })?;
    let kind = kind.parse().map_err(|error: corefed_data::UnknownChoice| error.to_string())?;
    Ok((name.to_owned(), kind))
}

impl EncodingArgs {
    /// Whether nothing is asked.
    pub(crate) fn is_empty(&self) -> bool {
        let Self { exposure, raw, no_intercept, l2, allow, missing, na, columns } = self;
        let flags = *raw || *no_intercept || missing.is_some();
        let lists = allow.is_empty() && na.is_empty() && columns.is_empty();
        !flags && exposure.is_none() && l2.is_none() && lists
    }

    /// Everything about the encoding of a table.
    pub(crate) fn options(&self, agent: &str, target: &str, family: Family) -> EncodeOptions {
        EncodeOptions {
            agent_column: agent.to_owned(),
            target_column: target.to_owned(),
            exposure_column: self.exposure.clone(),
            family,
            intercept: !self.no_intercept,
            raw: self.raw,
            l2: self.l2.unwrap_or(0.0),
            allow: self.allow.iter().copied().collect(),
            missing: self.missing.unwrap_or_default(),
            na: self.na.clone(),
            types: self.columns.clone(),
        }
    }
}

/// Weights, ceilings and the ball of parameters.
#[derive(Clone, Debug, Args)]
pub(crate) struct TermsArgs {
    /// Loss at which an agent gets nothing: a number, `initial[:F]` (F times the zero predictor's
    /// loss), `constant[:F]` (F times the agent's best constant predictor's loss),
    /// `pooled-constant[:F]` (F times its loss under the best constant for everybody together),
    /// `baseline[:F]` (F times that loss or its average over everybody, whichever is larger),
    /// `alone[:F]` (F times the loss of the model that it would fit alone), `worst` (the provable worst
    /// loss on the ball) or a CSV file with columns `agent,ceiling` [default: initial:1.5, and baseline:1.5 for
    /// linear models without `--raw`, whose losses are shares of the target's variance].
    #[arg(long, value_name = "CEILING", allow_negative_numbers = true)]
    pub(crate) ceiling: Option<Ceiling>,
    /// Radius of the ball that parameters and rivals lie in [default: 10].
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) radius: Option<f64>,
    /// Say of each agent: `equal`, `samples` or a CSV file with columns `agent,weight`
    /// [default: equal].
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<WeightsBy>,
}

/// How far an audit goes.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct AuditLimits {
    /// Gains up to X do not count: stable means at most 1 + X, for every group and for everybody at once
    /// [default: 1e-6 for an optimum, 0.01 for a model that was trained or given, 0 for a table].
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) tolerance: Option<f64>,
    /// Seconds to search before answering with an interval [default: 60].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
}

/// `--model`, by the names of the table of families.
fn family() -> impl TypedValueParser<Value = Family> {
    let possible = |family: Family| {
        let title = family.facts().title;
        let upper = title[..1].to_uppercase() + &title[1..];
        PossibleValue::new(family.name()).help(upper)
    };
    PossibleValuesParser::new(Family::ALL.map(possible)).try_map(|name| name.parse::<Family>())
}

/// `--rule`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum RuleArg {
    /// Largest product of utilities.
    Core,
    /// Largest weighted sum of utilities, as FedAvg.
    Utilitarian,
    /// Largest smallest utility, min-max.
    Egalitarian,
}

impl RuleArg {
    /// As files of a run are called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Utilitarian => "utilitarian",
            Self::Egalitarian => "egalitarian",
        }
    }
}

impl From<RuleArg> for Rule {
    fn from(rule: RuleArg) -> Self {
        match rule {
            RuleArg::Core => Self::Core,
            RuleArg::Utilitarian => Self::Utilitarian,
            RuleArg::Egalitarian => Self::Egalitarian,
        }
    }
}
