//! What a long search tells its caller, who may end it.

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
}

impl Default for Progress {
    fn default() -> Self {
        Self { nodes: 0, open: 0, programs: 0, lo: 0.0, hi: f64::INFINITY, complete: false }
    }
}

/// Watches a search; breaking ends it with an honest interval. Clocks live here, not in the search.
pub trait Observer {
    /// Called between batches.
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()>;
}

impl<F: FnMut(&Progress) -> ControlFlow<()>> Observer for F {
    fn progress(&mut self, progress: &Progress) -> ControlFlow<()> {
        self(progress)
    }
}
