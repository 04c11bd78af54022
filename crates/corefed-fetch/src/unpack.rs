//! Files out of a `.tar.gz`.
//!
//! A member is never written where it asks to be: it is looked up by its path, and what is
//! wanted goes to the name that the catalogue gives it. An archive that asks for anything else
//! than plain files below its own folder is refused all the same, as nobody publishes such.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Component, Path};

use corefed_data::source::catalogue::{Archive, KnownFile};
use flate2::bufread::GzDecoder;
use tar::EntryType;

use crate::partial::Partial;
use crate::{FetchError, Progress};

/// Content of an archive beyond the wanted files, in bytes: headers, read-me files.
const EXTRAS: u64 = 1 << 20;

/// Takes the wanted files out of the archive at `path`, checks each and puts it in `folder`.
pub(crate) fn unpack(
    path: &Path,
    archive: &Archive,
    files: &[KnownFile],
    wanted: &[KnownFile],
    folder: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<(), FetchError> {
    let damaged = |source| FetchError::Archive { archive: path.to_owned(), source };
    let file = BufReader::new(File::open(path).map_err(damaged)?);
    // A few bytes can inflate to terabytes of zeros.
    let most = files.iter().map(|file| file.size).sum::<u64>() + EXTRAS;
    let mut tar = tar::Archive::new(GzDecoder::new(file).take(most));
    let mut left = wanted.to_vec();
    for member in tar.entries().map_err(damaged)? {
        let mut member = member.map_err(damaged)?;
        let name = String::from_utf8_lossy(&member.path_bytes()).into_owned();
        let kind = member.header().entry_type();
        let plain =
            matches!(kind, EntryType::Regular | EntryType::Directory | EntryType::XGlobalHeader);
        if !plain || !is_below(&name) {
            let (archive, member) = (path.to_owned(), name.escape_debug().to_string());
            return Err(FetchError::UnsafeMember { archive, member });
        }
        let known = name.strip_prefix(archive.prefix).filter(|_| kind == EntryType::Regular);
        let known = known.and_then(|name| left.iter().position(|known| known.name == name));
        let Some(known) = known.map(|i| left.swap_remove(i)) else { continue };
        if member.size() != known.size {
            return Err(FetchError::Member {
                archive: path.to_owned(),
                member: known.name,
                expected: known.size,
                found: member.size(),
            });
        }
        progress(Progress::Unpacking { file: known.name });
        write(&mut member, path, known, folder)?;
        progress(Progress::Placed { file: known.name });
    }
    left.first().map_or(Ok(()), |absent| {
        let (archive, member, expected) = (path.to_owned(), absent.name, absent.size);
        Err(FetchError::Member { archive, member, expected, found: 0 })
    })
}

/// Copies one member to its place; its size is known to be right.
fn write(
    member: &mut impl Read,
    archive: &Path,
    known: KnownFile,
    folder: &Path,
) -> Result<(), FetchError> {
    let damaged = |source| FetchError::Archive { archive: archive.to_owned(), source };
    let mut partial = Partial::open(folder, known)?;
    // What an earlier attempt left costs less to write again than to trust.
    partial.restart()?;
    let mut block = vec![0; 1 << 16];
    while partial.missing() > 0 {
        match member.read(&mut block).map_err(damaged)? {
            0 => return Err(damaged(io::ErrorKind::UnexpectedEof.into())),
            n => partial.append(&block[..n])?,
        }
    }
    partial.verify(&archive.display().to_string())?.place()
}

/// Whether a path stays below the folder it starts from, on every system.
fn is_below(name: &str) -> bool {
    !name.contains(['\\', ':'])
        && Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}
