//! Machine code that was compiled before, on disk.
//!
//! A cache may be missing, read-only, damaged or shared by processes: whatever goes wrong, kernels are compiled again.

mod folder;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use corefed_core::digest_bytes;

/// Changes when files are written differently.
const FORMAT: &str = "corefed kernel 1";

/// Length of a digest in hexadecimal.
const DIGEST: usize = 64;

/// Names of temporary files that are tried. Processes of containers share their numbers, so one that died may have
/// left a file of this name.
const NAMES: usize = 16;

/// A folder of machine code, or none.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    folder: Option<PathBuf>,
}

/// Everything that machine code depends on, as a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    /// Of a text, the compiler's options and version, and the device's compute capability.
    pub(crate) fn new(
        text: &str,
        options: &[&str],
        version: (i32, i32),
        capability: (i32, i32),
    ) -> Self {
        // No part has a zero inside, for the compiler ends texts with one, so no two keys are written alike.
        let (options, count) = (options.join("\0"), options.len());
        let whole = format!("{FORMAT}\0{version:?}\0{capability:?}\0{count}\0{options}\0{text}");
        Self(digest_bytes(whole.as_bytes()))
    }
}

impl Cache {
    /// That of the user, where there is a place for it.
    pub(crate) fn of_user() -> Self {
        Self { folder: folder::kernels() }
    }

    /// Keeps nothing.
    #[cfg(test)]
    pub(crate) fn none() -> Self {
        Self { folder: None }
    }

    /// What is kept under a key, else what `make` makes, which is then kept.
    pub(crate) fn get_or<E>(
        &self,
        key: &Key,
        make: impl FnOnce() -> Result<Vec<u8>, E>,
    ) -> Result<Vec<u8>, E> {
        let Some(folder) = &self.folder else { return make() };
        let path = folder.join(format!("{}.cubin", key.0));
        if let Some(code) = read(&path, key) {
            return Ok(code);
        }
        let code = make()?;
        // Without it the next start only takes longer.
        let _ = write(folder, &path, key, &code);
        Ok(code)
    }
}

/// The code in a file, if it is whole and belongs to the key.
fn read(path: &Path, key: &Key) -> Option<Vec<u8>> {
    let mut bytes = fs::read(path).ok()?;
    let code = bytes.get(DIGEST..)?;
    let is_whole = seal(key, code).as_bytes() == &bytes[..DIGEST];
    is_whole.then(|| bytes.split_off(DIGEST))
}

/// Readers see the whole file or none.
fn write(folder: &Path, path: &Path, key: &Key, code: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let (mut file, temporary) = create(folder, key)?;
    let whole = [seal(key, code).as_bytes(), code].concat();
    let written = file.write_all(&whole);
    drop(file);
    let moved = written.and_then(|()| fs::rename(&temporary, path));
    if moved.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    moved
}

/// A new file that no other thread or process writes to.
fn create(folder: &Path, key: &Key) -> io::Result<(fs::File, PathBuf)> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let mut taken = io::Error::from(io::ErrorKind::AlreadyExists);
    for _ in 0..NAMES {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}.{}.{number}.part", key.0, process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => taken = error,
            Err(error) => return Err(error),
        }
    }
    Err(taken)
}

/// Digest of code and key: a file under another's name is damage, too.
fn seal(key: &Key, code: &[u8]) -> String {
    digest_bytes(&[key.0.as_bytes(), code].concat())
}

#[cfg(test)]
mod tests;
