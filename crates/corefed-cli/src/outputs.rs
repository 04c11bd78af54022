//! Files that a command writes besides its answer: checked before anything is computed, written after the
//! answer is out.

use std::io::{IsTerminal, Write, stderr, stdout};
use std::path::Path;

use corefed_core::one_line;
use corefed_log::{FileClaim, write_file};
use corefed_report::console::Guarded;

use crate::failure::Failure;

/// Whether a path means standard output, which is written in order and never opened again.
fn is_standard(path: &Path) -> bool {
    path == Path::new("-") || path == Path::new("/dev/stdout")
}

/// The files of one call, by the flags that name them; those that were checked are claimed until it ends.
pub(crate) struct Outputs<'a> {
    files: Vec<(&'static str, &'a Path)>,
    json: bool,
    claims: Vec<FileClaim>,
}

impl<'a> Outputs<'a> {
    /// The files that are asked for, as they were when they were checked.
    pub(crate) fn of(files: &[(&'static str, Option<&'a Path>)], json: bool) -> Self {
        let files = files.iter().filter_map(|(flag, path)| Some((*flag, (*path)?))).collect();
        Self { files, json, claims: Vec::new() }
    }

    /// Refuses files that could not be written, and two documents for one place.
    pub(crate) fn check(
        files: &[(&'static str, Option<&'a Path>)],
        json: bool,
    ) -> Result<Self, Failure> {
        let mut outputs = Self::of(files, json);
        let files = &outputs.files;
        for (k, (flag, path)) in files.iter().enumerate() {
            let same = |other: &&(&str, &Path)| {
                other.1 == *path || is_standard(other.1) && is_standard(path)
            };
            if let Some((other, _)) = files[..k].iter().find(same) {
                let path = path.display();
                return Err(Failure::new(format!("`{other}` and `{flag}` both name `{path}`"))
                    .hint("give each a file of its own"));
            }
            if is_standard(path) && json {
                return Err(Failure::new(format!(
                    "`--json` and `{flag} {}` both want standard output",
                    path.display()
                ))
                .hint("write one of them to a file"));
            }
            if !is_standard(path) {
                outputs.claims.push(FileClaim::of(path)?);
            }
        }
        Ok(outputs)
    }

    /// Prints the answer: to standard error where a file goes to standard output.
    pub(crate) fn answer(&self, text: &str, out: &mut dyn Write) -> Result<(), Failure> {
        if !self.json && self.files.iter().any(|(_, path)| is_standard(path)) {
            // Talk that cannot be written is not worth failing for.
            let _ = Guarded::new(stderr()).write_all(text.as_bytes());
            return Ok(());
        }
        Ok(out.write_all(text.as_bytes())?)
    }
}

/// Says what a reader of an answer should know; talk that cannot be written is not worth failing for.
pub(crate) fn warn(of: impl IntoIterator<Item = String>) {
    for text in of {
        let _ = writeln!(stderr(), "warning: {}", one_line(&text));
    }
}

/// Writes one file, or standard output.
pub(crate) fn save(
    path: &Path,
    contents: impl AsRef<[u8]>,
    out: &mut dyn Write,
) -> Result<(), Failure> {
    // What is printed must be out before anything can fail.
    out.flush()?;
    if is_standard(path) {
        // A file is what it is: only a terminal is guarded from it.
        let mut raw = stdout();
        let to: &mut dyn Write = if raw.is_terminal() { out } else { &mut raw };
        return Ok(to.write_all(contents.as_ref())?);
    }
    Ok(write_file(path, contents)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_printed_although_its_file_cannot_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("gone/c.json");
        let files = [("--certificate", Some(path.as_path()))];
        assert!(Outputs::check(&files, false).is_err());
        let mut out = Vec::new();
        Outputs::of(&files, false).answer("stable\n", &mut out).expect("printed");
        assert!(save(&path, "{}", &mut out).is_err());
        assert_eq!(out, b"stable\n");
    }
}
