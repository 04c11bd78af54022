//! Exit codes, so that a pipeline can gate on a verdict.

use corefed_core::Verdict;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Stable, or simply done.
    Stable,
    /// A coalition would leave, or everybody could gain at once: a finding, not a failure.
    Blocked,
    /// Something was wrong with the input or the machine.
    Error,
    /// The search ended before it could decide.
    Undecided,
    /// The user stopped a training, which can be resumed.
    Interrupted,
}

impl Exit {
    /// What a shell sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Stable => 0,
            Self::Blocked => 1,
            Self::Error => 2,
            Self::Undecided => 3,
            // What shells give a process that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}

impl From<Verdict> for Exit {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Stable => Self::Stable,
            Verdict::Blocked | Verdict::Improvable => Self::Blocked,
            Verdict::Undecided => Self::Undecided,
        }
    }
}
