//! Every check and every test, on a machine that has only Rust and Python.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::sources::root;
use crate::{deps, ledger, tidy};

/// Formatting, lints, documentation, ledger, crate graph, tidiness.
pub(crate) fn check() -> Result<()> {
    tidy::check()?;
    deps::check()?;
    ledger::check()?;
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])?;
    cargo(&["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

/// [`check`], the Rust tests, and the Python reference against the release binary.
pub(crate) fn test() -> Result<()> {
    check()?;
    cargo(&["test", "--workspace"], &[])?;
    cargo(&["build", "--release"], &[])?;
    reference()
}

/// Runs the independent NumPy and SciPy reference in a virtual environment of its own.
fn reference() -> Result<()> {
    let python = virtual_environment()?;
    let binary = root().join("target/release/corefed");
    let suite = root().join("reference");
    run(Command::new(python).args(["-m", "pytest", "-q"]).arg(suite).env("COREFED", binary))
}

/// `.venv` with the pinned requirements; installing them again is quick.
fn virtual_environment() -> Result<PathBuf> {
    let folder = root().join(".venv");
    let bin = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = folder.join(bin).join("python");
    if !python.exists() {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv"]).arg(&folder))
            .context("the reference needs Python 3.11 or later with `venv`")?;
    }
    let requirements = root().join("reference/requirements.txt");
    pip(&python, &requirements)?;
    Ok(python)
}

fn pip(python: &Path, requirements: &Path) -> Result<()> {
    let quiet = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    run(Command::new(python).args(quiet).arg(requirements))
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(Command::new(cargo).args(arguments).envs(environment.iter().copied()))
}

#[expect(clippy::print_stderr, reason = "a developer wants to see what runs")]
fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("--- {shown}");
    let status =
        command.current_dir(root()).status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed");
    }
    Ok(())
}
