//! One copy of a table that several trainings write: the others are hard links to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use corefed_core::digest_file;
use corefed_documents::FEDERATION;
use corefed_log::share_file;

/// The first folder that holds each table, by the table's SHA-256.
#[derive(Default)]
pub(crate) struct SharedTables(Mutex<BTreeMap<String, PathBuf>>);

impl SharedTables {
    /// Lets a training share its table, if it has one, with a training before. Every folder still has its file,
    /// so reading, copying or deleting one of them works as before.
    pub(crate) fn share(&self, folder: &Path) {
        let own = folder.join(FEDERATION);
        let (Ok(digest), Ok(mut known)) = (digest_file(&own), self.0.lock()) else { return };
        match known.get(&digest) {
            // A disk that has no links keeps its copies, which hold the same bytes.
            Some(first) => drop(share_file(first, &own)),
            None => drop(known.insert(digest, own)),
        }
    }
}
