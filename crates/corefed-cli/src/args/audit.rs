//! Arguments of `audit`.

use std::path::{Path, PathBuf};

use clap::Args;
use corefed_run::{RowLoss, Units};

use super::shared::{SavedArgs, choice};
use super::terms::{AuditLimits, EncodingArgs, TableArgs, TermsArgs};

/// Is this predictor in the core? Audit a fitted predictor on data, models by their predictions, or a table of
/// utilities.
///
/// With `--predictor`, FILE is data and the predictor is audited against every other in the ball.
/// With `--predictions`, FILE is data and the models are the columns of another file, of any kind: one
/// of them is audited against the others by what each row loses.
/// With `--incumbent` alone, FILE is a table of utilities (rows are models, the first column is `model`,
/// the others are agents), or FLARE's `cross_val_results.json` with `--target METRIC`, and `--ceiling` if that is a loss,
/// and the incumbent is audited, in exact arithmetic, against the listed rivals.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed solve heart.csv --agent hospital --target disease --model logistic --json > fit.json
  corefed audit heart.csv --predictor fit.json
  corefed audit heart.csv --predictor fit.json --ceiling 0.8 --certificate audit.json
  corefed audit heart.csv --predictor mine.json --units raw --positive yes \\
      --agent hospital --target disease --model logistic
  corefed audit heart.csv --predictions scores.csv --loss log --positive yes \\
      --agent hospital --target disease --incumbent forest
  corefed audit utilities.csv --incumbent fedavg --weights weights.csv --json
  corefed audit cross_val_results.json --incumbent SRV_server --target loss --ceiling 1.04
  corefed audit --answers post --ceiling initial:1.0       # summaries are there; later without terms

A predictor file is the JSON of `corefed solve`, or just {\"parameters\": {\"age\": 0.3, ...}} together
with --agent, --target and --model, which the former brings along. The intercept is called `(intercept)`, a level of a text column
`column=level`.

Exit codes: 0 stable, 1 blocked or improvable, 2 error, 3 undecided, each up to the tolerance.")]
pub(crate) struct AuditArgs {
    /// Data (CSV or Parquet), or a table of utilities (CSV, or JSON of FLARE's cross-site evaluation).
    #[arg(value_name = "FILE", required_unless_present = "answers")]
    pub(crate) file: Option<PathBuf>,
    /// Audit a federation whose rows stay with their agents, by the files in this folder: summaries first, then
    /// answers. Says what to send to whom until there is a certificate (docs/rows-stay.md).
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "predictions", "incumbent"])]
    pub(crate) answers: Option<PathBuf>,
    /// With `--answers`, do not wait for this agent any more; repeatable.
    #[arg(long, value_name = "NAME", requires = "answers")]
    pub(crate) absent: Vec<String>,
    /// Audit this fitted predictor on the data.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["predictions", "incumbent"])]
    pub(crate) predictor: Option<PathBuf>,
    /// Audit models by this file: one row per row of the data, one column per model. Columns that the
    /// data have, too, are not models and must agree.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) predictions: Option<PathBuf>,
    /// Audit this model of `--predictions` [default: the first], or this row of the table of utilities.
    #[arg(long, value_name = "NAME")]
    pub(crate) incumbent: Option<String>,
    /// What predictions cost: `squared`, `absolute`, `log` (of probabilities), `zero-one` (of classes),
    /// `poisson` (of mean counts), or `given`, if the file holds losses.
    #[arg(long, value_name = "LOSS")]
    pub(crate) loss: Option<RowLoss>,
    /// Class that probabilities, or parameters by name, speak for.
    #[arg(long, value_name = "CLASS")]
    pub(crate) positive: Option<String>,
    /// Raise probabilities below X to X, and divide by their sum.
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub(crate) clip: Option<f64>,
    /// Write the utilities of all models to this file, which a certificate of `--predictions` or of JSON speaks of.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) utilities: Option<PathBuf>,
    /// Units of the columns that parameters by name multiply [default: standardised].
    #[arg(long, value_parser = choice::<Units>())]
    pub(crate) units: Option<Units>,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    #[command(flatten)]
    pub(crate) terms: TermsArgs,
    #[command(flatten)]
    pub(crate) audit: AuditLimits,
    #[command(flatten)]
    pub(crate) saved: SavedArgs,
}

impl AuditArgs {
    /// The file, which is there unless there are answers.
    pub(crate) fn file(&self) -> &Path {
        self.file.as_deref().unwrap_or(Path::new(""))
    }
}
