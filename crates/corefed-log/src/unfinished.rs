//! Names of files and folders that are not yet whole, and what a killed process left of them.
//!
//! Whoever writes holds a lock on what it writes, so that leftovers can be told from work that goes on: what nobody
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

/// A name for a file until it is whole: `NAME.PID-NUMBER.partial`, beside it.
pub(crate) fn file_name(path: &Path) -> PathBuf {
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

/// Removes what killed processes left that wanted to write `path`. A leftover that cannot be removed does no harm.
pub(crate) fn remove_leftovers(path: &Path) {
    let Some(name) = path.file_name() else { return };
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let Ok(all) = entries(parent.unwrap_or(Path::new("."))) else { return };
    for found in all.iter().filter(|found| is_leftover(found.file_name(), name)) {
        let is_folder = fs::symlink_metadata(found).is_ok_and(|kind| kind.is_dir());
        if is_abandoned(found) {
            let _ = if is_folder { disk::remove_folder(found) } else { disk::remove(found) };
        }
    }
}

/// Whether `found` is what [`file_name`] or [`folder_name`] made of `name`.
fn is_leftover(found: Option<&OsStr>, name: &OsStr) -> bool {
    let (Some(found), Some(name)) = (found.and_then(OsStr::to_str), name.to_str()) else {
        return false;
    };
    let is_mark = |text: &str| {
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        text.split_once('-').is_some_and(|(pid, count)| digits(pid) && digits(count))
    };
    let rest = found.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
    rest.is_some_and(|rest| {
        let file = rest.strip_suffix(PARTIAL).and_then(|rest| rest.strip_suffix('.'));
        let folder = rest.strip_prefix(PARTIAL).and_then(|rest| rest.strip_prefix('-'));
        file.or(folder).is_some_and(is_mark)
    })
}

/// Whether nobody holds the lock of something unfinished. A link is nobody's work, and where there are no locks
/// nothing is known.
fn is_abandoned(path: &Path) -> bool {
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
        let is = |found: &str| is_leftover(Some(OsStr::new(found)), OsStr::new("a.csv"));
        for found in ["a.csv.12-0.partial", "a.csv.partial-12-0"] {
            assert!(is(found), "{found}");
        }
        for found in [
            "a.csv",
            "a.csv.partial",
            "b.csv.12-0.partial",
            "a.csv.x-0.partial",
            "a.csv.partial-12",
        ] {
            assert!(!is(found), "{found}");
        }
    }

    #[test]
    fn leftovers_go_and_work_that_goes_on_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let [dead, alive] = [file_name(&path), file_name(&path)];
        let dead_folder = folder_name(&path);
        fs::write(&dead, "half").unwrap();
        fs::create_dir_all(dead_folder.join("deep")).unwrap();
        let held = File::create(&alive).unwrap();
        held.try_lock().unwrap();
        remove_leftovers(&path);
        assert_eq!(entries(folder.path()).unwrap(), [alive.clone()]);
        drop(held);
        remove_leftovers(&path);
        assert!(entries(folder.path()).unwrap().is_empty());
    }
}
