//! How a node is, in a file for those who watch it.

use std::time::{Duration, SystemTime};

use serde::Serialize;

use crate::kept::Kept;
use crate::timestamp::iso;

/// The file is written anew at least this often while the SuperLink answers, and whenever something happens.
const OFTEN: Duration = Duration::from_secs(30);

/// What `status.json` says.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Status {
    corefed: &'static str,
    superlink: String,
    node_id: u64,
    /// When the SuperLink last answered.
    last_contact: String,
    /// The run whose message the node is at work on.
    at_work_on_run: Option<u64>,
    /// Messages since the node was started.
    answered: u64,
    dropped: u64,
}

/// Keeps that file true.
pub(crate) struct Health<'a> {
    kept: &'a Kept,
    status: Status,
    written: Option<SystemTime>,
}

impl<'a> Health<'a> {
    pub(crate) fn new(kept: &'a Kept) -> Self {
        let status = Status { corefed: env!("CARGO_PKG_VERSION"), ..Status::default() };
        Self { kept, status, written: None }
    }

    /// The node has joined.
    pub(crate) fn joined(&mut self, superlink: &str, node_id: u64, now: SystemTime) {
        (self.status.superlink, self.status.node_id) = (superlink.to_owned(), node_id);
        self.write(now);
    }

    /// The SuperLink has answered.
    pub(crate) fn heard(&mut self, now: SystemTime) {
        let fresh =
            self.written.and_then(|at| now.duration_since(at).ok()).is_some_and(|age| age < OFTEN);
        if !fresh {
            self.write(now);
        }
    }

    /// The node begins to work on a message.
    pub(crate) fn begun(&mut self, run_id: u64, now: SystemTime) {
        self.status.at_work_on_run = Some(run_id);
        self.write(now);
    }

    /// The message is answered, or dropped.
    pub(crate) fn done(&mut self, answered: bool, now: SystemTime) {
        self.status.at_work_on_run = None;
        self.status.answered += u64::from(answered);
        self.status.dropped += u64::from(!answered);
        self.write(now);
    }

    fn write(&mut self, now: SystemTime) {
        (self.status.last_contact, self.written) = (iso(now), Some(now));
        // A file that cannot be written gets old, which says enough to those who watch it.
        let _ = self.kept.tell(&self.status);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn the_file_says_when_the_superlink_last_answered_and_is_not_written_all_the_time() {
        let folder = tempfile::tempdir().unwrap();
        let kept = Kept::open(folder.path()).unwrap();
        let mut health = Health::new(&kept);
        let at = |seconds: u64| UNIX_EPOCH + Duration::from_secs(1_000_000_000 + seconds);
        let told = || -> serde_json::Value {
            serde_json::from_slice(&fs::read(folder.path().join("status.json")).unwrap()).unwrap()
        };
        health.joined("link:8000", 7, at(0));
        assert_eq!(told()["last_contact"], "2001-09-09T01:46:40.000000+00:00");
        health.heard(at(29));
        assert_eq!(told()["last_contact"], "2001-09-09T01:46:40.000000+00:00");
        health.heard(at(30));
        assert_eq!(told()["last_contact"], "2001-09-09T01:47:10.000000+00:00");
        health.begun(11, at(31));
        assert_eq!(told()["at_work_on_run"], 11);
        health.done(true, at(32));
        health.done(false, at(33));
        let told = told();
        assert_eq!((&told["answered"], &told["dropped"]), (&1.into(), &1.into()));
        assert!(told["at_work_on_run"].is_null());
        assert_eq!(told["node_id"], 7);
    }
}
