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
        let mut known = known(folder)?;
        known.add(
            self.round,
            self.keys.iter().map(|Change { key, then, now }| SpecChange {
                after_round: self.round,
                key: key.clone(),
                then: then.clone(),
                now: now.clone(),
            }),
        );
        Ok(folder.write(CHANGES, &known.to_json()?)?)
    }
}

/// What a folder knows of changes; none where it has no such file.
pub(super) fn known(folder: &RunFolder) -> Result<SpecChanges, RunError> {
    let path = folder.path().join(CHANGES);
    if path.exists() { Ok(SpecChanges::read(&path)?) } else { Ok(SpecChanges::default()) }
}
