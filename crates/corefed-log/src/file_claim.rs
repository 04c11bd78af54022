//! The right to write a file that a user named, from before anything is computed until it is written.

use std::path::{Path, PathBuf};

use crate::LogError;
use crate::disk::{self, Output};

/// Held while a command is at work on a file: another that would write the same file is told at once, instead of
/// computing for an hour and replacing what the first has written.
#[derive(Debug)]
pub struct FileClaim {
    /// Beside the file; none for pipes and devices, which several may write into.
    held: Option<(PathBuf, Output)>,
}

impl FileClaim {
    /// Refuses a file that [`write_file`](crate::write_file) could not write, and one that somebody else has claimed.
    pub fn of(path: impl AsRef<Path>) -> Result<Self, LogError> {
        let path = path.as_ref();
        let output = |source| LogError::Output { path: path.to_owned(), source };
        disk::could_replace(path).map_err(output)?;
        let held = disk::claim(path).map_err(|source| LogError::write(path, source))?;
        Ok(Self { held })
    }
}

impl Drop for FileClaim {
    fn drop(&mut self) {
        if let Some((path, _)) = &self.held {
            // What cannot be removed is a leftover, which the next command takes over.
            let _ = disk::remove(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::write_file;

    #[test]
    fn a_file_is_one_writers_until_the_claim_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let claim = FileClaim::of(&path).unwrap();
        let error = FileClaim::of(&path).unwrap_err();
        assert!(matches!(error, LogError::Taken { .. }), "{error}");
        assert!(FileClaim::of(folder.path().join("b.csv")).is_ok());
        write_file(&path, "mine").unwrap();
        drop(claim);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        // A file that is there is not touched.
        drop(FileClaim::of(&path).unwrap());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        // What a killed process left is nobody's.
        fs::write(folder.path().join("a.csv.claim.partial"), "").unwrap();
        assert!(FileClaim::of(&path).is_ok());
        assert!(FileClaim::of(folder.path()).is_err());
        assert!(FileClaim::of(folder.path().join("absent/a.txt")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_claimed_where_it_leads_and_a_device_is_anybodys() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.csv"), folder.path().join("l.csv"));
        fs::write(&path, "").unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        let _claim = FileClaim::of(&link).unwrap();
        assert!(matches!(FileClaim::of(&path), Err(LogError::Taken { .. })));
        let _first = FileClaim::of("/dev/null").unwrap();
        assert!(FileClaim::of("/dev/null").is_ok());
    }
}
