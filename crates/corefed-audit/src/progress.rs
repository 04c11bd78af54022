//! What a long search tells its caller, who may end it.

use std::fmt;
use std::ops::ControlFlow;

/// How far a search has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Branches looked at.
    pub nodes: usize,
    /// Branches waiting.
    pub open: usize,
    /// Coalition programs solved.
    pub programs: usize,
    /// Best `kappa` of a known rival.
    pub lo: f64,
    /// What is proven that `kappa` does not exceed, by the search so far; infinite before it.
    pub hi: f64,
    /// Whether every branch was closed.
    pub complete: bool,
    /// Once the search has ended: for how many of the bounds it found the proof is written, and how many there are.
    pub proven: Option<(usize, usize)>,
}

impl Default for Progress {
    fn default() -> Self {
        let hi = f64::INFINITY;
        Self { nodes: 0, open: 0, programs: 0, lo: 0.0, hi, complete: false, proven: None }
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.proven {
            Some((done, all)) => write!(f, "{done} of {all} bounds proven")?,
            None => write!(f, "{} branches open, {} programs solved", self.open, self.programs)?,
        }
        // Both ends, so that one sees whether waiting helps.
        if self.hi.is_finite() {
            write!(f, ", kappa in [{:.6}, {:.6}]", self.lo, self.hi)
        } else {
            write!(f, ", kappa >= {:.6}", self.lo)
        }
    }
}

/// Watches a search and the proof of what it found. Breaking the search ends it with an honest interval; breaking the
/// proof gives up what is not yet proven. Clocks live here, not in the search.
pub trait Observer {
    /// Called between batches.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Observer for F {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
