//! What a training run writes to disk, and how it continues after being cut off at any moment.
//!
//! A run is a folder: a header, one line of JSON per round and per agent and round, and at most
//! two checkpoints. A checkpoint knows how long the records were when it was taken, so that a
//! run that continues first forgets what came later and then writes the same bytes again.
//! `docs/run-format.md` is the format; reports, Python and Flower read it.
//!
//! ```no_run
//! # use corefed_log::{Checkpoint, LogError, RoundRecord, RunFolder};
//! # fn example(last: usize) -> Result<(), LogError> {
//! let mut run = RunFolder::open("runs/first")?;
//! let checkpoint = run.restore()?;
//! let due = checkpoint.map_or(0, |checkpoint| checkpoint.round + 1);
//! for round in due..=last {
//!     run.append(&RoundRecord { round, ..RoundRecord::default() }, &[])?;
//! }
//! run.finish(&Checkpoint { round: last, tensors: Vec::new(), state: true.into() })
//! # }
//! ```

mod altered;
mod checkpoint;
mod claimed;
mod compared;
mod digests;
mod disk;
mod error;
mod exact_header;
mod export;
mod file_claim;
mod float;
mod folder;
mod format;
mod header;
mod journal;
mod leftovers;
mod links;
mod lock;
mod new_folder;
mod private;
mod record;
mod records;
mod safetensors;
mod spread;
mod tensor;
mod tensorboard;
mod unfinished;
mod view;

#[cfg(test)]
mod testing;

pub use altered::Altered;
pub use checkpoint::{Checkpoint, Damaged};
pub use claimed::{ClaimedFolder, UNFINISHED};
pub use digests::{DIGESTS, PAGE, altered_documents, begin_list, list as list_documents};
pub use error::LogError;
pub use exact_header::{ExactHeader, RunKind, exact_header, run_kind};
pub use export::{RecordTable, export_file};
pub use file_claim::FileClaim;
pub use folder::RunFolder;
pub use format::{FORMAT, VERSION};
pub use header::{
    AgentHeader, DataHeader, DeviceHeader, GuardHeader, Guarded, RunHeader, SteadinessHeader,
};
pub use links::check_links;
pub use lock::FolderLock;
pub use new_folder::{NewFolder, next_free, share_file, write_entry, write_file};
pub use private::{create_private, replace_private};
pub use record::{AgentRecord, Column, Kind, Part, Rejection, RoundRecord, Row};
pub use records::Records;
pub use safetensors::write_model;
pub use spread::Spread;
pub use tensor::{Tensor, TensorData};
pub use tensorboard::TensorBoard;
pub use view::RunView;
