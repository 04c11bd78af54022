//! What a user types. Nothing here reads a file or resolves a default that depends on data.

mod attest;
mod audit;
mod ceiling;
mod choose;
mod data;
mod mail;
mod predict;
mod report;
mod reproduce;
mod shared;
mod solve;
mod stay;
mod terms;
mod train;

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use self::attest::{AttestArgs, KeysCommand};
pub(crate) use self::audit::AuditArgs;
pub(crate) use self::ceiling::CeilingArgs;
pub(crate) use self::choose::ChooseArgs;
pub(crate) use self::data::{
    DataCommand, ExportDataArgs, FetchArgs, InspectArgs, ListArgs, PartitionArgs,
};
pub(crate) use self::mail::{AnswerArgs, SummariseArgs};
pub(crate) use self::predict::PredictArgs;
pub(crate) use self::report::{ReportArgs, WatchArgs};
pub(crate) use self::reproduce::ReproduceArgs;
pub(crate) use self::shared::{SavedArgs, SpecArgs};
pub(crate) use self::solve::SolveArgs;
pub(crate) use self::stay::StayArgs;
pub(crate) use self::terms::{AuditLimits, EncodingArgs, TableArgs};
pub(crate) use self::train::{CompareArgs, ExportArgs, RunArgs, SweepArgs};

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
    Summarise(SummariseArgs),
    Answer(AnswerArgs),
    Attest(AttestArgs),
    #[cfg(feature = "node")]
    Node(corefed_node::Settings),
    /// Serve one agent's rows to a Flower SuperLink; left out of this build.
    #[cfg(not(feature = "node"))]
    Node {
        #[arg(hide = true, allow_hyphen_values = true, trailing_var_arg = true)]
        settings: Vec<String>,
    },
    /// Keys to sign answers with, where rows stay at the agents.
    #[command(subcommand)]
    Keys(KeysCommand),
    Predict(PredictArgs),
    /// Known data sets, users' tables, and every way to split them among agents.
    #[command(subcommand)]
    Data(DataCommand),
    /// Print the JSON Schema of a document or of specs; without a name, list them (docs/versions.md).
    Schema {
        /// Which.
        #[arg(value_parser = PossibleValuesParser::new(corefed_schemas::SCHEMAS.map(|(name, _)| name)))]
        name: Option<String>,
    },
    /// Print a script that completes `corefed` in a shell.
    Completions {
        /// For which shell.
        shell: Shell,
    },
    /// Write manual pages, one per command, into a folder.
    Man {
        /// The folder.
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}

const EXIT_CODES: &str = "Exit codes: 0 stable or done, 1 blocked or improvable, 2 error, 3 undecided, 130 stopped by Ctrl-C.";

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
