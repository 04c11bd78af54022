//! The folder of a run that is being written.

mod files;
mod resume;

use std::io;
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use crate::digests::{self, DIGESTS};
use crate::disk;
use crate::journal::Journal;
use crate::leftovers;
use crate::lock::{FolderLock, RUN};
use crate::new_folder::NewFolder;
use crate::safetensors::write_model;
use crate::view::{
    AGENTS, CHECKPOINTS, EVENTS, HEADER, LAST, MODEL, PARTITION, ROUNDS, RunView, SPEC, TENSORBOARD,
};
use crate::{
    AgentRecord, Damaged, LogError, Records, RoundRecord, RunHeader, Tensor, TensorBoard,
    unfinished,
};

/// A run's folder, locked against other writers while this value lives.
///
/// A process may be killed at any moment. The next to open the folder calls [`Self::restore`],
/// continues after the round of the checkpoint, and ends with the bytes that an undisturbed run
/// would have written.
#[derive(Debug)]
pub struct RunFolder {
    view: RunView,
    rounds: Journal,
    agents: Journal,
    /// The round that is due; `None` until a folder that was opened is restored.
    due: Option<usize>,
    damaged: Vec<Damaged>,
    _lock: FolderLock,
}

impl RunFolder {
    /// Starts a run in a folder that must not exist. It appears with everything in it.
    pub fn create(
        path: impl AsRef<Path>,
        header: &RunHeader,
        spec: &str,
        partition: Option<&str>,
    ) -> Result<Self, LogError> {
        let path = path.as_ref();
        let partial = NewFolder::create(path)?;
        let lock = FolderLock::take(partial.partial(), RUN)?;
        let json = header
            .to_json()
            .map_err(|source| LogError::Value { path: path.join(HEADER), source })?;
        let texts = [(HEADER, Some(json.as_str())), (SPEC, Some(spec)), (PARTITION, partition)];
        for (name, text) in texts {
            if let Some(text) = text {
                partial.write(name, text)?;
            }
        }
        disk::create_folder(&partial.partial().join(CHECKPOINTS))?;
        for name in [ROUNDS, AGENTS] {
            Journal::create(partial.partial().join(name))?;
        }
        partial.finish()?;
        let mut run = Self::assemble(path, lock)?;
        run.due = Some(0);
        Ok(run)
    }

    /// Opens a run to resume it; [`Self::restore`] says from where.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LogError> {
        let path = path.as_ref();
        // First of all, so that no lock file is left in a folder that is not a run's.
        RunView::open(path)?;
        let lock = FolderLock::take(path, RUN)?;
        let run = Self::assemble(path, lock)?;
        // A folder may have lost its checkpoints; the run then starts over.
        disk::create_folder(&path.join(CHECKPOINTS))?;
        for folder in [path.to_owned(), path.join(CHECKPOINTS)] {
            leftovers::remove_files(&folder)?;
        }
        Ok(run)
    }

    /// Looks at a run without locking or changing anything, even while it is being written.
    pub fn peek(path: impl AsRef<Path>) -> Result<RunView, LogError> {
        RunView::open(path.as_ref())
    }

    fn assemble(path: &Path, lock: FolderLock) -> Result<Self, LogError> {
        Ok(Self {
            view: RunView::open(path)?,
            rounds: Journal::open(path.join(ROUNDS))?,
            agents: Journal::open(path.join(AGENTS))?,
            due: None,
            damaged: Vec::new(),
            _lock: lock,
        })
    }

    /// The run's folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.view.path()
    }

    /// What the run is.
    #[must_use]
    pub fn header(&self) -> &RunHeader {
        self.view.header()
    }

    /// The resolved spec, as it was handed in.
    #[must_use]
    pub fn spec(&self) -> &str {
        self.view.spec()
    }

    /// The run as its readers see it.
    #[must_use]
    pub fn view(&self) -> &RunView {
        &self.view
    }

    /// Writes a round and its agents, in one piece each. Rounds follow one another from zero.
    /// After a failure nothing of the round counts, and it may be tried again.
    pub fn append(&mut self, round: &RoundRecord, agents: &[AgentRecord]) -> Result<(), LogError> {
        self.check_round(round.round, self.due()?)?;
        if let Some(other) = agents.iter().find(|agent| agent.round != round.round) {
            let (agent, expected) = (other.agent.clone(), round.round);
            return Err(LogError::AgentRound { agent, expected, found: other.round });
        }
        let agent_lines = lines(self.agents.path(), agents)?;
        let round_line = lines(self.rounds.path(), std::slice::from_ref(round))?;
        let before = self.agents.state();
        self.agents.append(&agent_lines)?;
        self.rounds.append(&round_line).inspect_err(|_| self.agents.undo(before))?;
        self.due = Some(round.round + 1);
        Ok(())
    }

    /// Rounds written so far.
    pub fn rounds(&self) -> Result<Records<RoundRecord>, LogError> {
        Records::open(self.rounds.path(), self.limit(&self.rounds))
    }

    /// Agents by round, written so far.
    pub fn agents(&self) -> Result<Records<AgentRecord>, LogError> {
        Records::open(self.agents.path(), self.limit(&self.agents))
    }

    fn limit(&self, journal: &Journal) -> u64 {
        self.due.map_or(u64::MAX, |_| journal.length())
    }

    /// Replaces the newest good model.
    pub fn save_model(&mut self, tensors: &[Tensor]) -> Result<(), LogError> {
        self.replace_model(MODEL, tensors)
    }

    /// Writes the last model beside the one that the run keeps.
    pub fn save_last_model(&mut self, tensors: &[Tensor]) -> Result<(), LogError> {
        self.replace_model(LAST, tensors)
    }

    /// A model is listed when the run is finished.
    fn replace_model(&self, name: &str, tensors: &[Tensor]) -> Result<(), LogError> {
        digests::forget(self.path(), name)?;
        write_model(self.path().join(name), tensors)
    }

    /// Starts the curves for `TensorBoard` with the records written so far: those of a run that was
    /// interrupted are drawn again rather than mended.
    pub fn tensorboard(&self) -> Result<TensorBoard, LogError> {
        digests::forget(self.path(), EVENTS)?;
        let mut board = TensorBoard::create(self.path().join(TENSORBOARD))?;
        let mut agents = self.agents()?.peekable();
        for round in self.rounds()? {
            let round = round?;
            let mut present = Vec::new();
            // What cannot be read belongs to any round, so that it is told.
            let belongs = |agent: &Result<AgentRecord, LogError>| {
                agent.as_ref().map_or(true, |agent| agent.round <= round.round)
            };
            while let Some(agent) = agents.next_if(belongs) {
                present.push(agent?);
            }
            board.round(&round, &present)?;
        }
        Ok(board)
    }

    /// Writes a file of the caller's whole or not at all, replacing one of that name.
    pub fn write(&self, name: &str, text: &str) -> Result<(), LogError> {
        digests::write_listed(&self.own(name)?, text.as_bytes())
    }

    /// Removes a file of the caller's, which may be absent.
    pub fn remove(&self, name: &str) -> Result<(), LogError> {
        let path = self.own(name)?;
        digests::forget(self.path(), name)?;
        match disk::remove(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LogError::write(&path, error))
            }
            _ => Ok(()),
        }
    }

    /// Takes the spec as it is now for that of the run: it was changed on purpose.
    pub fn accept_spec(&self) -> Result<(), LogError> {
        digests::forget(self.path(), SPEC)?;
        digests::list(self.path(), &[SPEC])
    }

    /// Replaces the spec, on purpose.
    pub fn change_spec(&mut self, spec: &str) -> Result<(), LogError> {
        digests::write_listed(&self.path().join(SPEC), spec.as_bytes())?;
        self.view.set_spec(spec);
        Ok(())
    }

    /// The path of a file of the caller's.
    fn own(&self, name: &str) -> Result<PathBuf, LogError> {
        const TAKEN: [&str; 10] = [
            HEADER,
            SPEC,
            PARTITION,
            ROUNDS,
            AGENTS,
            MODEL,
            LAST,
            CHECKPOINTS,
            TENSORBOARD,
            DIGESTS,
        ];
        let path = Path::new(name);
        let plain = matches!(path.components().collect::<Vec<_>>()[..], [Component::Normal(_)]);
        if !plain || name.starts_with('.') || unfinished::is_partial(path) || TAKEN.contains(&name)
        {
            return Err(LogError::Name { name: name.to_owned() });
        }
        Ok(self.path().join(name))
    }

    fn due(&self) -> Result<usize, LogError> {
        self.due.ok_or_else(|| LogError::Unrestored { path: self.path().to_owned() })
    }

    fn check_round(&self, found: usize, expected: usize) -> Result<(), LogError> {
        if found == expected { Ok(()) } else { Err(self.wrong_round(expected, found)) }
    }

    fn wrong_round(&self, expected: usize, found: usize) -> LogError {
        LogError::Round { path: self.path().to_owned(), expected, found }
    }
}

/// Records as lines of JSON.
fn lines<R: Serialize>(path: &Path, records: &[R]) -> Result<Vec<u8>, LogError> {
    let mut lines = Vec::new();
    for record in records {
        serde_json::to_writer(&mut lines, record)
            .map_err(|source| LogError::Value { path: path.to_owned(), source })?;
        lines.push(b'\n');
    }
    Ok(lines)
}

#[cfg(test)]
mod tests;
