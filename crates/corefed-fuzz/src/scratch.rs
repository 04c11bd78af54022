//! A folder of this process, for readers that want a path.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The folder is in the system's temporary folder, which the fuzzer's caller chooses and empties.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = std::env::temp_dir().join(format!("corefed-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for scratch files");
    folder
});

/// Puts bytes into a file of that name. Files of one name replace each other, so each target has its own.
pub(crate) fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = FOLDER.join(name);
    fs::write(&path, bytes).expect("a scratch file");
    path
}

/// An empty folder of that name.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = FOLDER.join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("a scratch folder to remove");
    }
    fs::create_dir_all(&path).expect("a scratch folder");
    path
}

/// Copies the files of a folder, and of the folders in it, into an empty one of that name.
pub(crate) fn copy(from: &Path, name: &str) -> PathBuf {
    let to = folder(name);
    copy_all(from, &to);
    to
}

fn copy_all(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("a folder to copy").flatten() {
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            fs::create_dir_all(&target).expect("a folder");
            copy_all(&path, &target);
        } else {
            again(&path, &target);
        }
    }
}

/// Puts the bytes of a file into another. Not by `fs::copy`, which the fuzzer's timer may interrupt.
pub(crate) fn again(from: &Path, to: &Path) {
    fs::write(to, fs::read(from).expect("a file to copy")).expect("a copy");
}

/// Twelve rows of three agents, which certificates and predictors of the corpus are about.
pub(crate) const TINY: &str = include_str!("../data/tiny.csv");

/// The rows as a file.
pub(crate) fn tiny() -> &'static Path {
    static TINY_FILE: LazyLock<PathBuf> = LazyLock::new(|| file("tiny.csv", TINY.as_bytes()));
    &TINY_FILE
}
