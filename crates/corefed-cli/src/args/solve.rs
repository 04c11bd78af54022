//! Arguments of `solve`.

use std::path::PathBuf;

use clap::Args;
use corefed_solve::Rule;

use super::shared::{SavedArgs, choice};
use super::terms::{AuditLimits, EncodingArgs, TableArgs, TermsArgs};

/// Find the optimum of a rule on a table of data, and audit it.
///
/// Needs `--agent`, `--target` and `--model`.
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
    #[command(flatten)]
    pub(crate) table: TableArgs,
    /// Which optimum.
    #[arg(long, value_parser = choice::<Rule>(), default_value = "core")]
    pub(crate) rule: Rule,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    #[command(flatten)]
    pub(crate) audit: AuditLimits,
    #[command(flatten)]
    pub(crate) saved: SavedArgs,
    /// Say on standard error how many seconds reading, solving and auditing took.
    #[arg(long)]
    pub(crate) timing: bool,
}
