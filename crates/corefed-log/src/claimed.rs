//! A folder of several trainings: one command at a time works in it, and anybody who comes later knows what was asked.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use corefed_core::{LARGEST_JSON, read_text};

use crate::lock::FolderLock;
use crate::{DIGESTS, LogError, NewFolder, check_links};

/// What was asked for, while it is not yet done; also the lock.
pub const UNFINISHED: &str = ".unfinished";

/// A folder that one process works in. Dropped before it is [finished](Self::finish), it stays for anybody who continues,
/// unless nothing is in it.
#[derive(Debug)]
pub struct ClaimedFolder {
    path: PathBuf,
    _lock: FolderLock,
}

impl ClaimedFolder {
    /// Makes a folder that must not exist, and writes down what is asked for. Of several who try, one succeeds.
    pub fn create(path: impl AsRef<Path>, asked: &str) -> Result<Self, LogError> {
        let path = path.as_ref();
        check_free(path)?;
        let folder = NewFolder::create(path)?;
        folder.write(UNFINISHED, asked)?;
        let lock = FolderLock::take(folder.partial(), UNFINISHED)?;
        Ok(Self { path: folder.finish()?, _lock: lock })
    }

    /// Takes up a folder that exists; gives what was asked for, if that was not finished.
    pub fn take_up(path: impl AsRef<Path>) -> Result<(Self, Option<String>), LogError> {
        let path = path.as_ref();
        check_links(path)?;
        let file = path.join(UNFINISHED);
        let asked = match read_text(&file, LARGEST_JSON) {
            // An empty one is that of a finished folder which somebody took up and left.
            Ok(asked) => Some(asked).filter(|asked| !asked.is_empty()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(LogError::read(&file, source)),
        };
        let lock = FolderLock::take(path, UNFINISHED)?;
        Ok((Self { path: path.to_owned(), _lock: lock }, asked))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Everything that was asked for is there.
    pub fn finish(self) -> Result<(), LogError> {
        let file = self.path.join(UNFINISHED);
        fs::remove_file(&file).map_err(|source| LogError::write(&file, source))
    }
}

impl Drop for ClaimedFolder {
    fn drop(&mut self) {
        let names = |entry: io::Result<fs::DirEntry>| entry.ok().map(|entry| entry.file_name());
        let Ok(inside) = fs::read_dir(&self.path) else { return };
        let ours = |name: OsString| [UNFINISHED, DIGESTS].iter().any(|own| name == *own);
        if inside.map(names).all(|name| name.is_some_and(ours)) {
            // Nothing was made: it was not worth a folder. What cannot be removed does no harm.
            let _ = fs::remove_file(self.path.join(UNFINISHED));
            let _ = fs::remove_file(self.path.join(DIGESTS));
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// Refuses a path that exists, and says so where somebody was interrupted there.
fn check_free(path: &Path) -> Result<(), LogError> {
    if fs::symlink_metadata(path.join(UNFINISHED)).is_ok() {
        // A pipe in its place would be waited for.
        check_links(path)?;
        return match FolderLock::take(path, UNFINISHED) {
            Ok(_) => Err(LogError::Unfinished { path: path.to_owned() }),
            Err(busy) => Err(busy),
        };
    }
    NewFolder::check(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_two_has_the_folder_and_the_other_is_told() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("several");
        let first = ClaimedFolder::create(&path, "asked").unwrap();
        for error in [
            ClaimedFolder::create(&path, "asked").unwrap_err(),
            ClaimedFolder::take_up(&path).unwrap_err(),
        ] {
            assert!(matches!(error, LogError::Busy { .. }), "{error}");
        }
        fs::write(path.join("made"), "").unwrap();
        drop(first);
        let error = ClaimedFolder::create(&path, "asked").unwrap_err();
        assert!(matches!(error, LogError::Unfinished { .. }), "{error}");
        assert!(error.hint().unwrap().contains("@resume"));
        let (second, asked) = ClaimedFolder::take_up(&path).unwrap();
        assert_eq!(asked.as_deref(), Some("asked"));
        second.finish().unwrap();
        let error = ClaimedFolder::create(&path, "asked").unwrap_err();
        assert!(matches!(error, LogError::Exists { .. }), "{error}");
        assert_eq!(fs::read_dir(&path).unwrap().count(), 2, "what was made, and digests");
    }

    #[test]
    fn a_folder_in_which_nothing_was_made_goes() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("several");
        drop(ClaimedFolder::create(&path, "asked").unwrap());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }
}
