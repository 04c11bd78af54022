//! A file of lines that only grows, and remembers what it holds.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::LogError;
use crate::disk::Output;

/// `rounds.jsonl` or `agents.jsonl`.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    output: Output,
    length: u64,
    hasher: Sha256,
    /// Whether bytes beyond `length` may be in the file: a line that could not be finished.
    torn: bool,
}

/// How far a journal had come, and a digest of its bytes up to there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) bytes: u64,
    pub(crate) sha256: String,
}

/// Length and digest so far, for going back.
pub(crate) type State = (u64, Sha256);

impl Journal {
    /// An empty journal.
    pub(crate) fn create(path: PathBuf) -> Result<Self, LogError> {
        let output = Output::create(&path)?;
        Ok(Self { path, output, length: 0, hasher: Sha256::new(), torn: false })
    }

    /// A journal to be taken back to a mark before anything is appended.
    pub(crate) fn open(path: PathBuf) -> Result<Self, LogError> {
        let output = Output::open(&path)?;
        Ok(Self { path, output, length: 0, hasher: Sha256::new(), torn: true })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { bytes: self.length, sha256: hex(self.hasher.clone()) }
    }

    /// Appends lines at once. After a failure the journal is what it was.
    pub(crate) fn append(&mut self, lines: &[u8]) -> Result<(), LogError> {
        let result = self.mend().and_then(|()| {
            self.torn = true;
            self.output.file().seek(SeekFrom::Start(self.length))?;
            self.output.write_all(lines)
        });
        if let Err(source) = result {
            // Readers need not see half a line; if this fails, the next append tries again.
            let _ = self.mend();
            return Err(LogError::write(&self.path, source));
        }
        self.torn = false;
        self.length += lines.len() as u64;
        self.hasher.update(lines);
        Ok(())
    }

    /// Forgets the last `append`, given what [`Self::state`] said before it.
    pub(crate) fn undo(&mut self, (length, hasher): State) {
        (self.length, self.hasher, self.torn) = (length, hasher, true);
        let _ = self.mend();
    }

    pub(crate) fn state(&self) -> State {
        (self.length, self.hasher.clone())
    }

    /// Whether the file starts with the bytes of a mark; if so, what [`Self::rewind`] needs.
    pub(crate) fn holds(&self, mark: &Mark) -> Result<Option<State>, LogError> {
        holds(&self.path, mark)
    }

    /// Forgets everything beyond a state that [`Self::holds`] confirmed.
    pub(crate) fn rewind(&mut self, (length, hasher): State) -> Result<(), LogError> {
        (self.length, self.hasher, self.torn) = (length, hasher, true);
        self.mend().map_err(|source| LogError::write(&self.path, source))
    }

    fn mend(&mut self) -> io::Result<()> {
        if self.torn {
            self.output.set_len(self.length)?;
            self.torn = false;
        }
        Ok(())
    }
}

/// Whether a file starts with the bytes of a mark, and the state at its end.
pub(crate) fn holds(path: &Path, mark: &Mark) -> Result<Option<State>, LogError> {
    let failed = |source| LogError::read(path, source);
    let mut hasher = Sha256::new();
    let mut rest = File::open(path).map_err(failed)?.take(mark.bytes);
    let mut chunk = vec![0; 1 << 16];
    let mut read = 0;
    loop {
        let count = match rest.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(failed(error)),
        };
        hasher.update(&chunk[..count]);
        read += count as u64;
    }
    let same = read == mark.bytes && hex(hasher.clone()) == mark.sha256;
    Ok(same.then_some((read, hasher)))
}

/// Lower-case hexadecimal of a digest.
pub(crate) fn hex(hasher: Sha256) -> String {
    use std::fmt::Write as _;
    hasher.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
