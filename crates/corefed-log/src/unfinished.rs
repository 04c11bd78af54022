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

/// Whether nobody holds the lock of something unfinished. A link is nobody's work, and where there are no locks
/// nothing is known.
pub(crate) fn is_abandoned(path: &Path) -> bool {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => true,
        Ok(_) => File::open(path).is_ok_and(|file| file.try_lock().is_ok()),
        Err(_) => false,
    }
}
