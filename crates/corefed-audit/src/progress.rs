//! What a long search tells its caller, who may end it.

use std::ops::ControlFlow;

/// How far a search has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Progress {
    /// Branches looked at.
    pub nodes: usize,
    /// Branches waiting.
    pub open: usize,
    /// Coalition programs solved.
    pub programs: usize,
    /// Best `kappa` of a known rival.
    pub lo: f64,
    /// Whether every branch was closed.
    pub complete: bool,
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
