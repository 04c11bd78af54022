//! Exit codes, so that a pipeline can gate on a verdict.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Stable, or simply done.
    Stable,
    /// A coalition would leave: a finding, not a failure.
    Blocked,
    /// Something was wrong with the input or the machine.
    Error,
    /// The search ended before it could decide.
    Undecided,
    /// The user stopped a training, which can be resumed.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Stable => 0,
            Exit::Blocked => 1,
            Exit::Error => 2,
            Exit::Undecided => 3,
            // What shells give a process that Ctrl-C ended.
            Exit::Interrupted => 130,
        })
    }
}
