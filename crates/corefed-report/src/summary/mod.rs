//! `summary.md`, and the same tables for the console.

pub mod ceiling;
mod choice;
pub mod exact;
pub mod held_out;
pub mod stay;
pub mod training;
pub mod unjudged;

use std::fmt::Write;

use corefed_documents::AuditDocument;

use crate::markdown::escape;
use crate::words;

pub use choice::choice;

/// What a verdict rests on, one line each.
fn assumptions(audit: &AuditDocument) -> String {
    let mut text = String::new();
    for assumption in &audit.assumptions {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "- **{}**: {}: {}",
            words::status(assumption.status, audit.scope),
            assumption.statement,
            escape(&assumption.detail)
        );
    }
    text
}
