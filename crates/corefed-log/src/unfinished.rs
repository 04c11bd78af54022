//! Names of files and folders that are not yet whole, and what a killed process left of them.
//!
//! Anybody who writes holds a lock on what it writes, so that leftovers can be told from work that continues: what nobody
//! holds was left by a process that is gone.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::LogError;
use crate::disk;
use crate::links::entries;

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

/// Removes unfinished files from a folder that is locked: all that nobody is writing.
pub(crate) fn remove_files(folder: &Path) -> Result<(), LogError> {
    for path in entries(folder)? {
        if is_partial(&path) && is_abandoned(&path) {
            disk::remove(&path).map_err(|source| LogError::write(&path, source))?;
        }
    }
    Ok(())
}

/// Removes folders that killed processes left who wanted to write `path`. One that cannot be removed does no harm.
pub(crate) fn remove_folders(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(all) = entries(parent.unwrap_or(Path::new("."))) else { return };
    for found in all.iter().filter(|found| is_leftover(found.file_name(), name)) {
        if fs::symlink_metadata(found).is_ok_and(|kind| kind.is_dir()) && is_abandoned(found) {
            let _ = disk::remove_folder(found);
        }
    }
}

/// Whether `found` is what [`folder_name`] made of `name`.
fn is_leftover(found: Option<&OsStr>, name: &OsStr) -> bool {
    let (Some(found), Some(name)) = (found.and_then(OsStr::to_str), name.to_str()) else {
        return false;
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let rest = found.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
    let rest = rest.and_then(|rest| rest.strip_prefix(PARTIAL)?.strip_prefix('-'));
    let mark = rest.and_then(|rest| rest.split_once('-'));
    mark.is_some_and(|(pid, count)| digits(pid) && digits(count))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_named_for_this_very_path_is_a_leftover() {
        let is = |found: &str| is_leftover(Some(OsStr::new(found)), OsStr::new("run"));
        assert!(is("run.partial-12-0"));
        for found in ["run", "run.partial", "ran.partial-12-0", "run.partial-x-0", "run.partial-12"]
        {
            assert!(!is(found), "{found}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn leftovers_go_and_work_that_goes_on_stays() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let [dead, alive] = [folder_name(&path), folder_name(&path)];
        fs::create_dir_all(dead.join("deep")).unwrap();
        fs::create_dir(&alive).unwrap();
        let held = File::open(&alive).unwrap();
        held.try_lock().unwrap();
        remove_folders(&path);
        assert_eq!(entries(parent.path()).unwrap(), [alive.clone()]);
        drop(held);
        remove_folders(&path);
        assert!(entries(parent.path()).unwrap().is_empty());
    }
}
