//! Files that only their owner may read: whole or not there, also after a loss of power.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::LogError;
use crate::disk::{self, Output};
use crate::unfinished::own_name;

/// Writes a new file for its owner's eyes alone. What has its name stays, whatever that is.
pub fn create_private(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> io::Result<()> {
    let path = path.as_ref();
    if fs::symlink_metadata(path).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let partial = beside(path, contents.as_ref())?;
    let named = match disk::link(&partial, path) {
        // Some file systems have no second names; there somebody else may be a moment faster.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => disk::rename(&partial, path),
        named => named,
    };
    let _ = disk::remove(&partial);
    named?;
    synced(path.parent())
}

/// Writes a file of a folder of ours for its owner's eyes alone: what has its name is replaced, and a link is not
/// followed.
pub fn replace_private(path: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> Result<(), LogError> {
    let path = path.as_ref();
    let replaced = beside(path, contents.as_ref())
        .and_then(|partial| disk::rename(&partial, path).inspect_err(|_| forget(&partial)));
    replaced.and_then(|()| synced(path.parent())).map_err(|source| LogError::write(path, source))
}

/// The bytes under another name, on the disk itself.
fn beside(path: &Path, contents: &[u8]) -> io::Result<PathBuf> {
    let partial = own_name(path);
    let mut output = Output::create_private(&partial)?;
    let written = output.write_all(contents).and_then(|()| synced(Some(&partial)));
    written.inspect_err(|_| forget(&partial))?;
    Ok(partial)
}

/// The half-written file is ours; failing to remove it changes nothing.
fn forget(partial: &Path) {
    let _ = disk::remove(partial);
}

fn synced(path: Option<&Path>) -> io::Result<()> {
    let here = Path::new(".");
    let path = path.filter(|path| !path.as_os_str().is_empty()).unwrap_or(here);
    disk::sync(path).map_err(|error| io::Error::other(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::fuse;

    #[test]
    fn a_kill_at_any_moment_leaves_the_file_whole_or_not_there() {
        for replaced in [false, true] {
            for changes in 0.. {
                let folder = tempfile::tempdir().unwrap();
                let path = folder.path().join("key.json");
                if replaced {
                    replace_private(&path, "before").unwrap();
                }
                fuse::kill_after(changes);
                let done = if replaced {
                    replace_private(&path, "secret").is_ok()
                } else {
                    create_private(&path, "secret").is_ok()
                };
                fuse::reset();
                let before = replaced.then(|| "before".to_owned());
                let found = fs::read_to_string(&path).ok();
                assert!(found == before || found.as_deref() == Some("secret"), "{found:?}");
                if done {
                    assert_eq!(found.as_deref(), Some("secret"));
                    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no leftovers");
                    break;
                }
                // The next who tries is not kept from it.
                if found.is_none() {
                    create_private(&path, "secret").unwrap();
                }
            }
        }
    }

    #[test]
    fn what_is_there_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key.json");
        create_private(&path, "first").unwrap();
        let refused = create_private(&path, "second").unwrap_err();
        assert_eq!(refused.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("asked.json");
        fs::write(&path, "").unwrap();
        replace_private(&path, "new").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}
