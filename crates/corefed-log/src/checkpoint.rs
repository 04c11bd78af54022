//! A moment of a run from which it can resume.
//!
//! A safetensors file whose metadata begin with the SHA-256 of the whole file, taken with zeros
//! in the digest's own place, which is always the same. So one pass decides whether a file is
//! what was written, and any tool that reads safetensors can look inside.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::format::is_known;
use crate::journal::{Mark, hex};
use crate::safetensors::{self, Damage, Head};
use crate::{LogError, Tensor, disk};

/// The `format` of every checkpoint.
const FORMAT: &str = "corefed-checkpoint";
/// What comes before the digest: the length of the header, then this.
const BEFORE_DIGEST: &str = "{\"__metadata__\":{\"sha256\":\"";
const DIGEST: std::ops::Range<usize> = 8 + BEFORE_DIGEST.len()..8 + BEFORE_DIGEST.len() + 64;
const ENDING: &str = "checkpoint";

/// Everything a run needs to resume after a round.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The last round that is finished.
    pub round: usize,
    /// Model, momentum and the like, in any order; they come back ordered by type and name.
    pub tensors: Vec<Tensor>,
    /// Everything else, as JSON.
    pub state: Value,
}

/// A checkpoint that was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damaged {
    /// Where it lay.
    pub path: PathBuf,
    /// What was wrong with it.
    pub reason: String,
}

/// How long the records were when a checkpoint was taken, and by which spec they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Marks {
    pub(crate) rounds: Mark,
    pub(crate) agents: Mark,
    /// The text of `spec.toml`; absent in checkpoints that are older than this field.
    pub(crate) spec: Option<String>,
}

impl Checkpoint {
    /// The tensor of a name.
    #[must_use]
    pub fn tensor(&self, name: &str) -> Option<&Tensor> {
        self.tensors.iter().find(|tensor| tensor.name == name)
    }

    /// Writes the file whole or not at all.
    pub(crate) fn write(&self, folder: &Path, marks: &Marks) -> Result<(), LogError> {
        let tensors = safetensors::ordered(&self.tensors)?;
        let mut metadata = vec![
            ("sha256", "0".repeat(64)),
            ("format", FORMAT.to_owned()),
            ("version", crate::VERSION.to_string()),
            ("round", self.round.to_string()),
            ("rounds_bytes", marks.rounds.bytes.to_string()),
            ("rounds_sha256", marks.rounds.sha256.clone()),
            ("agents_bytes", marks.agents.bytes.to_string()),
            ("agents_sha256", marks.agents.sha256.clone()),
            ("state", self.state.to_string()),
        ];
        if let Some(spec) = &marks.spec {
            metadata.push(("spec_sha256", corefed_core::digest_bytes(spec.as_bytes())));
            metadata.push(("spec", spec.clone()));
        }
        let mut header = safetensors::header(&metadata, &tensors);
        let mut hasher = Sha256::new_with_prefix(&header);
        for tensor in &tensors {
            // A hasher takes everything.
            let _ = tensor.data.chunks(|bytes| {
                hasher.update(bytes);
                Ok(())
            });
        }
        header[DIGEST].copy_from_slice(hex(hasher).as_bytes());
        let path = folder.join(format!("{:08}.{ENDING}", self.round));
        disk::replace_entry(&path, |output| {
            output.write_all(&header)?;
            tensors.iter().try_for_each(|t| t.data.chunks(|bytes| output.write_all(bytes)))
        })
    }

    /// Reads a file, or says why it is not a whole checkpoint.
    pub(crate) fn read(path: &Path) -> Result<Result<(Self, Marks), String>, LogError> {
        match read(path) {
            Ok(read) => Ok(Ok(read)),
            Err(Damage::Contents(reason)) => Ok(Err(reason)),
            // A file that may not be read must not make a run start over.
            Err(Damage::Io(source)) => Err(LogError::read(path, source)),
        }
    }
}

fn read(path: &Path) -> Result<(Checkpoint, Marks), Damage> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut reader = BufReader::new(file);
    let head = Head::read(&mut reader, length)?;
    let altered = || Damage::Contents("its digest is not that of its contents".to_owned());
    let mut zeroed = head.bytes.clone();
    zeroed.get_mut(DIGEST).ok_or_else(altered)?.fill(b'0');
    let mut hasher = Sha256::new_with_prefix(&zeroed);
    let tensors = head.tensors(|bytes| {
        reader.read_exact(bytes)?;
        hasher.update(bytes);
        Ok(())
    })?;
    if head.bytes[DIGEST] != *hex(hasher).as_bytes() {
        return Err(altered());
    }
    let text = |key: &str| {
        let missing = || Damage::Contents(format!("its metadata have no `{key}`"));
        head.metadata.get(key).and_then(Value::as_str).ok_or_else(missing)
    };
    let number = |key: &str| {
        text(key)?.parse::<u64>().map_err(|_| Damage::Contents(format!("`{key}` is not a number")))
    };
    if text("format")? != FORMAT || !is_known(number("version")?) {
        return Err(Damage::Contents("it is of another format or version".to_owned()));
    }
    let round = usize::try_from(number("round")?).unwrap_or(usize::MAX);
    let mark = |bytes, sha256| {
        Ok::<_, Damage>(Mark { bytes: number(bytes)?, sha256: text(sha256)?.to_owned() })
    };
    let marks = Marks {
        rounds: mark("rounds_bytes", "rounds_sha256")?,
        agents: mark("agents_bytes", "agents_sha256")?,
        spec: head.metadata.get("spec").and_then(Value::as_str).map(str::to_owned),
    };
    let state = serde_json::from_str(text("state")?)?;
    Ok((Checkpoint { round, tensors, state }, marks))
}

/// The checkpoints in a folder with the rounds of their names, oldest first.
pub(crate) fn list(folder: &Path) -> Result<Vec<(usize, PathBuf)>, LogError> {
    let failed = |source| LogError::read(folder, source);
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let is_one = path.extension().is_some_and(|ending| ending == ENDING);
        let round = path.file_stem().and_then(|stem| stem.to_str()?.parse().ok());
        if let (true, Some(round)) = (is_one, round) {
            found.push((round, path));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests;
