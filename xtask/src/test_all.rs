//! Every check and every test, on a machine that has only Rust and Python.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::command::{cargo, run};
use crate::python::{in_environment, pip};
use crate::sources::root;
use crate::{deps, ledger, licences, python, tidy};

/// Formatting, lints, documentation, ledger, crate graph, packages, tidiness.
pub(crate) fn check() -> Result<()> {
    check_text()?;
    lint()
}

/// What takes seconds: tidiness, crate graph, ledger, licences, pinned packages, formatting.
fn check_text() -> Result<()> {
    tidy::check()?;
    deps::check()?;
    ledger::check()?;
    licences::check()?;
    python::check_lock()?;
    cargo(&["fmt", "--all", "--check"], &[])
}

/// What compiles: packages, which compile nothing yet, lints, documentation.
fn lint() -> Result<()> {
    package_crates()?;
    // The default build first: what leaves features out must be as clean as what has them.
    // With schemas, so that what both builds share is looked at once.
    let default = ["clippy", "-p", "corefed-cli", "--features", "corefed-run/schema"];
    cargo(&[default.as_slice(), &["--", "-D", "warnings"]].concat(), &[])?;
    cargo(&["clippy", "--workspace", FULL, "--all-targets", "--", "-D", "warnings"], &[])?;
    cargo(&["doc", "--workspace", FULL, "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

/// Everything that the command can leave out, and what lets the wheel use the same build.
const FULL: &str = "--features=corefed-cli/full,corefed-python/as-tested";

/// Every crate that is published has what a registry asks for: versions of what it depends on, a licence,
/// its files. What it depends on was downloaded to compile it.
fn package_crates() -> Result<()> {
    let mut arguments = vec!["package", "--workspace", "--no-verify", "--allow-dirty", "--offline"];
    arguments.push("--quiet");
    for own in ["xtask", "corefed-campaign", "corefed-fuzz", "corefed-python"] {
        arguments.extend(["--exclude", own]);
    }
    cargo(&arguments, &[])
}

/// Federations of the campaign that every test run draws; the published count is in `docs/campaign.md`.
const CAMPAIGN: [&str; 4] = ["--instances", "300", "--seed", "7"];

/// [`check`], the Rust tests, and the Python suites against the binaries of the same build.
///
/// Everything is built once, with the profile of the tests: a release differs in speed and not in a
/// bit of its results.
pub(crate) fn test() -> Result<()> {
    // Packages of Python are waited for, not computed: they come while Rust compiles.
    let installed = std::thread::spawn(|| -> Result<PathBuf> {
        let python = python::environment()?;
        install_browser()?;
        Ok(python)
    });
    check_text()?;
    cargo(&["test", "--workspace", FULL, "--no-run"], &[])?;
    cargo(&["build", "--workspace", FULL, "--bins", "--examples"], &[])?;
    let python = installed.join().map_err(|_| anyhow::anyhow!("the installation panicked"))??;
    package(&python)?;
    std::thread::scope(|scope| {
        // Lints compile, suites in Python and Flower's processes wait for each other: together they leave no core
        // idle. The tests begin at once, because lints begin with what compiles nothing.
        let suites = scope.spawn(|| side_by_side(&python, &SUITES));
        let lints = scope.spawn(lint);
        cargo(&["test", "--workspace", FULL], &[])?;
        run(Command::new(built("corefed-campaign")).args(CAMPAIGN))?;
        for queue in [lints, suites] {
            queue.join().map_err(|_| anyhow::anyhow!("lints or a suite panicked"))??;
        }
        Ok(())
    })
}

/// Suites in Python, in queues that take about as long: deployments, which are a real server of Flower with its nodes,
/// what documents tell people to type, reports in a real browser, FLARE's simulator; and what computes and waits for
/// nobody, independent references in NumPy and SciPy, the Python package, networks in PyTorch.
const SUITES: [&[&str]; 4] = [
    &[
        "python/tests_flower/test_secure_deployment.py",
        "python/tests_flower/test_tutorial.py",
        "guides",
        "networks",
    ],
    &[
        "python/tests_flower/test_deployment.py",
        "python/tests_flower/test_exact_deployment.py",
        "browser",
        "python/tests",
    ],
    &[
        "python/tests_flower/test_newest.py",
        "python/tests_flower/test_node.py",
        "python/tests_flare",
        "reference",
    ],
    // It waits for half of its time: behind the others it would be alone at the end.
    &[IN_PROCESS],
];

/// Flower in one process: all but the deployments above.
const IN_PROCESS: &str = "python/tests_flower --ignore-glob=*/test_*deployment.py --ignore-glob=*/test_tutorial.py \
                          --ignore-glob=*/test_newest.py --ignore-glob=*/test_node.py";

/// What a developer runs before a commit: the repository's own checks and every Rust test but those in
/// documentation. Lints, documentation and the suites in Python are left to [`test()`].
pub(crate) fn test_fast() -> Result<()> {
    tidy::check()?;
    deps::check()?;
    ledger::check()?;
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["test", "--workspace", FULL, "--tests"], &[])
}

/// A program of the build.
fn built(name: &str) -> PathBuf {
    let exe = if cfg!(windows) { format!("{name}.exe") } else { name.to_owned() };
    root().join("target/debug").join(exe)
}

/// Runs queues of folders of Python tests at the same time, and shows what each folder printed when it is
/// done.
fn side_by_side(python: &Path, queues: &[&[&str]]) -> Result<()> {
    let run_queue = |queue: &[&str]| -> Result<Vec<String>> {
        let mut failed = Vec::new();
        for name in queue {
            let begin = Instant::now();
            let output = suite(python, name)?.output();
            let output = output.with_context(|| format!("cannot start the suite `{name}`"))?;
            show(name, &output, begin.elapsed());
            if !output.status.success() {
                failed.push((*name).to_owned());
            }
        }
        Ok(failed)
    };
    let failed = std::thread::scope(|scope| {
        let started: Vec<_> = queues.iter().map(|queue| scope.spawn(|| run_queue(queue))).collect();
        let mut failed = Vec::new();
        for thread in started {
            failed.extend(thread.join().map_err(|_| anyhow::anyhow!("a suite panicked"))??);
        }
        Ok::<_, anyhow::Error>(failed)
    })?;
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a developer wants to see what the tests said")]
fn show(name: &str, output: &std::process::Output, took: Duration) {
    println!("--- pytest {name}: {} s", took.as_secs());
    println!("{}", String::from_utf8_lossy(&output.stdout));
    println!("{}", String::from_utf8_lossy(&output.stderr));
}

/// pytest with some arguments, against the binaries of this build.
fn suite(python: &Path, name: &str) -> Result<Command> {
    let mut command = in_environment(python)?;
    command
        .args(["-m", "pytest", "-q", "--durations=5"])
        .args(name.split_whitespace())
        .current_dir(root())
        .env("COREFED", built("corefed"))
        .env("COREFED_VERIFY", built("corefed-verify"))
        .env("COREFED_INTERVALS", built("examples/intervals"))
        .env("COREFED_PROBE", built("examples/probe"));
    Ok(command)
}

/// Builds the wheel of the Python package and installs it.
fn package(python: &Path) -> Result<()> {
    let wheels = root().join("target/wheels");
    // Of earlier versions, too: the folder holds what was built now, and nothing else.
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels).context("cannot empty `target/wheels`")?;
    }
    let wheel = ["-m", "pip", "wheel", "--quiet", "--disable-pip-version-check"];
    let alone = ["--no-deps", "--no-build-isolation", "--wheel-dir"];
    let folder = root().join("python");
    let mut build = in_environment(python)?;
    // With profile and features of the tests, whose crates are there already.
    build.env("MATURIN_PEP517_ARGS", "--profile dev --features as-tested");
    run(build.args(wheel).args(alone).arg(&wheels).arg(folder))?;
    let wheel = std::fs::read_dir(&wheels)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .context("maturin built no wheel")?;
    run(pip(python, "install").args(["--force-reinstall", "--no-deps"]).arg(wheel))
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

/// Random federations against brute force, in a release build; `arguments` go to the program.
pub(crate) fn campaign(arguments: &[String]) -> Result<()> {
    let program = ["run", "--release", "--quiet", "-p", "corefed-campaign", "--"];
    let all: Vec<&str> = program.into_iter().chain(arguments.iter().map(String::as_str)).collect();
    cargo(&all, &[])
}
