//! What a comparison or a sweep leaves: its document, tables in every format, and its page.

use std::fs;
use std::path::{Path, PathBuf};

use corefed_documents::Document;
use corefed_log::write_file;
use corefed_report::{Tables, folder as pages};
use corefed_spec::Spec;

use crate::RunError;

/// Writes the folder and says where its page is; `name` is that of its files, before their endings.
pub fn publish(
    folder: &Path,
    name: &str,
    spec: &Spec,
    document: &impl Document,
    tables: &Tables,
) -> Result<PathBuf, RunError> {
    fs::create_dir_all(folder)
        .map_err(|source| RunError::Create { path: folder.to_owned(), source })?;
    write_file(folder.join("spec.toml"), spec.to_toml())?;
    write_file(folder.join(format!("{name}.json")), document.to_json()?)?;
    tables.save(folder, name)?;
    Ok(pages::write(folder, None)?)
}
