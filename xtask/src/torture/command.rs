//! The command under torture.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

pub(super) struct Program {
    pub(super) path: PathBuf,
}

/// What a command said when it was done.
pub(super) struct Said {
    /// `None` if a signal ended it.
    pub(super) code: Option<i32>,
    pub(super) text: String,
}

impl Said {
    /// Whether it ended as no command may.
    pub(super) fn crashed(&self) -> bool {
        !matches!(self.code, Some(0..=3)) || self.text.contains("internal error")
    }
}

impl Program {
    fn command(&self, folder: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(arguments).current_dir(folder).stdin(Stdio::null());
        command
    }

    /// Starts it, to be killed.
    pub(super) fn start(&self, folder: &Path, arguments: &[&str]) -> Result<Child> {
        let mut command = self.command(folder, arguments);
        let child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        child.with_context(|| format!("cannot start `{}`", self.path.display()))
    }

    /// Runs it to its end.
    pub(super) fn run(&self, folder: &Path, arguments: &[&str]) -> Result<Said> {
        let output = self
            .command(folder, arguments)
            .output()
            .with_context(|| format!("cannot start `{}`", self.path.display()))?;
        let text = [output.stdout, output.stderr].concat();
        Ok(Said { code: output.status.code(), text: String::from_utf8_lossy(&text).into_owned() })
    }
}
