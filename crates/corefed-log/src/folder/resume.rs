//! Checkpoints of a folder: taken, gone back to, and the last one.

use std::path::Path;

use super::{RunFolder, files};
use crate::checkpoint::{self, Marks};
use crate::journal::State;
use crate::view::{AGENTS, CHECKPOINTS, EVENTS, HEADER, LAST, MODEL, PARTITION, ROUNDS, SPEC};
use crate::{Checkpoint, Damaged, LogError, digests, disk};

/// A checkpoint that records and name agree with.
struct Usable {
    checkpoint: Checkpoint,
    /// States of the records at that time.
    rounds: State,
    agents: State,
    spec: Option<String>,
}

impl RunFolder {
    /// Writes a checkpoint of the last round whole or not at all, then deletes all but the newest
    /// two. It is not forced onto the disk: a kill loses nothing, and after a power cut its digest
    /// tells whether it can be used.
    pub fn checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), LogError> {
        self.write_checkpoint(checkpoint)?;
        self.keep_newest(2)
    }

    fn write_checkpoint(&mut self, checkpoint: &Checkpoint) -> Result<(), LogError> {
        let due = self.due()?;
        // Before round zero there is nothing that a checkpoint could be of.
        self.check_round(checkpoint.round, due.saturating_sub(1))?;
        if due == 0 {
            return Err(self.wrong_round(0, checkpoint.round));
        }
        let marks = Marks {
            rounds: self.rounds.mark(),
            agents: self.agents.mark(),
            spec: Some(self.spec().to_owned()),
        };
        checkpoint.write(&self.path().join(CHECKPOINTS), &marks)
    }

    fn keep_newest(&self, count: usize) -> Result<(), LogError> {
        let all = checkpoint::list(&self.path().join(CHECKPOINTS))?;
        for (_, path) in all.iter().rev().skip(count) {
            disk::remove(path).map_err(|source| LogError::write(path, source))?;
        }
        Ok(())
    }

    /// Takes the folder back to its newest whole checkpoint, and returns that. Records of later
    /// rounds are forgotten. Damaged checkpoints are passed over, deleted and listed by
    /// [`Self::damaged`]; if none is whole, the run starts over with round zero.
    pub fn restore(&mut self) -> Result<Option<Checkpoint>, LogError> {
        self.due = None;
        let (newest, damaged) = self.newest()?;
        self.damaged = damaged;
        let (checkpoint, rounds, agents) = match newest {
            Some(Usable { checkpoint, rounds, agents, .. }) => (Some(checkpoint), rounds, agents),
            None => (None, Default::default(), Default::default()),
        };
        self.rounds.rewind(rounds)?;
        self.agents.rewind(agents)?;
        for Damaged { path, .. } in &self.damaged {
            disk::remove(path).map_err(|source| LogError::write(path, source))?;
        }
        self.due = Some(checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.round + 1));
        Ok(checkpoint)
    }

    /// The round that [`Self::restore`] would go back to, with the text of the spec by which it was made: worth
    /// knowing before anything is changed. `None` where the run starts over, or the checkpoint does not say.
    pub fn made_by(&self) -> Result<Option<(usize, String)>, LogError> {
        let (newest, _) = self.newest()?;
        Ok(newest.and_then(|newest| Some((newest.checkpoint.round, newest.spec?))))
    }

    /// The newest checkpoint that can be used, and those before it that cannot.
    fn newest(&self) -> Result<(Option<Usable>, Vec<Damaged>), LogError> {
        let mut damaged = Vec::new();
        let all = checkpoint::list(&self.path().join(CHECKPOINTS))?;
        for (round, path) in all.into_iter().rev() {
            match self.usable(round, &path)? {
                Ok(found) => return Ok((Some(found), damaged)),
                Err(reason) => damaged.push(Damaged { path, reason }),
            }
        }
        Ok((None, damaged))
    }

    /// A checkpoint that records and name agree with, or why it cannot be used.
    fn usable(&self, round: usize, path: &Path) -> Result<Result<Usable, String>, LogError> {
        let (checkpoint, marks) = match Checkpoint::read(path)? {
            Ok(read) => read,
            Err(reason) => return Ok(Err(reason)),
        };
        if checkpoint.round != round {
            return Ok(Err(format!("it is of round {}", checkpoint.round)));
        }
        let Some(rounds) = self.rounds.holds(&marks.rounds)? else {
            return Ok(Err(format!("`{ROUNDS}` does not hold the rounds before it")));
        };
        let Some(agents) = self.agents.holds(&marks.agents)? else {
            return Ok(Err(format!("`{AGENTS}` does not hold the rounds before it")));
        };
        Ok(Ok(Usable { checkpoint, rounds, agents, spec: marks.spec }))
    }

    /// Checkpoints that the last [`Self::restore`] could not use.
    #[must_use]
    pub fn damaged(&self) -> &[Damaged] {
        &self.damaged
    }

    /// Ends a run: writes its last checkpoint, deletes all others, and has every file on the disk
    /// itself. What the folder then holds does not depend on how often it was interrupted. A run
    /// that was finished may be finished again, after more files were written.
    pub fn finish(&mut self, last: &Checkpoint) -> Result<(), LogError> {
        self.write_checkpoint(last)?;
        self.keep_newest(1)?;
        digests::list(self.path(), &[HEADER, SPEC, PARTITION, MODEL, LAST, EVENTS])?;
        files::sync_all(self.path())
    }
}
