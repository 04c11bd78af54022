//! What was edited in a folder since it was written.

use std::path::Path;

use crate::RunError;

/// A sentence for each file of a training, or of the trainings of a comparison or a sweep, that is not what was
/// written.
pub fn edits(folder: &Path) -> Result<Vec<String>, RunError> {
    Ok(corefed_report::folder::edits(folder)?)
}
