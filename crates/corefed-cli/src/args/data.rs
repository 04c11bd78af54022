//! Arguments of `corefed data`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use corefed_core::Family;
use corefed_data::DivideBy;
use corefed_run::source::Wanted;

use super::shared::choice;
use super::terms::{WritingArgs, family};

/// The data commands.
#[derive(Debug, Subcommand)]
pub(crate) enum DataCommand {
    List(ListArgs),
    Fetch(FetchArgs),
    Inspect(InspectArgs),
    Partition(PartitionArgs),
    Export(ExportDataArgs),
}

/// Which data.
#[derive(Debug, Args)]
pub(crate) struct DataSource {
    /// A known set (see `corefed data list`), or a CSV or Parquet file.
    #[arg(value_name = "NAME|FILE")]
    pub(crate) what: String,
    /// Folder of downloaded sets [default: `COREFED_DATA`, else the user's cache].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Use the published test part.
    #[arg(long)]
    pub(crate) test: bool,
    /// Seed of everything that is drawn.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Take a known set even if its files are not those published: `damaged`.
    #[arg(long, value_name = "CHECK", value_parser = ["damaged"])]
    allow: Option<String>,
    #[command(flatten)]
    written: WritingArgs,
}

impl DataSource {
    /// As the library asks for it.
    pub(crate) fn wanted(&self) -> Wanted {
        Wanted {
            what: self.what.clone(),
            data_dir: self.data_dir.clone(),
            test: self.test,
            seed: self.seed,
            written: self.written.told(),
            damaged: self.allow.is_some(),
        }
    }
}

/// Show the known data sets, where they lie and whether they are intact.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed data list
  corefed data list --check --data-dir ~/data --json

Exit codes: 0 done, 2 error.")]
pub(crate) struct ListArgs {
    /// Folder of downloaded sets [default: `COREFED_DATA`, else the user's cache].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Compare checksums, not only sizes.
    #[arg(long)]
    pub(crate) check: bool,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Download a data set from its publisher, resumably, and check it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed data fetch adult
  corefed data fetch cifar10 --mirror https://mirror.example/cifar10/

Exit codes: 0 done, 2 error.")]
pub(crate) struct FetchArgs {
    /// Name of the set.
    pub(crate) name: String,
    /// Folder of downloaded sets [default: `COREFED_DATA`, else the user's cache].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Address to which file names are appended, in place of the publisher's.
    #[arg(long, value_name = "URL")]
    pub(crate) mirror: Option<String>,
}

/// Show what columns hold, what every agent's rows are like, and what looks odd.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed data inspect air.csv
  corefed data inspect air.csv --agent station --target PM2.5 --report air.html
  corefed data inspect heart
  corefed data inspect mnist --partition mnist.partition.json --picture labels.svg
  corefed data inspect patients.csv --agent hospital --target disease --json

Exit codes: 0 done, 2 error.")]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) source: DataSource,
    /// Column that names the owner of a row.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) agent: Option<String>,
    /// Column to predict.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// Owners by a file of `corefed data partition`.
    #[arg(long, value_name = "FILE.json", conflicts_with = "agent")]
    pub(crate) partition: Option<PathBuf>,
    /// Write a page with pictures.
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Write a heat map of labels by agent.
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) picture: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Divide rows among agents and write the division down, with its seed and digest.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed data partition mnist --method label-dirichlet --agents 10 --alpha 0.5
  corefed data partition adult --method iid --agents 3 --seed 7 --out adult.partition.json
  corefed data partition patients.csv --method column --column hospital

Exit codes: 0 done, 2 error.")]
pub(crate) struct PartitionArgs {
    #[command(flatten)]
    pub(crate) source: DataSource,
    /// How.
    #[arg(long, value_parser = choice::<DivideBy>())]
    pub(crate) method: DivideBy,
    /// Number of agents [default: 3].
    #[arg(long)]
    pub(crate) agents: Option<usize>,
    /// Concentration of a Dirichlet draw: small is skewed, large is even [default: 0.5].
    #[arg(long, allow_negative_numbers = true)]
    pub(crate) alpha: Option<f64>,
    /// Fewest rows an agent may get; the draw is repeated until it holds [default: 10].
    #[arg(long)]
    pub(crate) min_samples: Option<usize>,
    /// Shards of sorted labels that every agent gets [default: 2].
    #[arg(long)]
    pub(crate) shards: Option<usize>,
    /// Column that names the owner, with `--method column`.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) column: Option<String>,
    /// Column of the labels.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// File to write [default: NAME.partition.json].
    #[arg(long, value_name = "FILE.json")]
    pub(crate) out: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write a set with its owners as a table that every other command reads.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed data export adult --partition adult.partition.json --out adult.csv
  corefed data export hospitals --corrupt 'Aachen=noise:1.0' --corrupt 'Bergen=labels:0.3,drop:0.5' \\
      --test-share 0.2 --out corrupted.csv

A corruption is noise:STD (in deviations of each column), labels:RATE, drop:RATE or duplicate:RATE.

Exit codes: 0 done, 2 error.")]
pub(crate) struct ExportDataArgs {
    #[command(flatten)]
    pub(crate) source: DataSource,
    /// Owners by a file of `corefed data partition`.
    #[arg(long, value_name = "FILE.json", conflicts_with = "agent")]
    pub(crate) partition: Option<PathBuf>,
    /// Column that names the owner of a row.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) agent: Option<String>,
    /// Column to predict.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) target: Option<String>,
    /// What the target is: `linear` for numbers, otherwise classes.
    #[arg(long, value_parser = family(), requires = "corrupt")]
    pub(crate) model: Option<Family>,
    /// Lower the quality of an agent: `NAME=CORRUPTION,CORRUPTION`.
    #[arg(long, value_name = "NAME=CORRUPTION")]
    pub(crate) corrupt: Vec<String>,
    /// Share of every agent's rows to hold out for testing, in (0, 1).
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    pub(crate) test_share: Option<f64>,
    /// For a spreadsheet: put an apostrophe before cells that it would take for formulas.
    #[arg(long)]
    pub(crate) spreadsheet: bool,
    /// File of the test rows [default: OUT with extension test.csv].
    #[arg(long, value_name = "FILE.csv", requires = "test_share")]
    pub(crate) test_out: Option<PathBuf>,
    /// File to write.
    #[arg(long, value_name = "FILE.csv")]
    pub(crate) out: PathBuf,
}
