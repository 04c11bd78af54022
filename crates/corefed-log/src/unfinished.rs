//! Names of files and folders that are not yet whole, and whether somebody is still writing them.
//!
//! Anybody who writes holds a lock on what it writes, so that leftovers can be told from work that continues: what nobody
//! holds was left by a process that is gone.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a file is called until it is whole.
pub(crate) const PARTIAL: &str = "partial";

/// `PID-NUMBER`, new at every call: two threads may want the same name.
pub(crate) fn mark() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The name of a file until it is whole: `NAME.partial`, beside it. Anybody who makes it has the right to write `NAME`.
pub(crate) fn file_name(path: &Path) -> PathBuf {
    named(path, &format!(".{PARTIAL}"))
}

/// Who has this name, until it is whole, may write `NAME` for as long as its command runs.
pub(crate) fn claim_name(path: &Path) -> PathBuf {
    named(path, ".claim")
}

/// A name beside a file that nobody has: `NAME.PID-NUMBER.partial`.
pub(crate) fn own_name(path: &Path) -> PathBuf {
    named(path, &format!(".{}.{PARTIAL}", mark()))
}

/// A name for a folder until it is whole: `NAME.partial-PID-NUMBER`, beside it.
pub(crate) fn folder_name(path: &Path) -> PathBuf {
    named(path, &format!(".{PARTIAL}-{}", mark()))
}

fn named(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Whether a name is that of a file before it is whole.
pub(crate) fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == PARTIAL)
}

/// What a killed process left, held so that nobody else takes it for theirs while it is removed.
#[derive(Debug)]
pub(crate) struct Leftover {
    _lock: Option<File>,
}

impl Leftover {
    /// Takes something unfinished that nobody holds. A link or a pipe is nobody's work, and where there are no locks
    /// nothing is known.
    pub(crate) fn take(path: &Path) -> Option<Self> {
        let kind = fs::symlink_metadata(path).ok()?.file_type();
        if !kind.is_file() && !kind.is_dir() {
            return Some(Self { _lock: None });
        }
        let file = File::open(path).ok()?;
        file.try_lock().ok()?;
        // Its owner may have finished it before it was locked, and somebody else begun another.
        is_named(&file, path).then_some(Self { _lock: Some(file) })
    }
}

/// Locks something that was made just now. False where somebody took it for a leftover before it was locked: it is
/// removed, and has to be made again.
pub(crate) fn hold(made: &File, path: &Path) -> bool {
    // Anybody who looks whether it is a leftover holds it for a moment. Some file systems have no locks at all: there
    // nobody takes anything.
    let _ = made.lock();
    is_named(made, path)
}

/// Whether a path still names this very file or folder.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(ours), Ok(found)) = (file.metadata(), fs::symlink_metadata(path)) else { return false };
    (ours.dev(), ours.ino()) == (found.dev(), found.ino())
}

/// Whether a path still names this very file or folder: what is open cannot be removed here.
#[cfg(not(unix))]
fn is_named(_file: &File, path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_before_it_was_locked_is_known_to_be_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.partial");
        let made = File::create(&path).unwrap();
        let taken = Leftover::take(&path).expect("nobody holds it yet");
        fs::remove_file(&path).unwrap();
        drop(taken);
        assert!(!hold(&made, &path), "it is removed");
        let other = File::create(&path).unwrap();
        assert!(!hold(&made, &path), "another has its name");
        assert!(hold(&other, &path));
        assert!(Leftover::take(&path).is_none(), "somebody holds it");
        drop(other);
        assert!(Leftover::take(&path).is_some(), "its process is gone");
    }
}
