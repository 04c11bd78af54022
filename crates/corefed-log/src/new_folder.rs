//! Folders and files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::digests::{list_all, write_listed};
use crate::leftovers::remove_folders;
use crate::unfinished::{PARTIAL, folder_name, hold, mark, own_name};
use crate::{LogError, disk};

/// Writes a file that a user named beside its final name and moves it there. Pipes and devices are written into, links
/// are followed.
pub fn write_file(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> Result<(), LogError> {
    write_file_with(path, |output| output.write_all(contents.as_ref()))
}

/// As [`write_file`], for contents that are written bit by bit.
pub(crate) fn write_file_with(
    path: impl AsRef<Path>,
    contents: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), LogError> {
    disk::replace(path.as_ref(), |output| {
        let mut buffer = io::BufWriter::new(output);
        contents(&mut buffer)?;
        buffer.flush()
    })
}

/// Writes a file of a folder whole or not at all: what has its name is replaced, and a link is not followed. For
/// folders that somebody else may have made. Where the folder has a list of digests, the file is listed.
pub fn write_entry(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> Result<(), LogError> {
    write_listed(path.as_ref(), contents.as_ref())
}

/// A folder that gets its name when everything in it is written; dropped before, it leaves nothing.
#[derive(Debug)]
pub struct NewFolder {
    partial: PathBuf,
    path: PathBuf,
    /// Says that somebody is at work; not every system locks folders.
    _lock: Option<File>,
}

impl NewFolder {
    /// Refuses a path that exists, which is worth knowing before anything is computed.
    pub fn check(path: impl AsRef<Path>) -> Result<(), LogError> {
        let path = path.as_ref();
        match fs::symlink_metadata(path) {
            Ok(_) => Err(LogError::Exists { path: path.to_owned() }),
            Err(_) => writable(path),
        }
    }

    /// Prepares a folder beside `path`, which must not exist; its parents are created. What a process left there
    /// that was killed is removed.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, LogError> {
        let path = path.as_ref();
        Self::check(path)?;
        remove_folders(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|source| LogError::write(parent, source))?;
        }
        loop {
            let partial = folder_name(path);
            disk::create_new_folder(&partial)?;
            match File::open(&partial) {
                Ok(made) if hold(&made, &partial) => {
                    return Ok(Self { partial, path: path.to_owned(), _lock: Some(made) });
                }
                // Another process took it for a leftover before it was locked.
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                // Not every system opens folders, and then nobody can take it.
                Err(_) => return Ok(Self { partial, path: path.to_owned(), _lock: None }),
            }
        }
    }

    /// Where it is until it gets its name.
    #[must_use]
    pub fn partial(&self) -> &Path {
        &self.partial
    }

    /// Writes a file into it.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> Result<(), LogError> {
        disk::replace_entry(&self.partial.join(name), |output| output.write_all(contents.as_ref()))
    }

    /// Lists the digests of what is in it, and gives the folder its name.
    pub fn finish(self) -> Result<PathBuf, LogError> {
        list_all(&self.partial)?;
        disk::rename(&self.partial, &self.path).map_err(|source| {
            // Somebody else was faster.
            if fs::symlink_metadata(&self.path).is_ok() {
                return LogError::Exists { path: self.path.clone() };
            }
            LogError::write(&self.path, source)
        })?;
        Ok(self.path.clone())
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        // After `finish` there is nothing left under this name.
        let _ = disk::remove_folder(&self.partial);
    }
}

/// Makes `copy`, which holds the same bytes, a hard link to `original`: one file under two names, each of
/// which is replaced and removed without the other.
pub fn share_file(original: impl AsRef<Path>, copy: impl AsRef<Path>) -> io::Result<()> {
    let (original, copy) = (original.as_ref(), copy.as_ref());
    let link = own_name(copy);
    fs::hard_link(original, &link)?;
    let renamed = fs::rename(&link, copy);
    // Two names of one file are not renamed to each other, and the link would stay.
    let _ = fs::remove_file(&link);
    renamed
}

/// Whether a folder could be made here: the nearest folder that exists must take new names.
fn writable(path: &Path) -> Result<(), LogError> {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let Some(parent) = absolute.ancestors().skip(1).find(|folder| folder.exists()) else {
        return Ok(());
    };
    let probe = parent.join(format!(".corefed-{}.{PARTIAL}", mark()));
    let made = fs::create_dir(&probe).and_then(|()| fs::remove_dir(&probe));
    match made {
        // Another thread asks the same.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made.map_err(|source| LogError::Folder { path: path.to_owned(), source }),
    }
}

/// The first of `NAME`, `NAME-2`, `NAME-3`, ... that does not exist.
#[must_use]
pub fn next_free(parent: impl AsRef<Path>, name: &str) -> PathBuf {
    let parent = parent.as_ref();
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
    fn a_folder_below_a_file_is_refused_before_anything_is_written() {
        let parent = tempfile::tempdir().unwrap();
        fs::write(parent.path().join("file"), "x").unwrap();
        let error = NewFolder::check(parent.path().join("file/run")).unwrap_err();
        assert!(matches!(error, LogError::Folder { .. }), "{error}");
        assert!(NewFolder::check(parent.path().join("new/run")).is_ok());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }

    #[test]
    fn shared_files_are_replaced_apart() {
        let folder = tempfile::tempdir().unwrap();
        let [first, second] = ["a", "b"].map(|name| folder.path().join(name));
        for path in [&first, &second] {
            write_file(path, "same").unwrap();
        }
        for _ in 0..2 {
            share_file(&first, &second).unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
        write_file(&second, "other").unwrap();
        assert_eq!(fs::read_to_string(&first).unwrap(), "same");
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, lost] = ["file", "link", "lost"].map(|name| folder.path().join(name));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");

        let target = folder.path().join("not-there-yet");
        std::os::unix::fs::symlink(&target, &lost).unwrap();
        write_file(&lost, "found").unwrap();
        assert!(fs::symlink_metadata(&lost).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "found");
    }

    #[test]
    fn a_folder_that_is_not_finished_leaves_nothing() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("run");
        let folder = NewFolder::create(&path).unwrap();
        folder.write("a.txt", "half").unwrap();
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);

        let folder = NewFolder::create(&path).unwrap();
        folder.write("a.txt", "whole").unwrap();
        assert_eq!(folder.finish().unwrap(), path);
        assert_eq!(fs::read_to_string(path.join("a.txt")).unwrap(), "whole");
        assert!(NewFolder::create(&path).is_err());
        assert_eq!(next_free(parent.path(), "run"), parent.path().join("run-2"));
    }

    #[test]
    fn nobody_takes_what_was_just_made_for_a_leftover() {
        let parent = tempfile::tempdir().unwrap();
        let [path, file] = ["run", "file"].map(|name| parent.path().join(name));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let folder = NewFolder::create(&path).unwrap();
                        folder.write("a.txt", "half").unwrap();
                        drop(folder);
                        write_entry(&file, "whole").unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&file).unwrap(), "whole");
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}
