//! What killed processes left: removed by the next process, if nobody is at work on it.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use crate::links::entries;
use crate::unfinished::{Leftover, PARTIAL, is_partial};
use crate::{LogError, disk};

/// Removes unfinished files from a folder that is locked: all that nobody is writing.
pub(crate) fn remove_files(folder: &Path) -> Result<(), LogError> {
    for path in entries(folder)? {
        if !is_partial(&path) {
            continue;
        }
        if let Some(_held) = Leftover::take(&path) {
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
        if !fs::symlink_metadata(found).is_ok_and(|kind| kind.is_dir()) {
            continue;
        }
        if let Some(_held) = Leftover::take(found) {
            let _ = disk::remove_folder(found);
        }
    }
}

/// Whether `found` is what [`folder_name`](crate::unfinished::folder_name) made of `name`.
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

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::unfinished::folder_name;

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
        assert_eq!(entries(parent.path()).unwrap(), std::slice::from_ref(&alive));
        drop(held);
        remove_folders(&path);
        assert!(entries(parent.path()).unwrap().is_empty());
    }
}
