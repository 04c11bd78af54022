//! Run folders as bytes and as records, and processes that can be killed.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::harness::Folder;

impl Folder {
    /// Every file below a folder with its bytes; not the lock, which says nothing of the run.
    pub(crate) fn files(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.path(name), "", &mut files);
        files.remove(".lock");
        files
    }

    /// Lines of JSON.
    pub(crate) fn records(&self, name: &str) -> Vec<Value> {
        lines(&self.read(name))
    }

    /// Starts `corefed` and does not wait for it.
    pub(crate) fn spawn(&self, arguments: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_corefed"))
            .args(arguments.split_whitespace())
            .current_dir(self.path(""))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary runs")
    }
}

/// Lines of JSON.
pub(crate) fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

/// Requires the same files with the same bytes, and names the first that differs.
pub(crate) fn same(expected: &BTreeMap<String, Vec<u8>>, found: &BTreeMap<String, Vec<u8>>) {
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(expected), names(found));
    for (name, bytes) in expected {
        let other = &found[name];
        let at = bytes.iter().zip(other).position(|(a, b)| a != b);
        assert!(
            bytes == other,
            "{name} differs at byte {at:?}; it has {} and {} bytes",
            bytes.len(),
            other.len()
        );
    }
}

fn collect(folder: &Path, above: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("readable") {
        let entry = entry.expect("entry");
        let name = format!("{above}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            collect(&entry.path(), &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(entry.path()).expect("readable"));
        }
    }
}
