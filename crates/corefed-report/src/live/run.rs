//! A run in progress, as something to look at.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use corefed_log::RunFolder;
use serde_json::Value;

use super::{Exhibit, State};
use crate::{ReportError, folder, render};

/// The end of the records that is read to find the last round; a round's line is far shorter.
const TAIL: u64 = 1 << 20;

/// A run folder, which need not exist yet.
pub struct LiveRun {
    path: PathBuf,
}

impl LiveRun {
    /// The folder of a training, which may begin later.
    #[must_use]
    pub fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }
}

impl Exhibit for LiveRun {
    fn state(&self) -> Result<State, ReportError> {
        let (rounds, round) = if self.path.join("run.json").is_file() {
            let view = RunFolder::peek(&self.path)?;
            (Some(view.header().rounds), last_round(&self.path.join("rounds.jsonl")))
        } else {
            (None, None)
        };
        // The page that a run writes last.
        let done = self.path.join(folder::REPORT).is_file();
        Ok(State { round, rounds, done })
    }

    fn page(&self) -> Result<String, ReportError> {
        Ok(render(&folder::page(&self.path)?))
    }
}

/// The number in the last complete line, without reading the lines before.
fn last_round(path: &Path) -> Option<u64> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL))).ok()?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail).ok()?;
    let end = tail.iter().rposition(|byte| *byte == b'\n')?;
    let start = tail[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let record: Value = serde_json::from_slice(&tail[start..end]).ok()?;
    record.get("round")?.as_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_being_written_is_not_the_last_round() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rounds.jsonl");
        assert_eq!(last_round(&path), None);
        for (text, expected) in [
            ("", None),
            ("{\"round\":0", None),
            ("{\"round\":0}\n", Some(0)),
            ("{\"round\":0}\n{\"round\":1}\n{\"rou", Some(1)),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(last_round(&path), expected, "{text}");
        }
    }

    #[test]
    fn a_run_that_has_not_begun_is_waited_for() {
        let run = LiveRun::new(Path::new("no/such/folder"));
        assert_eq!(run.state().unwrap(), State::default());
        assert!(run.page().is_err());
    }
}
