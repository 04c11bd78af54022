//! The fuzzer, with coverage, on stable Rust.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::sources::root;

/// What `cargo fuzz` asks of a nightly compiler, without its sanitizers: LLVM's coverage pass, which stable
/// compilers have as well, and every assertion.
const FLAGS: [&str; 7] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Cdebug-assertions",
    "-Coverflow-checks",
];

/// Builds the fuzzer and says where it is.
pub(crate) fn build() -> Result<PathBuf> {
    build_with(&[])
}

/// The same with flags of the linker's.
pub(crate) fn build_with(more: &[&str]) -> Result<PathBuf> {
    let host = host()?;
    let folder = root().join("target/fuzz");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let flags: Vec<&str> = FLAGS.iter().chain(more).copied().collect();
    let mut command = Command::new(cargo);
    command
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(root().join("fuzz/Cargo.toml"))
        // A target of its own keeps build scripts and macros, which run in the compiler, without coverage.
        .args(["--target", &host, "--target-dir"])
        .arg(&folder)
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    if !command.status().context("cannot start cargo")?.success() {
        bail!("the fuzzer does not build; it needs a C++ compiler for libFuzzer");
    }
    Ok(folder.join(host).join("release/corefed-fuzzer"))
}

/// The triple of this machine.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("rustc does not say which machine it builds for")
}
