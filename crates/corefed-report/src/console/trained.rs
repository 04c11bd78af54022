//! A training that is over.

use std::path::Path;

use crate::plain::shown_path;

/// What a training found, in the words of its summary, and where everything is.
#[must_use]
pub fn trained(folder: &Path, found: &str, rounds: usize, seconds: f64) -> String {
    let shown = shown_path(folder);
    format!(
        "{found}\n{rounds} rounds in {seconds:.3} s, written to {shown}/: rounds.jsonl, agents.jsonl, \
         model.safetensors, audit.json, summary.md\nreport: {shown}/report.html\n"
    )
}
