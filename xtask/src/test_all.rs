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

/// [`check`], the Rust tests, and the Python suites against the release binary.
pub(crate) fn test() -> Result<()> {
    check()?;
    cargo(&["test", "--workspace"], &[])?;
    cargo(&["build", "--release"], &[])?;
    let python = virtual_environment()?;
    // Independent references in NumPy and SciPy, networks in PyTorch, the Python package, then
    // reports in a real browser.
    suite(&python, "reference")?;
    cargo(&["build", "--release", "-p", "corefed-nn", "--example", "probe"], &[])?;
    suite(&python, "networks")?;
    package(&python)?;
    suite(&python, "python")?;
    // Deployments of Flower on loopback, and its simulation.
    suite(&python, "python/tests_flower")?;
    install_browser()?;
    suite(&python, "browser")
}

/// Runs a folder of Python tests against the release binary.
fn suite(python: &Path, name: &str) -> Result<()> {
    pip(python, &root().join(name).join("requirements.txt"))?;
    let binary = root().join("target/release/corefed");
    let folder = root().join(name);
    run(in_environment(python)?.args(["-m", "pytest", "-q"]).arg(folder).env("COREFED", binary))
}

/// Builds the wheel of the Python package and installs it.
fn package(python: &Path) -> Result<()> {
    pip(python, &root().join("python").join("requirements.txt"))?;
    let wheels = root().join("target/wheels");
    // Of earlier versions, too: the folder holds what was built now, and nothing else.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).context("cannot empty `target/wheels`")?;
    }
    let wheel = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"];
    let alone = ["--no-deps", "--no-build-isolation", "--wheel-dir"];
    let folder = root().join("python");
    run(in_environment(python)?.args(wheel).args(alone).arg(&wheels).arg(folder))?;
    let wheel = std::fs::read_dir(&wheels)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("maturin built no wheel")?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    let again = ["--force-reinstall", "--no-deps"];
    run(Command::new(python).args(install).args(again).arg(wheel))
}

/// Debian's Chromium with its driver, unless both are there.
fn install_browser() -> Result<()> {
    let answers = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|said| said.status.success())
    };
    if answers("chromium") && answers("chromedriver") {
        return Ok(());
    }
    let hint = "the browser tests need `chromium` and `chromedriver`; install them, or run as root \
                where `apt-get` has them";
    run(Command::new("apt-get").args(["update", "-q"])).context(hint)?;
    // A page without any font has no widths, and would never stick out of anything.
    let packages = ["chromium", "chromium-driver", "fonts-dejavu-core"];
    let mut command = Command::new("apt-get");
    command.args(["install", "-y", "-q", "--no-install-recommends"]).args(packages);
    run(command.env("DEBIAN_FRONTEND", "noninteractive")).context(hint)
}

/// `.venv`, made if need be.
fn virtual_environment() -> Result<PathBuf> {
    let folder = root().join(".venv");
    let bin = if cfg!(windows) { "Scripts" } else { "bin" };
    let python = folder.join(bin).join("python");
    if !python.exists() {
        let system = if cfg!(windows) { "python" } else { "python3" };
        run(Command::new(system).args(["-m", "venv"]).arg(&folder))
            .context("the Python suites need Python 3.11 or later with `venv`")?;
    }
    Ok(python)
}

/// The interpreter with the programs beside it found first, as in an activated environment: `maturin`
/// is called by name, and so are Flower's servers.
fn in_environment(python: &Path) -> Result<Command> {
    let beside = python.parent().map(Path::to_path_buf);
    let known = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths(beside.into_iter().chain(std::env::split_paths(&known)))?;
    let mut command = Command::new(python);
    command.env("PATH", path);
    Ok(command)
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
