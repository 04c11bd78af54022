//! Every change to a disk goes through here, so that tests can stop it at any byte.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::LogError;
use crate::links::check_no_link;
use crate::unfinished::{Leftover, claim_name, file_name, hold, own_name};

#[cfg(test)]
pub(crate) mod fuse;

/// A file being written.
#[derive(Debug)]
pub(crate) struct Output(File);

impl Output {
    /// A file that was not there: a link of that name is never followed.
    pub(crate) fn create(path: &Path) -> Result<Self, LogError> {
        Self::create_new(path).map_err(|source| LogError::write(path, source))
    }

    /// As [`Self::create`], in the place of a file or link that may be there.
    pub(crate) fn create_anew(path: &Path) -> Result<Self, LogError> {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LogError::write(path, error))
            }
            _ => Self::create(path),
        }
    }

    fn create_new(path: &Path) -> io::Result<Self> {
        step()?;
        fs::OpenOptions::new().write(true).create_new(true).open(path).map(Self)
    }

    /// As [`Self::create`], for its owner's eyes alone.
    pub(crate) fn create_private(path: &Path) -> io::Result<Self> {
        step()?;
        let mut options = fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).map(Self)
    }

    /// The file beside `target` that becomes it. Somebody else's is waited for, a little; what a killed process left
    /// is removed.
    fn beside(target: &Path, patience: Duration) -> io::Result<(PathBuf, Self)> {
        /// Between two looks at somebody else's.
        const NAP: Duration = Duration::from_millis(20);
        let partial = file_name(target);
        let begin = Instant::now();
        loop {
            match Self::create_new(&partial) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    thread::sleep(NAP);
                    if let Some(_held) = Leftover::take(&partial) {
                        fs::remove_file(&partial)?;
                    } else if begin.elapsed() >= patience {
                        return Err(io::ErrorKind::ResourceBusy.into());
                    }
                }
                created => {
                    let output = created?;
                    // Others see by the lock that this is not a leftover.
                    if hold(&output.0, &partial) {
                        return Ok((partial, output));
                    }
                }
            }
        }
    }

    /// Opens a file to append to; an absent one is empty, and a link is refused.
    pub(crate) fn open(path: &Path) -> Result<Self, LogError> {
        check_no_link(path)?;
        let file = fs::OpenOptions::new().write(true).create(true).truncate(false).open(path);
        Ok(Self(file.map_err(|source| LogError::write(path, source))?))
    }

    pub(crate) fn file(&mut self) -> &mut File {
        &mut self.0
    }

    pub(crate) fn set_len(&mut self, length: u64) -> io::Result<()> {
        step()?;
        self.0.set_len(length)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&bytes[..passing(bytes.len())?])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Where the bytes of a file go.
enum Place {
    /// Beside this name first, then renamed: whole or not there.
    Beside(PathBuf),
    /// Into what is there: a pipe or a device must stay one, and a link that leads nowhere is followed.
    Into,
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let link = fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            // The link stays; what it leads to is replaced.
            Ok(found) if found.is_file() && link => Ok(Self::Beside(fs::canonicalize(path)?)),
            Ok(found) if found.is_file() => Ok(Self::Beside(path.to_owned())),
            Err(_) if !link => Ok(Self::Beside(path.to_owned())),
            Ok(_) | Err(_) => Ok(Self::Into),
        }
    }
}

/// Writes a file beside its final name and moves it there: it is whole or it is not there. Pipes and devices
/// are written into, links are followed: the caller's user named the file.
pub(crate) fn replace(
    path: &Path,
    contents: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), LogError> {
    let failed = |source| LogError::write(path, source);
    let Place::Beside(target) = Place::of(path).map_err(failed)? else {
        let file = step().and_then(|()| {
            fs::OpenOptions::new().write(true).create(true).truncate(true).open(path)
        });
        return contents(&mut Output(file.map_err(failed)?)).map_err(failed);
    };
    replace_at(&target, SHORT, contents)
}

/// A file of a user's that somebody else is writing is not theirs to have.
const SHORT: Duration = Duration::from_millis(200);
/// A run must not fail because somebody looks at it.
const LONG: Duration = Duration::from_secs(10);

/// As [`replace`], of a file in a folder of ours: what has its name is replaced, even a link, and nothing followed.
pub(crate) fn replace_entry(
    path: &Path,
    contents: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), LogError> {
    replace_at(path, LONG, contents)
}

fn replace_at(
    path: &Path,
    patience: Duration,
    contents: impl FnOnce(&mut Output) -> io::Result<()>,
) -> Result<(), LogError> {
    let failed = |source| LogError::write(path, source);
    let (partial, mut output) = Output::beside(path, patience).map_err(failed)?;
    let written = contents(&mut output).and_then(|()| rename(&partial, path));
    written.map_err(|source| {
        // The half-written file is ours; failing to remove it changes nothing.
        let _ = remove(&partial);
        failed(source)
    })
}

/// Whether a file could be written here; it is not touched, and a pipe is not opened.
pub(crate) fn could_replace(path: &Path) -> io::Result<()> {
    let Place::Beside(target) = Place::of(path)? else { return Ok(()) };
    let probe = own_name(&target);
    fs::OpenOptions::new().write(true).create_new(true).open(&probe)?;
    fs::remove_file(probe)
}

/// A file beside this one that says who may write it; nothing where several may. Fails at once where somebody has it.
pub(crate) fn claim(path: &Path) -> io::Result<Option<(PathBuf, Output)>> {
    let Place::Beside(target) = Place::of(path)? else { return Ok(None) };
    // Not the name of the file that becomes this one: that is made and renamed while the claim is held.
    Output::beside(&claim_name(&target), Duration::ZERO).map(Some)
}

pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::rename(from, to)
}

/// Gives a file a second name, unless something has that.
pub(crate) fn link(from: &Path, to: &Path) -> io::Result<()> {
    step()?;
    fs::hard_link(from, to)
}

pub(crate) fn remove(path: &Path) -> io::Result<()> {
    step()?;
    fs::remove_file(path)
}

pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    step()?;
    fs::remove_dir_all(path)
}

/// Makes a folder where there is none; a link to one is refused.
pub(crate) fn create_folder(path: &Path) -> Result<(), LogError> {
    check_no_link(path)?;
    step().and_then(|()| fs::create_dir_all(path)).map_err(|source| LogError::write(path, source))
}

/// Makes a folder that was not there.
pub(crate) fn create_new_folder(path: &Path) -> Result<(), LogError> {
    step().and_then(|()| fs::create_dir(path)).map_err(|source| LogError::write(path, source))
}

/// Asks the system to have a file, or the names in a folder, on the disk itself.
pub(crate) fn sync(path: &Path) -> Result<(), LogError> {
    // Folders cannot be opened on Windows, where their names need no such request.
    if cfg!(windows) && path.is_dir() {
        return Ok(());
    }
    let file = step().and_then(|()| File::open(path));
    // Thousands of interrupted runs in the tests would wait for the disk most of the time.
    let synced = file.and_then(|file| if cfg!(test) { Ok(()) } else { file.sync_all() });
    synced.map_err(|source| LogError::write(path, source))
}

/// One change that is made or not.
fn step() -> io::Result<()> {
    passing(1).map(|_| ())
}

/// How many of this many bytes may be written.
#[cfg(not(test))]
#[expect(clippy::unnecessary_wraps, reason = "tests make it fail")]
fn passing(count: usize) -> io::Result<usize> {
    Ok(count)
}

#[cfg(test)]
use fuse::passing;
