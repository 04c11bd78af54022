//! Records, spec and documents of a run against the digests by which its folder knows what they were.

use std::io;
use std::path::Path;

use crate::altered::Altered;
use crate::checkpoint::{self, Checkpoint, Marks};
use crate::digests::altered_documents;
use crate::journal::{Mark, holds};
use crate::view::{AGENTS, CHECKPOINTS, ROUNDS, RunView, SPEC};
use crate::{Damaged, LogError};

impl RunView {
    /// What was edited since it was written, as far as digests tell: records up to the newest checkpoint, the spec, and
    /// every document. A run that continues is not disturbed, and nothing in it counts as edited.
    pub fn altered(&self) -> Result<Vec<Altered>, LogError> {
        let mut altered = Vec::new();
        for (_, path) in checkpoint::list(&self.path().join(CHECKPOINTS))?.into_iter().rev() {
            match Checkpoint::read(&path) {
                Ok(Ok((found, marks))) => {
                    let whole = found.round >= self.header().rounds;
                    altered.extend(self.compared(&path, &marks, whole)?);
                    break;
                }
                Ok(Err(reason)) => altered.push(Altered::Checkpoint(Damaged { path, reason })),
                // A run that continues has just deleted it.
                Err(LogError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        for document in altered_documents(self.path())? {
            // The spec is known to both.
            let same = |other: &Altered| document.path() == other.path();
            if !altered.iter().any(same) {
                altered.push(document);
            }
        }
        Ok(altered)
    }

    fn compared(
        &self,
        checkpoint: &Path,
        marks: &Marks,
        whole: bool,
    ) -> Result<Vec<Altered>, LogError> {
        let mut altered = Vec::new();
        let mut add = |name: &str| {
            let (path, by) = (self.path().join(name), checkpoint.to_owned());
            altered.push(Altered::File { path, by });
        };
        for (name, mark) in [(ROUNDS, &marks.rounds), (AGENTS, &marks.agents)] {
            if !self.kept(name, mark, whole)? {
                add(name);
            }
        }
        if marks.spec.as_deref().is_some_and(|spec| spec != self.spec()) {
            add(SPEC);
        }
        Ok(altered)
    }

    /// Whether records are what they were; those of a run that is complete end there.
    fn kept(&self, name: &str, mark: &Mark, whole: bool) -> Result<bool, LogError> {
        let path = self.path().join(name);
        let length =
            std::fs::metadata(&path).map_err(|source| LogError::read(&path, source))?.len();
        Ok(holds(&path, mark)?.is_some() && !(whole && length > mark.bytes))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::RunFolder;
    use crate::testing::train;

    fn altered(folder: &Path) -> Vec<String> {
        RunFolder::peek(folder)
            .unwrap()
            .altered()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn every_edit_of_records_and_spec_is_told_by_its_file() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("run");
        train(&folder).unwrap();
        assert_eq!(altered(&folder), Vec::<String>::new());
        for name in [ROUNDS, AGENTS, SPEC] {
            let path = folder.join(name);
            let text = fs::read_to_string(&path).unwrap();
            let number = text.rfind(|c: char| c.is_ascii_digit()).unwrap();
            let digit = if &text[number..=number] == "1" { "2" } else { "1" };
            let edited = [&text[..number], digit, &text[number + 1..]].concat();
            let last = text.lines().last().unwrap();
            for other in [edited, format!("{text}{last}\n"), String::new()] {
                fs::write(&path, other).unwrap();
                let told = altered(&folder);
                assert_eq!(told.len(), 1, "{told:?}");
                assert!(told[0].contains(&format!("{name}` was edited")), "{told:?}");
            }
            fs::write(&path, text).unwrap();
        }
        let checkpoint = folder.join("checkpoints/00000004.checkpoint");
        let mut bytes = fs::read(&checkpoint).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&checkpoint, bytes).unwrap();
        assert!(altered(&folder)[0].contains("checkpoint` was damaged"), "{:?}", altered(&folder));
    }
}
