//! What a command shares with the terminal: the request to stop, the lines at its bottom, and its name.

use std::io::{IsTerminal, Write, stderr};

use corefed_core::one_line;
use corefed_run::Stop;
use indicatif::{MultiProgress, ProgressBar};

/// One call of the command.
#[derive(Clone)]
pub(crate) struct Context {
    /// Set when the user asks to stop.
    pub(crate) stop: Stop,
    /// The command as the user called it, so that the next one can be copied.
    pub(crate) program: String,
    /// Draws all lines, so that those of several threads do not overwrite each other.
    lines: MultiProgress,
}

impl Context {
    pub(crate) fn new(program: impl Into<String>) -> Self {
        Self { stop: Stop::default(), program: program.into(), lines: MultiProgress::new() }
    }

    /// From now on Ctrl-C ends the training after the round, or its audit at once; pressed again, it ends
    /// the process.
    pub(crate) fn listen(&self) {
        let stop = self.stop.clone();
        // Without a handler Ctrl-C kills, and the run can be resumed all the same. Several trainings of
        // one command share the handler of the first.
        let _ = ctrlc::set_handler(move || {
            if stop.is_asked() {
                std::process::exit(130);
            }
            stop.ask();
        });
    }

    /// Shows a line below those that are there; hidden where nobody looks.
    pub(crate) fn line(&self, make: impl FnOnce() -> ProgressBar) -> ProgressBar {
        if stderr().is_terminal() { self.lines.add(make()) } else { ProgressBar::hidden() }
    }

    /// Says something that stays, above all lines.
    pub(crate) fn say(&self, text: &str) {
        let text = one_line(text);
        // Talk that cannot be written is not worth failing for.
        let _ = if stderr().is_terminal() {
            self.lines.println(text)
        } else {
            writeln!(stderr(), "{text}")
        };
    }
}
