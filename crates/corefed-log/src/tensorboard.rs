//! The curves of a run for `TensorBoard`.
//!
//! An event file is a sequence of records, each framed by its length and two checksums and
//! holding a protocol buffer. The handful of fields that scalars need are written by hand: the
//! libraries for both formats are far larger than this file.

mod crc32c;

use std::io::Write;
use std::path::{Path, PathBuf};

use corefed_core::shown;
use crc32c::crc32c;

use crate::disk::{self, Output};
use crate::export::{flat, float};
use crate::{AgentRecord, Kind, LogError, RoundRecord, Row};

/// `TensorBoard` looks for this name; a time and a host, as others put there, would make bytes
/// depend on them.
const FILE: &str = "events.out.tfevents.0.corefed";

/// Writes every number of a round as a scalar, with the round as its step.
#[derive(Debug)]
pub struct TensorBoard {
    path: PathBuf,
    output: Output,
}

impl TensorBoard {
    /// Starts the only event file of a folder, anew if there is one.
    pub fn create(folder: impl AsRef<Path>) -> Result<Self, LogError> {
        let folder = folder.as_ref();
        disk::create_folder(folder)?;
        let path = folder.join(FILE);
        let mut board = Self { output: Output::create_anew(&path)?, path };
        let mut event = Vec::new();
        double(&mut event, 1, 0.0);
        text(&mut event, 3, "brain.Event:2");
        board.write(&event)?;
        Ok(board)
    }

    /// Writes a round: a scalar per numeric column that is not null, and `utility/NAME` per agent.
    /// Time is not an input, so the wall time of an event is the number of its round, in seconds.
    pub fn round(&mut self, round: &RoundRecord, agents: &[AgentRecord]) -> Result<(), LogError> {
        let mut summary = Vec::new();
        let record = flat(round)?;
        for column in RoundRecord::COLUMNS {
            let numeric = matches!(column.kind, Kind::Whole | Kind::Float);
            if let (true, Some(value)) = (numeric, record.get(column.name).and_then(float)) {
                scalar(&mut summary, column.name, value);
            }
        }
        for AgentRecord { agent, utility, .. } in agents {
            if let Some(utility) = utility {
                scalar(&mut summary, &format!("utility/{}", shown(agent)), *utility);
            }
        }
        let mut event = Vec::new();
        double(&mut event, 1, round.round as f64);
        varint(&mut event, 2 << 3);
        varint(&mut event, round.round as u64);
        bytes(&mut event, 5, &summary);
        self.write(&event)
    }

    /// Length, its checksum, the event, its checksum: in one piece, so that a reader that follows
    /// the file sees half an event as rarely as can be.
    fn write(&mut self, event: &[u8]) -> Result<(), LogError> {
        let length = (event.len() as u64).to_le_bytes();
        let mut record = length.to_vec();
        record.extend(masked(&length));
        record.extend(event);
        record.extend(masked(event));
        self.output.write_all(&record).map_err(|source| LogError::write(&self.path, source))
    }
}

/// A checksum of bytes that contain checksums is masked, so that it is not one of its own parts.
fn masked(bytes: &[u8]) -> [u8; 4] {
    crc32c(bytes).rotate_right(15).wrapping_add(0xa282_ead8).to_le_bytes()
}

/// `Summary.value` with a tag and a `simple_value`.
#[expect(clippy::cast_possible_truncation, reason = "scalars are of single precision there")]
fn scalar(summary: &mut Vec<u8>, tag: &str, value: f64) {
    let mut entry = Vec::new();
    text(&mut entry, 1, tag);
    varint(&mut entry, 2 << 3 | 5);
    entry.extend((value as f32).to_le_bytes());
    bytes(summary, 1, &entry);
}

fn double(out: &mut Vec<u8>, field: u64, value: f64) {
    varint(out, field << 3 | 1);
    out.extend(value.to_le_bytes());
}

fn text(out: &mut Vec<u8>, field: u64, value: &str) {
    bytes(out, field, value.as_bytes());
}

fn bytes(out: &mut Vec<u8>, field: u64, value: &[u8]) {
    varint(out, field << 3 | 2);
    varint(out, value.len() as u64);
    out.extend(value);
}

/// Seven bits per byte, the lowest first.
fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push((value & 0x7f) as u8);
}

#[cfg(test)]
mod tests;
