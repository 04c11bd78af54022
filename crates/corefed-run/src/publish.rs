//! What a comparison or a sweep leaves: its document, tables in every format, and its page.

use std::fs;
use std::path::{Path, PathBuf};

use corefed_documents::{Comparison, Document, Sweep};
use corefed_log::write_file;
use corefed_report::{Tables, folder as pages, tables};
use corefed_spec::{Compare, Spec};

use crate::{RunError, reference};

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

/// Writes the folder of a comparison; gives its tables and where its page is.
pub fn publish_comparison(
    folder: &Path,
    spec: &Spec,
    compared: &Compare,
    document: &Comparison,
) -> Result<(Tables, PathBuf), RunError> {
    let rules: Vec<&str> = compared.rules.iter().map(|rule| rule.label.as_str()).collect();
    let own = reference(compared).map(|rule| rule.label.as_str());
    let tables = tables::compared(document, &rules, own);
    let whole = Spec { compare: Some(compared.clone()), ..spec.clone() };
    let page = publish(folder, "compare", &whole, document, &tables)?;
    Ok((tables, page))
}

/// Writes the folder of a sweep; gives its table and where its page is.
pub fn publish_sweep(
    folder: &Path,
    spec: &Spec,
    document: &Sweep,
) -> Result<(Tables, PathBuf), RunError> {
    let tables = tables::sweep(document).into();
    let page = publish(folder, "sweep", spec, document, &tables)?;
    Ok((tables, page))
}
