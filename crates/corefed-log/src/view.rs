//! A run as its readers see it, while it runs or afterwards.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use corefed_core::{LARGEST_JSON, LARGEST_SPEC, read_json_bytes, read_text};

use crate::links::check_links;
use crate::safetensors::{Damage, Head};
use crate::{AgentRecord, LogError, Records, RoundRecord, RunHeader, Tensor};

pub(crate) const HEADER: &str = "run.json";
pub(crate) const SPEC: &str = "spec.toml";
pub(crate) const PARTITION: &str = "partition.json";
pub(crate) const ROUNDS: &str = "rounds.jsonl";
pub(crate) const AGENTS: &str = "agents.jsonl";
pub(crate) const MODEL: &str = "model.safetensors";
pub(crate) const LAST: &str = "last.safetensors";
pub(crate) const CHECKPOINTS: &str = "checkpoints";
pub(crate) const TENSORBOARD: &str = "tensorboard";
/// The curves of a run.
pub(crate) const EVENTS: &str = "tensorboard/events.out.tfevents.0.corefed";

/// A run that is only read. Nothing is locked and nothing is changed.
#[derive(Clone, Debug)]
pub struct RunView {
    path: PathBuf,
    header: RunHeader,
    corefed: String,
    spec: String,
}

impl RunView {
    /// Reads header and spec.
    pub(crate) fn open(path: &Path) -> Result<Self, LogError> {
        let file = path.join(HEADER);
        // Only a folder that says it is a run is searched for links.
        if fs::symlink_metadata(&file).is_ok() {
            check_links(path)?;
        }
        let bytes = match read_json_bytes(&file) {
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Err(LogError::NotARun { path: path.to_owned() });
            }
            bytes => bytes.map_err(|source| LogError::read(&file, source))?,
        };
        let (header, corefed) = RunHeader::parse(&file, &bytes)?;
        let file = path.join(SPEC);
        let spec =
            read_text(&file, LARGEST_SPEC).map_err(|source| LogError::read(&file, source))?;
        Ok(Self { path: path.to_owned(), header, corefed, spec })
    }

    /// The run's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the run is.
    #[must_use]
    pub fn header(&self) -> &RunHeader {
        &self.header
    }

    /// Version of the program that started the run.
    #[must_use]
    pub fn corefed(&self) -> &str {
        &self.corefed
    }

    /// The resolved spec, as it was handed in.
    #[must_use]
    pub fn spec(&self) -> &str {
        &self.spec
    }

    /// Takes another spec for that of the run.
    pub(crate) fn set_spec(&mut self, spec: &str) {
        spec.clone_into(&mut self.spec);
    }

    /// The partition, if one was handed in.
    pub fn partition(&self) -> Result<Option<String>, LogError> {
        let path = self.path.join(PARTITION);
        match read_text(&path, LARGEST_JSON) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            text => text.map(Some).map_err(|source| LogError::read(&path, source)),
        }
    }

    /// Rounds, in order.
    pub fn rounds(&self) -> Result<Records<RoundRecord>, LogError> {
        Records::open(&self.path.join(ROUNDS), u64::MAX)
    }

    /// Agents by round. While a run is in progress, the last ones may precede their round.
    pub fn agents(&self) -> Result<Records<AgentRecord>, LogError> {
        Records::open(&self.path.join(AGENTS), u64::MAX)
    }

    /// The newest good model, if there is one; tensors are ordered by type and name.
    pub fn model(&self) -> Result<Option<Vec<Tensor>>, LogError> {
        let path = self.path.join(MODEL);
        let file = match File::open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file.map_err(|source| LogError::read(&path, source))?,
        };
        read_model(&file).map(Some).map_err(|damage| match damage {
            Damage::Contents(reason) => LogError::Model { path, reason },
            Damage::Io(source) => LogError::Read { path, source },
        })
    }
}

fn read_model(file: &File) -> Result<Vec<Tensor>, Damage> {
    let length = file.metadata()?.len();
    let mut reader = BufReader::new(file);
    let head = Head::read(&mut reader, length)?;
    head.tensors(|bytes| reader.read_exact(bytes))
}
