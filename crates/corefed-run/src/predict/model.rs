//! The predictor that a file or a run folder holds.

use std::path::{Path, PathBuf};

use corefed_core::{Feature, Predictor};
use corefed_data::{DataError, TableError};
use corefed_documents::{AUDIT, AuditDocument, Document as _};
use corefed_log::check_links;

use crate::{GivenPredictor, PredictError, RunError};

/// A predictor and where it was found.
#[derive(Clone, Debug)]
pub struct FittedModel {
    /// The file.
    pub path: PathBuf,
    /// What it holds.
    pub predictor: Predictor,
}

impl FittedModel {
    /// What helps with these rows: a cell that the predictor does not know need not stop all rows, and a column
    /// that it needs is one of several.
    #[must_use]
    pub fn hint_about(&self, error: &RunError) -> Option<String> {
        let known = error.hint().map_or_else(String::new, |hint| {
            let end = if hint.ends_with('?') { "" } else { ";" };
            format!("{hint}{end} ")
        });
        match error {
            RunError::Data(DataError::Cell(_)) => Some(format!(
                "{known}`@unknown blank` leaves such rows without a prediction, `@unknown neutral` \
                 lets such cells count for nothing"
            )),
            RunError::Data(DataError::Table(TableError::MissingColumn { .. })) => Some(format!(
                "{known}the predictor needs the columns {}",
                self.columns().join(", ")
            )),
            _ => None,
        }
    }

    /// The raw columns that it predicts from, quoted.
    #[must_use]
    pub fn columns(&self) -> Vec<String> {
        let mut columns: Vec<String> = Vec::new();
        for feature in &self.predictor.encoding.features {
            let (Feature::Numeric { column, .. } | Feature::Level { column, .. }) = feature else {
                continue;
            };
            let quoted = format!("`{column}`");
            if !columns.contains(&quoted) {
                columns.push(quoted);
            }
        }
        columns
    }

    /// Reads the JSON of a predictor, or finds it in a run folder: of an exact run that of a rule, `core`
    /// unless told; of a training the one that was audited.
    pub fn find(path: &Path, rule: Option<&str>) -> Result<Self, RunError> {
        let tensors = path.extension().is_some_and(|ending| ending == "safetensors");
        // Tensors do not say which columns they multiply; the audit beside them does.
        let folder = if tensors { path.parent().filter(|_| path.is_file()) } else { Some(path) };
        let file = match folder.filter(|folder| tensors || folder.is_dir()) {
            Some(folder) => {
                // Only a folder that may be a run's is searched for links.
                if [AUDIT, "run.json"].iter().any(|name| folder.join(name).exists()) {
                    check_links(folder)?;
                }
                in_folder(folder, rule)?
            }
            None if rule.is_some() => {
                return Err(PredictError::RuleOfFile { path: path.to_owned() }.into());
            }
            None => path.to_owned(),
        };
        match GivenPredictor::read(&file)?.predictor {
            Some(predictor) => Ok(Self { path: file, predictor }),
            None => Err(PredictError::NoColumns { path: file }.into()),
        }
    }
}

fn in_folder(folder: &Path, rule: Option<&str>) -> Result<PathBuf, RunError> {
    let path = || folder.to_owned();
    let of = |rule: &str| folder.join(format!("{rule}.predictor.json"));
    let audit = folder.join(AUDIT);
    match rule {
        Some(rule) if of(rule).is_file() => Ok(of(rule)),
        Some(rule) => Err(PredictError::NoRule { path: path(), rule: rule.to_owned() }.into()),
        None if of("core").is_file() => Ok(of("core")),
        None if !audit.is_file() => Err(PredictError::NoModel { path: path() }.into()),
        None => {
            // The audit of a network has no columns.
            let holds = AuditDocument::read(&audit)?.predictor.is_some();
            if holds { Ok(audit) } else { Err(PredictError::Images { path: path() }.into()) }
        }
    }
}
