//! What a user types to choose among models.

use std::path::PathBuf;

use clap::Args;
use corefed_spec::WeightsBy;

/// Which of these models? Those that no group can veto, with a certificate, and one of them.
///
/// Only the order of preference counts: there are no ceilings, the models may be of any kind, and there
/// is always an answer. A group vetoes a model if it prefers more models to it than its share of the
/// say leaves to the others. SOURCE is a table (rows are models, the first column is `model`, the
/// others are agents), the folder of a training (its rounds are the models), or that of an exact run or of
/// `corefed compare` (its rules are; of several seeds the mean).
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed choose losses.csv --losses
  corefed choose utilities.csv --weights weights.csv --certificate choice.certificate.json
  corefed choose checkpoints.csv --group rule      # every rule counts the same
  corefed choose runs/hospitals-comparison         # writes choices.csv into the folder
  corefed verify choice.certificate.json --data utilities.csv

Exit codes: 0 done, 2 error.")]
pub(crate) struct ChooseArgs {
    /// A table of models by agents (CSV), or the folder of a run or a comparison.
    #[arg(value_name = "SOURCE")]
    pub(crate) source: PathBuf,
    /// The table holds losses or errors: smaller is better.
    #[arg(long)]
    pub(crate) losses: bool,
    /// Column that names the group of a model; every group counts the same, however many models it has.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) group: Option<String>,
    /// Say of each agent: `equal` or a CSV file with columns `agent,weight` [default: equal].
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<WeightsBy>,
    /// Of a comparison from several seeds, choose among the models of this one.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Write the certificate to this file.
    #[arg(long, value_name = "FILE")]
    pub(crate) certificate: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
