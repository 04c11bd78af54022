//! What agents type that take part by mail.

use std::path::PathBuf;

use clap::Args;
use corefed_core::Family;

use super::terms::{EncodingArgs, family};

/// Tell what a common encoding depends on, and nothing of your rows: the first file of a federation by mail.
///
/// Per column: how many numbers there are, with their mean, squares and range, or which texts occur. With
/// `--model linear` also sums of products of columns, from which everything else follows: nothing is asked
/// after that. docs/rows-stay.md tells the whole way, docs/privacy.md what leaves your house.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed keys new north.key
  corefed summarise --data my-rows.csv --agent north --target disease --model logistic --key north.key

Exit codes: 0 written, 2 error.")]
pub(crate) struct SummariseArgs {
    /// Your own rows, CSV or Parquet; a column of agents is not needed.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// Who you are.
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: String,
    /// Column of agents, where your file has one; it is not a feature.
    #[arg(long, value_name = "COLUMN", default_value = "agent")]
    pub(crate) agent_column: String,
    /// Column to predict.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: String,
    /// Model to fit.
    #[arg(long, value_parser = family())]
    pub(crate) model: Family,
    /// Your key: its public half goes into the terms, and you sign answers with it.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    /// Write to this file [default: NAME.summary.json].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}

/// Answer a round of questions from your own rows, which stay here.
///
/// What is told: losses, and where asked gradients and Hessians of your mean loss, at the points of the
/// questions. How many numbers you have told is kept beside your rows (`FILE.account.json`); with `--budget` you
/// refuse beyond that many numbers per cell that you own, and the audit ends with an interval.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed answer questions-01.json --data my-rows.csv --key north.key
  corefed answer questions-02.json --data my-rows.csv --key north.key --budget 0.5

Exit codes: 0 answered, 2 error, 3 refused: the file says so.")]
pub(crate) struct AnswerArgs {
    /// The questions that were sent to you.
    #[arg(value_name = "QUESTIONS")]
    pub(crate) questions: PathBuf,
    /// Your own rows, CSV or Parquet.
    #[arg(long, value_name = "FILE")]
    pub(crate) data: PathBuf,
    /// Your key [without one, answers are not signed, and `--agent` says who you are].
    #[arg(long, value_name = "KEY", required_unless_present = "agent")]
    pub(crate) key: Option<PathBuf>,
    /// Who you are in the terms [default: whose key it is].
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Answer at most this many numbers per cell that you own, over all sessions.
    #[arg(long, value_name = "X")]
    pub(crate) budget: Option<f64>,
    /// Where you remember what you have told [default: FILE.account.json beside your rows].
    #[arg(long, value_name = "FILE")]
    pub(crate) account: Option<PathBuf>,
    /// Write to this file [default: answers-ROUND-NAME.json].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
