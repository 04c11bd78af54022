//! Files that are either written whole or not at all.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// Writes a file beside its final name and moves it there.
pub(crate) fn write(path: &Path, contents: &str) -> Result<(), Failure> {
    write_bytes(path, contents.as_bytes())
}

/// The same for what is not text.
pub(crate) fn write_bytes(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let partial = partial_path(path);
    let result = fs::write(&partial, contents).and_then(|()| fs::rename(&partial, path));
    result.map_err(|error| {
        // The half-written file is ours; failing to remove it changes nothing.
        let _ = fs::remove_file(&partial);
        Failure::file("write", path, &error)
    })
}

/// Where a file is written before it gets its name.
pub(crate) fn partial_path(path: &Path) -> PathBuf {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    PathBuf::from(partial)
}

/// A folder that appears under its name only when everything in it is written.
pub(crate) struct NewFolder {
    partial: PathBuf,
    path: PathBuf,
}

impl NewFolder {
    /// Refuses a path that exists: worth knowing before anything is computed.
    pub(crate) fn check(path: &Path) -> Result<(), Failure> {
        if path.exists() {
            return Err(Failure::new(format!("`{}` exists already", path.display()))
                .hint("choose another folder with `--out`; runs are never overwritten"));
        }
        Ok(())
    }

    /// Prepares `path`, which must not exist.
    pub(crate) fn create(path: PathBuf) -> Result<Self, Failure> {
        Self::check(&path)?;
        let mut partial = path.as_os_str().to_owned();
        partial.push(format!(".partial-{}", std::process::id()));
        let partial = PathBuf::from(partial);
        fs::create_dir_all(&partial).map_err(|e| Failure::file("create", &partial, &e))?;
        Ok(Self { partial, path })
    }

    pub(crate) fn write(&self, name: &str, contents: &str) -> Result<(), Failure> {
        let path = self.partial.join(name);
        fs::write(&path, contents).map_err(|error| Failure::file("write", &path, &error))
    }

    /// Gives the folder its name.
    pub(crate) fn finish(self) -> Result<PathBuf, Failure> {
        fs::rename(&self.partial, &self.path)
            .map_err(|error| Failure::file("create", &self.path, &error))?;
        Ok(self.path.clone())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After `finish` there is nothing left under this name.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

/// The first of `NAME`, `NAME-2`, `NAME-3`, ... that does not exist.
pub(crate) fn next_free(parent: &Path, name: &str) -> PathBuf {
    let mut path = parent.join(name);
    let mut count = 2;
    while path.exists() {
        path = parent.join(format!("{name}-{count}"));
        count += 1;
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_finished_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let folder = NewFolder::create(path.clone()).unwrap();
        folder.write("a.txt", "half").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);

        let folder = NewFolder::create(path.clone()).unwrap();
        folder.write("a.txt", "whole").unwrap();
        assert_eq!(folder.finish().unwrap(), path);
        assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "whole");
        assert!(NewFolder::create(path).is_err());
        assert_eq!(next_free(parent.path(), "run"), parent.path().join("run-2"));
    }
}
