//! Arguments of `report`.

use std::net::IpAddr;
use std::path::PathBuf;

use clap::Args;

/// Make one page of a run, a comparison, a sweep or an audit: who gets what, and would anybody leave?
///
/// The page is a single HTML file that fetches nothing. Runs, comparisons and sweeps write it by
/// themselves; this command writes it again, also for folders of older versions.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed report runs/hospitals --open
  corefed report runs/hospitals-compare --out page.html
  corefed report runs/hospitals --figures figures     # every chart as SVG, PNG and PDF
  corefed solve heart.csv --agent hospital --target disease --model logistic --json > fit.json
  corefed report fit.json

Exit codes: 0 done, 2 error.")]
pub(crate) struct ReportArgs {
    /// Folder of `run`, `compare` or `sweep`, or what `solve --json` or `audit --json` printed.
    #[arg(value_name = "DIR|FILE.json")]
    pub(crate) what: PathBuf,
    /// Where to write it [default: DIR/report.html, or FILE.html].
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Open it in the browser.
    #[arg(long)]
    pub(crate) open: bool,
    /// Also write every chart into this folder, for papers.
    #[arg(long, value_name = "DIR")]
    pub(crate) figures: Option<PathBuf>,
}

/// Watch a training while it runs: the same page as the report, live, in the browser.
///
/// Nothing can be changed through it. By default only this machine can look; with another `--host` the
/// address carries a random token.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  corefed run mnist --watch                  # train, and watch from the start
  corefed watch runs/mnist --open            # look at a training of another process
  corefed watch runs/mnist --host 0.0.0.0 --port 8300

Exit codes: 0 done, 2 error.")]
pub(crate) struct WatchArgs {
    /// Folder of a training.
    #[arg(value_name = "DIR")]
    pub(crate) run: PathBuf,
    /// Address to listen on.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1")]
    pub(crate) host: IpAddr,
    /// Port to listen on; 0 takes any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
    /// Open it in the browser.
    #[arg(long)]
    pub(crate) open: bool,
}
