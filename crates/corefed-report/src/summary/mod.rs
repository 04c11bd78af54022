//! `summary.md`, and the same tables for the console.

pub mod ceiling;
mod choice;
pub mod exact;
pub mod held_out;
pub mod stay;
pub mod training;

use std::fmt::Write;

use corefed_core::Assumption;

use crate::markdown::escape;

pub use choice::choice;

/// What a verdict rests on, one line each.
fn assumptions(stated: &[Assumption]) -> String {
    let mut text = String::new();
    for assumption in stated {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "- **{}**: {}: {}",
            assumption.status,
            assumption.statement,
            escape(&assumption.detail)
        );
    }
    text
}
