//! A whole set: every file from the first address that has it.

use std::fmt;
use std::path::{Path, PathBuf};

use corefed_data::source::catalogue::{self, Entry, KnownFile, Origin, Published};
use corefed_data::source::{Depth, FileState, check_inside, file_state};
use ureq::Agent;

use crate::download::{client, download};
use crate::lock::FolderLock;
use crate::partial::{Partial, Verified};
use crate::unpack::unpack;
use crate::{FetchError, Progress};

/// How to fetch.
pub struct Options<'a> {
    /// Address to which file names are appended, in place of the publishers'.
    pub mirror: Option<String>,
    /// Told what happens.
    pub progress: &'a mut dyn FnMut(Progress<'_>),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Folder of the set, in which every file now is what was published.
    pub folder: PathBuf,
    /// Files that were already there.
    pub kept: Vec<&'static str>,
    /// Files that were put there.
    pub placed: Vec<&'static str>,
}

impl fmt::Display for Fetched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (placed, kept) = (self.placed.len(), self.kept.len());
        write!(f, "{placed} files fetched, {kept} already there, all checksums right: ")?;
        self.folder.display().fmt(f)
    }
}

/// Puts the files of a set into `data_folder/name/`. Files that are already right are left
/// alone; a file that is wrong is replaced once a right one has arrived.
pub fn fetch(name: &str, data_folder: &Path, options: Options<'_>) -> Result<Fetched, FetchError> {
    fetch_entry(catalogue::find(name)?, data_folder, options)
}

/// [`fetch`] for an entry that need not be in the catalogue.
pub fn fetch_entry(
    entry: &Entry,
    data_folder: &Path,
    options: Options<'_>,
) -> Result<Fetched, FetchError> {
    let Origin::Published(published) = entry.origin else {
        return Err(FetchError::Generated { name: entry.name });
    };
    let Options { mirror, progress } = options;
    let addresses = addresses(&published, mirror)?;
    let folder = data_folder.join(entry.name);
    check_inside(entry, data_folder)?;
    let _lock = FolderLock::take(&folder)?;
    let (mut kept, mut wanted) = (Vec::new(), Vec::new());
    for file in published.files {
        if file_state(file, &folder, Depth::Checksums)? == (FileState::Present { verified: true }) {
            progress(Progress::Kept { file: file.name });
            kept.push(file.name);
        } else {
            wanted.push(*file);
        }
    }
    let client = client();
    match published.archive {
        Some(archive) if !wanted.is_empty() => {
            let packed = obtain(&client, &addresses, archive.file, &folder, progress)?;
            unpack(packed.path(), &archive, published.files, &wanted, &folder, progress)?;
            packed.discard()?;
        }
        Some(_) => {}
        None => {
            for &file in &wanted {
                obtain(&client, &addresses, file, &folder, progress)?.place()?;
                progress(Progress::Placed { file: file.name });
            }
        }
    }
    let placed = wanted.iter().map(|file| file.name).collect();
    Ok(Fetched { folder, kept, placed })
}

/// A file's provisional copy, from the first address that gives a right one.
fn obtain(
    client: &Agent,
    addresses: &[String],
    file: KnownFile,
    folder: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verified, FetchError> {
    let mut last = FetchError::NoAddress { file: file.name };
    for (i, base) in addresses.iter().enumerate() {
        let address = format!("{base}{}", file.name);
        let verified = from_one(client, &address, file, folder, progress);
        match verified {
            Err(error) if error.is_remote() => {
                if i + 1 < addresses.len() {
                    progress(Progress::Failed { address: &address, error: &error });
                }
                last = error;
            }
            done => return done,
        }
    }
    Err(last)
}

fn from_one(
    client: &Agent,
    address: &str,
    file: KnownFile,
    folder: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Verified, FetchError> {
    let mut partial = Partial::open(folder, file)?;
    if let Err(error) = download(client, address, &file, &mut partial, progress) {
        // An empty file would pass for a download that has begun.
        if partial.len() == 0 {
            partial.discard()?;
        }
        return Err(error);
    }
    progress(Progress::Verifying { file: file.name });
    partial.verify(address)
}

/// Where to ask, each ending in a slash.
fn addresses(published: &Published, mirror: Option<String>) -> Result<Vec<String>, FetchError> {
    let Some(mut mirror) = mirror else {
        return Ok(published.addresses.iter().map(|&address| address.to_owned()).collect());
    };
    let rest = mirror.strip_prefix("http://").or_else(|| mirror.strip_prefix("https://"));
    if rest.is_none_or(str::is_empty) {
        return Err(FetchError::Mirror { mirror });
    }
    if !mirror.ends_with('/') {
        mirror.push('/');
    }
    Ok(vec![mirror])
}
