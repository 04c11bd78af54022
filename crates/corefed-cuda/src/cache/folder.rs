//! Where machine code is kept.

use std::env;
use std::ffi::OsString;
use std::path::PathBuf;

/// `kernels` in `COREFED_CACHE`, else in `corefed` in the user's cache, beside downloaded data; `None` where that is
/// unknown.
pub(super) fn kernels() -> Option<PathBuf> {
    resolve(&|name| env::var_os(name))
}

fn resolve(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // A variable set to nothing counts as unset, as everywhere.
    let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = || {
        if cfg!(windows) {
            path("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            path("HOME").map(|home| home.join("Library/Caches"))
        } else {
            // The specification says to ignore a relative path.
            path("XDG_CACHE_HOME")
                .filter(|cache| cache.is_absolute())
                .or_else(|| path("HOME").map(|home| home.join(".cache")))
        }
    };
    let own = path("COREFED_CACHE").or_else(|| cache().map(|cache| cache.join("corefed")))?;
    Some(own.join("kernels"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(set: &[(&str, &str)]) -> Option<PathBuf> {
        resolve(&|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_variable_wins_over_the_cache_of_the_user() {
        let set = [("COREFED_CACHE", "/fast"), ("HOME", "/h"), ("LOCALAPPDATA", "/l")];
        assert_eq!(folder(&set), Some(PathBuf::from("/fast/kernels")));
        let own = folder(&set[1..]).unwrap();
        assert!(own.ends_with("corefed/kernels"), "{own:?}");
        let empty = [("COREFED_CACHE", ""), ("HOME", "/h"), ("LOCALAPPDATA", "/l")];
        assert_eq!(folder(&empty), Some(own));
    }

    #[test]
    fn without_a_home_nothing_is_kept() {
        assert_eq!(folder(&[]), None);
    }
}
