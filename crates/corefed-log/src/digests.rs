//! What the documents of a folder were when they were written: `digests.sha256`, as `sha256sum --check` reads it, and how
//! many there are.
//!
//! A document is listed after it is written, and taken from the list before it is replaced: at any moment at which a
//! process may be killed, what is listed is what was written. Records have their digests in checkpoints, and a page
//! can be made again.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use corefed_core::{LARGEST_JSON, digest_bytes, digest_file, read_bytes};

use crate::altered::Altered;
use crate::links::entries;
use crate::unfinished::is_partial;
use crate::view::{AGENTS, EVENTS, ROUNDS};
use crate::{LogError, disk};

/// Name of the list in a folder.
pub const DIGESTS: &str = "digests.sha256";
/// Name of the page in a folder, which may be made again at any time.
pub const PAGE: &str = "report.html";

/// Digests by name.
#[derive(Debug, Default)]
struct Digests {
    known: BTreeMap<String, String>,
    /// Whether there are lines that nobody of us wrote.
    odd: bool,
}

impl Digests {
    /// Those of a folder; `None` where it has no list, as those of older versions.
    fn read(folder: &Path) -> Result<Option<Self>, LogError> {
        let path = folder.join(DIGESTS);
        let bytes = match read_bytes(&path, LARGEST_JSON) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            bytes => bytes.map_err(|source| LogError::read(&path, source))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let (mut found, mut count) = (Self::default(), "");
        for line in text.lines() {
            match line.split_once("  ") {
                Some((digest, name)) if is_digest(digest) && covers(name) => {
                    found.known.insert(name.to_owned(), digest.to_owned());
                }
                None if line.starts_with('#') => count = line,
                _ => found.odd = true,
            }
        }
        // Without the count a list that is cut off at the end of a line would be whole.
        found.odd |= !text.ends_with('\n') || count != found.count();
        Ok(Some(found))
    }

    fn write(&self, folder: &Path) -> Result<(), LogError> {
        let mut text = String::new();
        for (name, digest) in &self.known {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{digest}  {name}");
        }
        let _ = writeln!(text, "{}", self.count());
        disk::replace_entry(&folder.join(DIGESTS), |output| output.write_all(text.as_bytes()))
    }

    /// The last line, a comment to `sha256sum`.
    fn count(&self) -> String {
        format!("# {} documents", self.known.len())
    }

    /// Lists a file as it is; one that is not there is not listed.
    fn add(&mut self, folder: &Path, name: &str) -> Result<(), LogError> {
        if let Some(digest) = digest_of(&folder.join(name))? {
            self.known.insert(name.to_owned(), digest);
        }
        Ok(())
    }
}

/// Lists every document of a folder that is new.
pub(crate) fn list_all(folder: &Path) -> Result<(), LogError> {
    let mut digests = Digests::default();
    for path in entries(folder)? {
        let name = path.file_name().and_then(|name| name.to_str());
        if let Some(name) = name.filter(|name| covers(name) && path.is_file()) {
            digests.add(folder, name)?;
        }
    }
    digests.write(folder)
}

/// Begins the list of a folder that somebody else made, with the documents that are there to begin with.
pub fn begin_list(folder: impl AsRef<Path>, names: &[&str]) -> Result<(), LogError> {
    Digests::default().write(folder.as_ref())?;
    list(folder, names)
}

/// Lists documents that are not listed, where there is a list.
pub fn list(folder: impl AsRef<Path>, names: &[&str]) -> Result<(), LogError> {
    let folder = folder.as_ref();
    let Some(mut digests) = Digests::read(folder)? else { return Ok(()) };
    for name in names {
        if covers(name) && !digests.known.contains_key(*name) {
            digests.add(folder, name)?;
        }
    }
    digests.write(folder)
}

/// Takes a document from the list before it is replaced or removed.
pub(crate) fn forget(folder: &Path, name: &str) -> Result<(), LogError> {
    let Some(mut digests) = Digests::read(folder)? else { return Ok(()) };
    if digests.known.remove(name).is_none() {
        return Ok(());
    }
    digests.write(folder)
}

/// Writes a document whole or not at all, and lists it where its folder has a list.
pub(crate) fn write_listed(path: &Path, contents: &[u8]) -> Result<(), LogError> {
    let write = || disk::replace_entry(path, |output| output.write_all(contents));
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|n| n.to_str()))
    else {
        return write();
    };
    let Some(digests) = Digests::read(folder)?.filter(|_| covers(name)) else { return write() };
    if digests.known.get(name) == Some(&digest_bytes(contents)) {
        return write();
    }
    forget(folder, name)?;
    write()?;
    list(folder, &[name])
}

/// Documents of a folder that are not what was written, as far as its list tells; none where it has no list.
pub fn altered_documents(folder: impl AsRef<Path>) -> Result<Vec<Altered>, LogError> {
    let folder = folder.as_ref();
    let Some(digests) = Digests::read(folder)? else { return Ok(Vec::new()) };
    let by = folder.join(DIGESTS);
    let mut altered = Vec::new();
    if digests.odd {
        altered.push(Altered::List { path: by.clone() });
    }
    for (name, digest) in &digests.known {
        let path = folder.join(name);
        let found = digest_of(&path)?;
        // A process may have replaced it in the meantime, and the list with it.
        let listed = || Ok(Digests::read(folder)?.and_then(|now| now.known.get(name).cloned()));
        if found.as_ref() == Some(digest) || listed()?.as_ref() != Some(digest) {
            continue;
        }
        altered.push(match found {
            Some(_) => Altered::File { path, by: by.clone() },
            None => Altered::Removed { path, by: by.clone() },
        });
    }
    Ok(altered)
}

/// SHA-256 of a file; `None` where there is none.
fn digest_of(path: &Path) -> Result<Option<String>, LogError> {
    match digest_file(path) {
        Ok(digest) => Ok(Some(digest)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LogError::read(path, source)),
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// Whether a name is that of a document of its folder: not hidden, not elsewhere, not one that changes by itself.
fn covers(name: &str) -> bool {
    if name == EVENTS {
        return true;
    }
    let plain = !name.is_empty()
        && !name.starts_with('.')
        && !name.contains(['/', '\\'])
        && !name.contains(char::is_control);
    plain && ![DIGESTS, PAGE, ROUNDS, AGENTS].contains(&name) && !is_partial(Path::new(name))
}

#[cfg(test)]
mod tests;
