//! Files of ours in a folder that others may write to: a link in their place is never followed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::Path;

/// Opens a file to write to, as it is, or makes it. A link of that name is removed first: it is only a name.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    match create(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => return made,
    }
    if fs::symlink_metadata(path)?.is_symlink() {
        fs::remove_file(path)?;
        return create(path);
    }
    let file = OpenOptions::new().write(true).open(path)?;
    if is_named(&file, path)? {
        return Ok(file);
    }
    Err(io::Error::other("it was replaced while it was opened"))
}

fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Whether a path names this very file, not a link to it.
#[cfg(unix)]
fn is_named(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let (ours, found) = (file.metadata()?, fs::symlink_metadata(path)?);
    Ok((ours.dev(), ours.ino()) == (found.dev(), found.ino()))
}

/// Whether a path names a file, not a link to one.
#[cfg(not(unix))]
fn is_named(_file: &File, path: &Path) -> io::Result<bool> {
    Ok(!fs::symlink_metadata(path)?.is_symlink())
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_replaced_and_files_continued() {
        let folder = tempfile::tempdir().unwrap();
        let [own, elsewhere, nowhere] = ["own", "else", "no"].map(|name| folder.path().join(name));
        fs::write(&elsewhere, "precious").unwrap();
        for target in [&elsewhere, &nowhere] {
            symlink(target, &own).unwrap();
            open(&own).unwrap().write_all(b"x").unwrap();
            assert!(fs::symlink_metadata(&own).unwrap().is_file());
            fs::remove_file(&own).unwrap();
        }
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "precious");
        assert!(!nowhere.exists());
        fs::write(&own, "half").unwrap();
        assert_eq!(open(&own).unwrap().metadata().unwrap().len(), 4, "what is there stays");
    }
}
