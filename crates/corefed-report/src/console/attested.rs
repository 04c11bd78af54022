//! Signatures under a certificate: one agent's, and those of several.

use std::path::Path;

use super::verified::{in_lines, sentences};
use crate::plain::shown_path;

/// One agent's answers, signed; `checked` and what was not.
#[must_use]
pub fn signed(
    agent: &str,
    answers: usize,
    (checked, not_checked): (&[String], &[String]),
    file: &Path,
) -> String {
    let mut lines = vec![format!("signed: `{agent}` stands for {answers} answers about its rows")];
    lines.extend(sentences(checked, not_checked));
    lines.push(format!("send back {}; your rows and your key stay here", shown_path(file)));
    in_lines(&lines)
}

/// Who signed, who has still to, and who did not answer; names as they are shown.
#[must_use]
pub fn merged(status: &str, signed: &[String], unsigned: &[String], absent: &[String]) -> String {
    let who = if signed.is_empty() { "nobody".to_owned() } else { signed.join(", ") };
    let mut lines = vec![format!("{status}: signed by {who}")];
    for (names, what) in [(unsigned, "still to sign"), (absent, "did not answer")] {
        if !names.is_empty() {
            lines.push(format!("  {what}  {}", names.join(", ")));
        }
    }
    in_lines(&lines)
}

/// What somebody with a new key should know.
#[must_use]
pub fn new_key(file: &Path) -> String {
    format!(
        "keep {} to yourself: who has it can sign as you. The line above is the public key, for the terms\n",
        shown_path(file)
    )
}
