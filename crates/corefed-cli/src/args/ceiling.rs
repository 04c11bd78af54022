//! Arguments of `ceiling`.

use std::path::PathBuf;

use clap::Args;
use corefed_spec::{Ceiling, WeightsBy};

use super::shared::SpecArgs;
use super::terms::{EncodingArgs, TableArgs};

/// Which ceiling? Find where agents can be served together, where the core predictor is stable, and where the
/// question is empty.
///
/// One common scale F of a policy is searched. Whether everybody can be served is proven for every F.
/// Stability and emptiness are certified at the scales tried, and proven from some scale on; between
/// scales nothing is assumed.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed ceiling                            # the embedded hospitals
  corefed ceiling hospitals --policy pooled-constant --out which
  corefed ceiling hospitals --policy alone --held-out 0.3
  corefed ceiling heart.csv --agent hospital --target disease --model logistic --policy number
  corefed ceiling my-consortium.toml --set weights=samples --json

Exit codes: 0 done, 2 error, 3 no scale tried is certified stable, 130 stopped by Ctrl-C.")]
pub(crate) struct CeilingArgs {
    /// A preset, a spec, or a table (CSV or Parquet) with `--agent`, `--target` and `--model`.
    #[arg(default_value = "hospitals", value_name = "PRESET|SPEC.toml|FILE")]
    pub(crate) what: String,
    /// What F multiplies: `initial`, `constant`, `pooled-constant`, `baseline`, `alone`, `worst`, a CSV file of
    /// ceilings, or `number` for one ceiling F for everybody [default: that of the spec].
    #[arg(long, value_name = "POLICY", value_parser = Ceiling::without_factor)]
    pub(crate) policy: Option<Ceiling>,
    /// Brackets are narrowed to this share of themselves.
    #[arg(long, value_name = "SHARE", default_value_t = 0.01, allow_negative_numbers = true)]
    pub(crate) precision: f64,
    #[command(flatten)]
    pub(crate) table: TableArgs,
    #[command(flatten)]
    pub(crate) encoding: EncodingArgs,
    /// Radius of the ball that parameters and rivals lie in (`radius` of the spec).
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    pub(crate) radius: Option<f64>,
    /// Say of each agent: `equal`, `samples` or a CSV file (`weights` of the spec).
    #[arg(long, value_name = "WEIGHTS")]
    pub(crate) weights: Option<WeightsBy>,
    /// Share of each agent's rows that is held out, on which `alone` is measured (`held_out` of the spec).
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) held_out: Option<f64>,
    /// Seconds that each audit may search (`time_limit` of the spec).
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) time_limit: Option<f64>,
    #[command(flatten)]
    pub(crate) spec: SpecArgs,
    /// Write ceiling.json, ceiling.md and ceiling.svg to this folder; it must not exist.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
