//! Checks that hold the repository together, and the one command that runs all tests.
//!
//! `cargo xtask` lists what there is.

mod command;
mod deps;
mod dist;
mod fuzz;
mod graph;
mod installed;
mod ledger;
mod licences;
mod metadata;
mod modules;
mod options;
mod packages;
mod programs;
mod prose;
mod python;
mod sbom;
mod sha256;
mod sources;
mod surface;
mod test_all;
mod tidy;
mod tokens;
mod torture;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
usage: cargo xtask COMMAND
  test     everything: lints, docs, ledger, all tests, Python references and package, a browser (installs what it needs)
  test --fast   before a commit: own checks and the Rust tests; no lints, no documentation, no Python
  campaign --instances N --seed S: random federations against brute force over coalitions
  fuzz [--seconds 60] [--jobs 2] [--seed 1] [TARGET...]: hostile bytes against every reader, with coverage
  torture [--kills 200] [--corruptions 200] [--of-each-file 0] [--seed 1] [--jobs 2]: kill, damage, resume, compare bytes
  programs DIR: what the last two need on a machine without Rust, for their `--programs DIR`
  check    the fast part of it: formatting, lints, documentation, ledger, crate graph, tidiness
  ledger   every formula of docs/math.md has code and tests, every citation has an entry
  deps     crates depend on what docs/architecture.md says, and no modules of a crate on each other in circles
  surface  how many names each library shows at its root, and which of them no other crate uses
  licences every dependency is what deny.toml allows
  dist     the files of a release, in dist/: static program, wheel, sources, bill of materials, checksums;
           each is installed where there is no Rust and tried
  lock     pins the Python packages of the tests, with hashes, in requirements.lock
  tidy     no unfinished code, no paths of somebody's machine, documents wrapped and in common words";

#[expect(clippy::print_stderr, reason = "a developer's tool talks to a developer")]
fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    match run(command.as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Option<&str>) -> Result<()> {
    let fast = std::env::args().nth(2).as_deref() == Some("--fast");
    match command {
        Some("test") if fast => test_all::test_fast(),
        Some("test") => test_all::test(),
        Some("campaign") => test_all::campaign(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("fuzz") => fuzz::fuzz(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("torture") => torture::torture(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("programs") => programs::programs(&std::env::args().skip(2).collect::<Vec<_>>()),
        Some("check") => test_all::check(),
        Some("ledger") => ledger::check(),
        Some("deps") => deps::check(),
        Some("dist") => dist::dist(),
        Some("lock") => python::lock(),
        Some("licences") => licences::check(),
        Some("surface") => surface::print(),
        Some("tidy") => tidy::check(),
        _ => bail!("{USAGE}"),
    }
}
