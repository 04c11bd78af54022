//! The lines at the bottom of a terminal: one for every training or search under way.

use std::io::{IsTerminal, Write, stderr};
use std::sync::LazyLock;

use indicatif::{MultiProgress, ProgressBar};

/// Draws all lines, so that those of several threads do not overwrite each other.
static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Shows a line below those that are there; hidden where nobody looks.
pub(crate) fn line(make: impl FnOnce() -> ProgressBar) -> ProgressBar {
    if stderr().is_terminal() { LINES.add(make()) } else { ProgressBar::hidden() }
}

/// Says something that stays, above all lines.
pub(crate) fn say(text: &str) {
    // Talk that cannot be written is not worth failing for.
    let _ = if stderr().is_terminal() { LINES.println(text) } else { writeln!(stderr(), "{text}") };
}
