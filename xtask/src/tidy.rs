//! Nothing unfinished, nothing private.

use anyhow::{Result, bail};

use crate::prose;
use crate::sources::files;

/// What must not appear, written so that this file does not contain it.
const FORBIDDEN: [(&str, &str); 4] = [
    (concat!("FIX", "ME"), "finish it or write down why not"),
    (concat!("todo", "!("), "finish it"),
    (concat!("/ho", "me/"), "no paths of somebody's machine"),
    (concat!("/ro", "ot/"), "no paths of somebody's machine"),
];

/// Source and documents are free of leftovers.
pub(crate) fn check() -> Result<()> {
    for source in files("", &["rs", "py", "md", "toml", "sh"])? {
        for (line, text) in source.text.lines().enumerate() {
            if let Some((word, why)) = FORBIDDEN.iter().find(|(word, _)| text.contains(word)) {
                bail!("{}:{}: `{word}`: {why}", source.path.display(), line + 1);
            }
        }
    }
    prose::check()
}
