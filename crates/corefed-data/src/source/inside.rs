//! A data folder that somebody else made: what a set is read from, and written to, lies in it.

use std::fs;
use std::path::{Path, PathBuf};

use super::SourceError;
use super::catalogue::Entry;

/// Refuses a set whose folder, or a file in it, is a link that leads out of the data folder, or nowhere. The data
/// folder itself may be behind a link.
pub fn check_inside(entry: &Entry, data_folder: &Path) -> Result<(), SourceError> {
    let Ok(root) = fs::canonicalize(data_folder) else { return Ok(()) };
    let own = data_folder.join(entry.name);
    let leads_out = |path: &PathBuf| {
        fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink())
            && !fs::canonicalize(path).is_ok_and(|target| target.starts_with(&root))
    };
    // A folder that cannot be listed is blamed by who reads it.
    let listed = fs::read_dir(&own).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = listed.collect();
    paths.sort();
    match std::iter::once(own).chain(paths).find(leads_out) {
        Some(path) => Err(SourceError::Link { target: fs::read_link(&path).ok(), path }),
        None => Ok(()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::source::catalogue::find;

    #[test]
    fn links_that_lead_out_of_the_data_folder_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let [data, elsewhere, behind] =
            ["data", "elsewhere", "behind"].map(|name| place.path().join(name));
        let mnist = find("mnist").unwrap();
        assert!(check_inside(mnist, &data).is_ok(), "nothing is there yet");
        for folder in [&data, &elsewhere] {
            fs::create_dir(folder).unwrap();
        }
        symlink(&data, &behind).unwrap();
        for target in [elsewhere.as_path(), Path::new("../nowhere")] {
            symlink(target, data.join("mnist")).unwrap();
            for folder in [&data, &behind] {
                let refused = check_inside(mnist, folder).unwrap_err();
                assert!(matches!(refused, SourceError::Link { .. }), "{refused}");
            }
            fs::remove_file(data.join("mnist")).unwrap();
        }
        // Within the data folder a link is a name like any other.
        fs::create_dir(data.join("digits")).unwrap();
        symlink("digits", data.join("mnist")).unwrap();
        assert!(check_inside(mnist, &behind).is_ok());
        symlink("/dev/null", data.join("digits/train-images-idx3-ubyte.gz")).unwrap();
        let refused = check_inside(mnist, &data).unwrap_err().to_string();
        assert!(refused.contains("train-images") && refused.contains("/dev/null"), "{refused}");
    }
}
