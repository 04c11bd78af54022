//! A set made for a test, and a data folder to fetch it into.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use corefed_data::source::catalogue::{Archive, Entry, KnownFile, Origin, Published, Reader};
use corefed_fetch::{FetchError, Fetched, Options, Progress, fetch_entry};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Large enough to arrive in several pieces.
pub(crate) fn content() -> Vec<u8> {
    (0..200_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    let mut hex = String::new();
    for byte in Sha256::digest(bytes) {
        write!(hex, "{byte:02x}").unwrap();
    }
    hex
}

/// A catalogue lives as long as the program, so a test's entries do too.
fn leak(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}

pub(crate) fn known(name: &'static str, bytes: &[u8]) -> KnownFile {
    let sha256 = leak(sha256(bytes));
    KnownFile { name, size: bytes.len() as u64, sha256, md5: "", inflated: None }
}

pub(crate) fn entry(addresses: &[&str], files: Vec<KnownFile>, archive: Option<Archive>) -> Entry {
    let addresses: Vec<_> = addresses.iter().map(|&address| leak(address.to_owned())).collect();
    let origin = Origin::Published(Published {
        addresses: Box::leak(addresses.into_boxed_slice()),
        files: Box::leak(files.into_boxed_slice()),
        archive,
        read: Reader::Whole(|_| unreachable!("nobody reads it")),
    });
    let (title, about, licence, citation) = ("", "", "", "");
    Entry { name: "set", title, about, licence, citation, agent: None, target: None, origin }
}

/// The set of one file, `file.bin`, at these addresses.
pub(crate) fn one_file(addresses: &[&str]) -> Entry {
    entry(addresses, vec![known("file.bin", &content())], None)
}

/// A data folder.
pub(crate) struct Folder {
    root: TempDir,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("set")).unwrap();
        Self { root }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("set").join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Option<Vec<u8>> {
        fs::read(self.path(name)).ok()
    }

    /// Names of the files of the set, but for the lock.
    pub(crate) fn names(&self) -> Vec<String> {
        let listed = fs::read_dir(self.path("")).unwrap();
        let mut names: Vec<_> =
            listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| name != ".lock");
        names.sort();
        names
    }

    /// Fetches the set and collects what progress was told, in words.
    pub(crate) fn fetch(&self, entry: &Entry) -> (Result<Fetched, FetchError>, Vec<String>) {
        self.fetch_from(entry, None)
    }

    pub(crate) fn fetch_from(
        &self,
        entry: &Entry,
        mirror: Option<&str>,
    ) -> (Result<Fetched, FetchError>, Vec<String>) {
        let mut told = Vec::new();
        let mut progress = |progress: Progress<'_>| {
            told.push(match progress {
                Progress::Kept { .. } => "kept".to_owned(),
                Progress::Asking { .. } => "asking".to_owned(),
                Progress::Received { bytes, total, .. } => {
                    assert!(bytes <= total, "{bytes} > {total}");
                    "received".to_owned()
                }
                Progress::Resuming { bytes, .. } => format!("resuming at {bytes}"),
                Progress::Failed { error, .. } => format!("failed: {error}"),
                Progress::Verifying { .. } => "verifying".to_owned(),
                Progress::Unpacking { file } => format!("unpacking {file}"),
                Progress::Placed { file } => format!("placed {file}"),
                other => format!("{other:?}"),
            });
        };
        let options = Options { mirror: mirror.map(ToOwned::to_owned), progress: &mut progress };
        let fetched = fetch_entry(entry, self.root.path(), options);
        told.dedup();
        (fetched, told)
    }
}
