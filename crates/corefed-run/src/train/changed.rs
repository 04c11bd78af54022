//! A spec that was changed while its run stood still.

use corefed_documents::{CHANGES, Document, SpecChange, SpecChanges};
use corefed_log::RunFolder;
use corefed_spec::{Change, Spec};

use crate::RunError;

/// Keys of a run's spec that are not what they were when its newest checkpoint was taken.
pub(super) struct Changed {
    round: usize,
    pub(super) keys: Vec<Change>,
}

impl Changed {
    /// Compares the spec of a folder, `now`, with that of its checkpoint; `None` where nothing differs, or where the
    /// run starts over and nothing was made by another.
    pub(super) fn since(folder: &RunFolder, now: &Spec) -> Result<Option<Self>, RunError> {
        let Some((round, text)) = folder.made_by()? else { return Ok(None) };
        let name = format!("the spec in the checkpoint of round {round}");
        let keys = Spec::parse(&name, &text)?.changes(now);
        Ok((!keys.is_empty()).then_some(Self { round, keys }))
    }

    /// Writes them down beside those that the folder knows.
    pub(super) fn record(&self, folder: &RunFolder) -> Result<(), RunError> {
        let change = |Change { key, then, now }: &Change| SpecChange {
            after_round: self.round,
            key: key.clone(),
            then: then.clone(),
            now: now.clone(),
        };
        record_changes(folder, self.round, self.keys.iter().map(change))
    }
}

/// Writes down what was changed after a round, beside what the folder knows.
pub fn record_changes(
    folder: &RunFolder,
    after_round: usize,
    changes: impl IntoIterator<Item = SpecChange>,
) -> Result<(), RunError> {
    let mut known = known_changes(folder)?;
    known.add(after_round, changes);
    Ok(folder.write(CHANGES, &known.to_json()?)?)
}

/// What a folder knows of changes; none where it has no such file.
pub fn known_changes(folder: &RunFolder) -> Result<SpecChanges, RunError> {
    let path = folder.path().join(CHANGES);
    if path.exists() { Ok(SpecChanges::read(&path)?) } else { Ok(SpecChanges::default()) }
}
