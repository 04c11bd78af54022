//! Programs that a developer sees running.

use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::sources::root;

/// Cargo with arguments and environment variables.
pub(crate) fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    run(Command::new(cargo).args(arguments).envs(environment.iter().copied()))
}

/// Runs a program in the root of the repository, says so and how long it took; it must succeed.
#[expect(clippy::print_stderr, reason = "a developer wants to see what runs")]
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = format!("{command:?}").replace('"', "");
    eprintln!("--- {shown}");
    let begin = Instant::now();
    if command.get_current_dir().is_none() {
        command.current_dir(root());
    }
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    eprintln!("--- {} s: {shown}", begin.elapsed().as_secs());
    if !status.success() {
        bail!("`{shown}` failed");
    }
    Ok(())
}
