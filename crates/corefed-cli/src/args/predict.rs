//! Arguments of `predict`.

use std::path::PathBuf;

use clap::Args;
use corefed_run::Unknown;
use corefed_solve::Rule;

use super::shared::choice;
use super::terms::WritingArgs;

/// Apply a fitted predictor to raw rows.
///
/// Classes come with the probability of each. With `--calibrate`, predictions of quantities have an
/// interval (split conformal): for rows that come about as those of the calibration file, which the
/// predictor must not have been fitted to, it holds the truth at least as often as the level says.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed predict runs/hospitals new-patients.csv
  corefed predict runs/hospitals new-patients.csv --rule egalitarian --unknown blank
  corefed predict fit.json rows.csv --out predictions.csv
  corefed predict prices.json rows.csv --calibrate held-out.csv --level 0.95

Exit codes: 0 done, 2 error.")]
pub(crate) struct PredictArgs {
    /// Folder of a run, the JSON of `corefed solve`, or a run's predictor.
    #[arg(value_name = "RUN|MODEL.json")]
    pub(crate) model: PathBuf,
    /// Raw rows with the columns the predictor was fitted on; agent and target are not needed.
    #[arg(value_name = "FILE.csv")]
    pub(crate) file: PathBuf,
    /// Which predictor of an exact run [default: core].
    #[arg(long, value_parser = choice::<Rule>())]
    pub(crate) rule: Option<Rule>,
    /// What to do with holes, and with levels that were not there when the predictor was fitted.
    #[arg(long, value_parser = choice::<Unknown>(), value_name = "POLICY", default_value = "error")]
    pub(crate) unknown: Unknown,
    /// Rows with targets that the predictor was not fitted to, for intervals around quantities.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) calibrate: Option<PathBuf>,
    /// How often intervals shall hold.
    #[arg(
        long,
        value_name = "SHARE",
        default_value_t = 0.9,
        requires = "calibrate",
        allow_negative_numbers = true
    )]
    pub(crate) level: f64,
    #[command(flatten)]
    pub(crate) written: WritingArgs,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: Option<PathBuf>,
}
