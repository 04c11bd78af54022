//! Where data sets are kept.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The data folder: the one given, else `COREFED_DATA`, else `corefed` in the user's cache.
/// It need not exist.
pub fn data_folder(given: Option<&Path>) -> Result<PathBuf, FolderError> {
    resolve(given, System::current(), &|name| env::var_os(name))
}

/// No place to keep data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no data folder: none was given, and the user's cache folder is unknown")]
pub struct FolderError;

impl FolderError {
    /// What the reader can do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "give `@data-dir`, or set COREFED_DATA"
    }
}

/// Systems differ in where caches go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum System {
    Windows,
    MacOs,
    Other,
}

impl System {
    fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Other
        }
    }
}

fn resolve(
    given: Option<&Path>,
    system: System,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<PathBuf, FolderError> {
    // A variable set to nothing counts as unset, as everywhere.
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(folder) = given.map(Path::to_owned).or_else(|| path("COREFED_DATA")) {
        return Ok(folder);
    }
    let cache = match system {
        System::Windows => path("LOCALAPPDATA"),
        System::MacOs => path("HOME").map(|home| home.join("Library/Caches")),
        // The specification says to ignore a relative path.
        System::Other => path("XDG_CACHE_HOME")
            .filter(|cache| cache.is_absolute())
            .or_else(|| path("HOME").map(|home| home.join(".cache"))),
    };
    cache.map(|cache| cache.join("corefed")).ok_or(FolderError)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(system: System, given: Option<&str>, set: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        let folder = resolve(given.map(Path::new), system, &variable).ok()?;
        Some(folder.to_str().unwrap().replace('\\', "/"))
    }

    #[test]
    fn what_is_given_wins_over_the_variable_and_the_variable_over_the_cache() {
        let set = [("COREFED_DATA", "/data"), ("HOME", "/people/ada")];
        assert_eq!(folder(System::Other, Some("here"), &set).unwrap(), "here");
        assert_eq!(folder(System::Other, None, &set).unwrap(), "/data");
        assert_eq!(folder(System::Other, None, &set[1..]).unwrap(), "/people/ada/.cache/corefed");
    }

    #[test]
    fn every_system_has_its_cache() {
        let home = ("HOME", "/people/ada");
        let mac = folder(System::MacOs, None, &[home]).unwrap();
        assert_eq!(mac, "/people/ada/Library/Caches/corefed");
        let windows = folder(System::Windows, None, &[home, ("LOCALAPPDATA", "C:/Local")]);
        assert_eq!(windows.unwrap(), "C:/Local/corefed");
    }

    #[cfg(unix)]
    #[test]
    fn the_cache_variable_must_be_absolute_and_not_empty() {
        let with =
            |cache| folder(System::Other, None, &[("XDG_CACHE_HOME", cache), ("HOME", "/h")]);
        assert_eq!(with("/c").unwrap(), "/c/corefed");
        assert_eq!(with("c").unwrap(), "/h/.cache/corefed");
        assert_eq!(with("").unwrap(), "/h/.cache/corefed");
    }

    #[test]
    fn without_a_home_the_folder_must_be_given() {
        assert_eq!(folder(System::Other, None, &[("COREFED_DATA", "")]), None);
        assert_eq!(folder(System::Windows, None, &[("HOME", "/h")]), None);
    }
}
