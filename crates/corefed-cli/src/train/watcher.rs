//! Who is told of rounds, and Ctrl-C.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use corefed_log::TensorBoard;
use corefed_sim::Outcome;

use super::events::Events;
use super::progress::RoundsProgress;
use super::rounds::Observer;
use crate::failure::Failure;

/// Set when the user asks to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C is ours to handle.
static OWNED: AtomicBool = AtomicBool::new(false);

/// The process is this command's alone, and so are its signals.
pub(crate) fn own_signals() {
    OWNED.store(true, Ordering::Relaxed);
}

/// Asks a training or an audit under way to end: after the round, with a checkpoint.
pub fn stop() {
    STOP.store(true, Ordering::Relaxed);
}

/// Forgets an earlier [`stop`].
pub(crate) fn go_on() {
    STOP.store(false, Ordering::Relaxed);
}

/// From now on, where signals are ours, Ctrl-C ends the training after the round, or its audit at
/// once; pressed again, it ends the process.
#[expect(clippy::exit, reason = "asked for twice; a run survives being killed at any moment")]
pub(crate) fn listen() {
    if !OWNED.load(Ordering::Relaxed) {
        return;
    }
    // Without a handler Ctrl-C kills, and the run can be resumed all the same.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether the user has asked to stop.
pub(crate) fn stopped() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Tells everybody who wants to know.
pub(crate) struct Watcher<'a> {
    pub(crate) progress: Option<RoundsProgress>,
    pub(crate) events: Option<Events<'a>>,
    pub(crate) tensorboard: Option<TensorBoard>,
    /// Set when another training failed, and this one is to end too.
    pub(crate) halt: Option<&'a AtomicBool>,
    /// What went wrong while telling; the run itself goes on.
    pub(crate) failure: Option<Failure>,
}

impl Observer for Watcher<'_> {
    fn round(&mut self, outcome: &Outcome) -> ControlFlow<()> {
        if let Some(progress) = &mut self.progress {
            progress.round(outcome);
        }
        if let Some(events) = &mut self.events
            && let Err(failure) = events.round(&outcome.round)
        {
            self.failure = Some(failure);
            return ControlFlow::Break(());
        }
        if let Some(board) = &mut self.tensorboard
            && let Err(error) = board.round(&outcome.round, &outcome.agents)
        {
            self.failure = Some(error.into());
            return ControlFlow::Break(());
        }
        let halted = self.halt.is_some_and(|halt| halt.load(Ordering::Relaxed));
        if halted || stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
