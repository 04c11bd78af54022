//! Does a release work where there is no Rust? Types the install lines of the README into empty folders.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::command::run;
use crate::packages::{files, is_sources};
use crate::sources::root;

/// Nothing of Rust is found here.
const BARE: &str = "/usr/local/bin:/usr/bin:/bin";

/// Unpacks, installs and asks for the first answer; the source distribution must build.
pub(crate) fn check(dist: &Path) -> Result<()> {
    let lines = install_lines()?;
    let [program, package] = lines.as_slice() else {
        bail!("the README has {} install lines, not one per way", lines.len());
    };
    let place = root().join("target/dist-tried");
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    for path in files(dist)? {
        fs::copy(&path, place.join(path.file_name().unwrap_or_default()))?;
    }
    let first = "corefed run --out first && corefed verify first/core.certificate.json \
                 --data first/federation.csv && corefed-verify first/core.certificate.json \
                 --data first/federation.csv && corefed schema certificate > schema.json \
                 && test -s first/report.html";
    typed(&place, &format!("sha256sum --check SHA256SUMS && {program} && {first}"))?;
    // An interpreter that is new, and a PATH that begins with it.
    let python = find_python()?;
    let made = format!("{python} -m venv fresh && export PATH=\"$PWD/fresh/bin:$PATH\"");
    let answer = "python -c \"import corefed; print(corefed.audit([2.62, 0.90], {'r': [2.3, 2.3]}))\" \
                  && corefed run --out second && test -s fresh/share/man/man1/corefed.1";
    typed(&place, &format!("{made} && {package} && {answer}"))?;
    sources_build(dist, &place)
}

/// The lines of the README's first block of commands.
fn install_lines() -> Result<Vec<String>> {
    let readme = fs::read_to_string(root().join("README.md"))?;
    let block = readme.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next());
    Ok(block.context("the README has no commands")?.lines().map(str::to_owned).collect())
}

/// A shell without Rust, and without anything of the user's.
fn typed(place: &Path, command: &str) -> Result<()> {
    let asked = ["-c", "command -v cargo rustc"];
    let found = Command::new("bash").args(asked).env("PATH", BARE).output()?;
    if found.status.success() {
        bail!("`{BARE}` has Rust in it: nothing would be proven");
    }
    let begin = Instant::now();
    run(Command::new("bash")
        .args(["-e", "-c", command])
        .current_dir(place)
        .env_remove("CARGO")
        .env_remove("RUSTUP_HOME")
        .env("PATH", BARE)
        .env("HOME", place))?;
    let seconds = begin.elapsed().as_secs_f64();
    say(&format!("{seconds:.1} s from nothing to an answer: {command}"));
    Ok(())
}

/// The interpreter that runs here, by its whole path.
fn find_python() -> Result<String> {
    let asked = "import sys; print(getattr(sys, '_base_executable', sys.executable))";
    let said = Command::new("python3").args(["-c", asked]).output().context("no Python found")?;
    Ok(String::from_utf8(said.stdout)?.trim().to_owned())
}

/// The source distribution becomes a wheel, here as the tests build it: that it compiles is the point, and what
/// others wrote is compiled already where the tests ran before.
fn sources_build(dist: &Path, place: &Path) -> Result<()> {
    let sources = files(dist)?.into_iter().find(|path| is_sources(path));
    let sources = sources.context("there is no source distribution")?;
    let python = place.join("fresh/bin/python");
    let wheel = ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", "from-sources"];
    run(Command::new(python)
        .args(wheel)
        .arg(sources)
        .current_dir(place)
        .env("MATURIN_PEP517_ARGS", "--profile dev --features as-tested")
        .env("CARGO_TARGET_DIR", root().join("target")))
}

#[expect(clippy::print_stderr, reason = "a developer wants to see the figure")]
fn say(line: &str) {
    eprintln!("{line}");
}
