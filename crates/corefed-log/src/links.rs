//! Folders that somebody else made: nothing in them may lead out.
//!
//! Who opens a run folder means the files in it. A link to another place would be read in their stead, or written
//! through, so it is refused by name. Links that stay inside are only read. A pipe among the files would have its reader
//! wait for ever.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::LogError;

/// Refuses a folder with a link that leads out of it, or nowhere, or with a pipe, a socket or a device. The folder
/// itself may be a link, and a path that is not a folder has nothing in it.
pub fn check_links(folder: impl AsRef<Path>) -> Result<(), LogError> {
    let folder = folder.as_ref();
    let Ok(root) = fs::canonicalize(folder) else { return Ok(()) };
    let mut open = if root.is_dir() { vec![folder.to_owned()] } else { Vec::new() };
    while let Some(folder) = open.pop() {
        for path in entries(&folder)? {
            let kind = match fs::symlink_metadata(&path) {
                Ok(found) => found.file_type(),
                // Somebody who writes beside us has renamed it since the folder was listed.
                Err(source) if source.kind() == io::ErrorKind::NotFound => continue,
                Err(source) => return Err(LogError::read(&path, source)),
            };
            if kind.is_symlink() {
                inside(&root, path)?;
            } else if kind.is_dir() {
                open.push(path);
            } else if !kind.is_file() {
                return Err(LogError::NotAFile { path });
            }
        }
    }
    Ok(())
}

/// Refuses a file or folder that is a link, wherever it leads: it is about to be written.
pub(crate) fn check_no_link(path: &Path) -> Result<(), LogError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            Err(LogError::Link { path: path.to_owned(), target: fs::read_link(path).ok() })
        }
        // What is not there is about to be made.
        _ => Ok(()),
    }
}

fn inside(root: &Path, path: PathBuf) -> Result<(), LogError> {
    if fs::canonicalize(&path).is_ok_and(|target| target.starts_with(root)) {
        return Ok(());
    }
    let target = fs::read_link(&path).ok();
    Err(LogError::Link { path, target })
}

/// Sorted, so that a failure is the same one each time.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, LogError> {
    let failed = |source| LogError::read(folder, source);
    let entries = fs::read_dir(folder).map_err(failed)?;
    let mut paths =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.sort();
    Ok(paths)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_that_lead_out_or_nowhere_are_refused_by_name() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("run");
        fs::create_dir_all(folder.join("deep/er")).unwrap();
        fs::write(folder.join("file"), "").unwrap();
        symlink("../../file", folder.join("deep/er/inside")).unwrap();
        symlink(".", folder.join("deep/loop")).unwrap();
        check_links(&folder).unwrap();
        let own = parent.path().join("link-to-run");
        symlink("run", &own).unwrap();
        check_links(&own).unwrap();
        for (target, name) in [("../../..", "deep/out"), ("nothing", "nowhere"), ("/", "root")] {
            let link = folder.join(name);
            symlink(target, &link).unwrap();
            let error = check_links(&folder).unwrap_err();
            let LogError::Link { path, target: told } = &error else { panic!("{error}") };
            assert_eq!((path, told.as_deref()), (&link, Some(Path::new(target))));
            assert!(error.hint().is_some());
            fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn what_would_have_its_reader_wait_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rounds.jsonl");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = check_links(folder.path()).unwrap_err();
        assert!(matches!(&error, LogError::NotAFile { path: told } if *told == path), "{error}");
        assert!(error.hint().is_some());
    }

    #[test]
    fn files_that_come_and_go_while_it_looks_are_nobodys_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.html.partial");
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Relaxed) {
                    fs::write(&path, "half").unwrap();
                    fs::rename(&path, folder.path().join("report.html")).unwrap();
                }
            });
            let looks: Vec<_> = (0..3000).map(|_| check_links(folder.path())).collect();
            over.store(true, std::sync::atomic::Ordering::Relaxed);
            for look in looks {
                look.unwrap();
            }
        });
    }

    #[test]
    fn what_is_not_there_has_no_links() {
        let parent = tempfile::tempdir().unwrap();
        check_links(parent.path().join("absent")).unwrap();
    }
}
