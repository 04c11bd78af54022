//! What an answer leaves in a folder: its document, tables, words and its page.

use std::fs;
use std::path::{Path, PathBuf};

use corefed_documents::{CeilingSearch, Comparison, Document, STAY, Stay, Sweep};
use corefed_log::{NewFolder, check_links, write_entry};
use corefed_report::{Tables, draw_ceiling, folder as pages, summary, tables};
use corefed_spec::{Compare, Spec};

use crate::RunError;
use crate::compare::reference;

/// Writes the folder and says where its page is; `name` is that of its files, before their endings.
fn publish(
    folder: &Path,
    name: &str,
    spec: &Spec,
    document: &impl Document,
    tables: &Tables,
) -> Result<PathBuf, RunError> {
    fs::create_dir_all(folder)
        .map_err(|source| RunError::Create { path: folder.to_owned(), source })?;
    write_entry(folder.join("spec.toml"), spec.to_toml())?;
    write_entry(folder.join(format!("{name}.json")), document.to_json()?)?;
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
    let page = publish(folder, "compare", &whole, &document.stored(), &tables)?;
    Ok((tables, page))
}

/// Writes the folder of a sweep; gives its table and where its page is.
pub fn publish_sweep(
    folder: &Path,
    spec: &Spec,
    document: &Sweep,
) -> Result<(Tables, PathBuf), RunError> {
    let tables = tables::sweep(document).into();
    let page = publish(folder, "sweep", spec, &document.stored(), &tables)?;
    Ok((tables, page))
}

/// Writes a new folder with a search for a ceiling.
pub fn publish_ceiling(found: &CeilingSearch, path: &Path) -> Result<(), RunError> {
    let folder = NewFolder::create(path)?;
    folder.write("ceiling.json", found.to_json()?)?;
    folder.write("ceiling.md", summary::ceiling::markdown(found))?;
    folder.write("ceiling.svg", draw_ceiling(found))?;
    pages::write(folder.partial(), None)?;
    folder.finish()?;
    Ok(())
}

/// Writes a new folder with an answer to whether anybody would leave.
pub fn publish_stay(found: &Stay, path: &Path) -> Result<(), RunError> {
    let folder = NewFolder::create(path)?;
    for (name, text) in stay_files(found)? {
        folder.write(name, text)?;
    }
    pages::write(folder.partial(), None)?;
    folder.finish()?;
    Ok(())
}

/// Adds such an answer to the folder of a run, whose page then shows it.
pub fn add_stay(found: &Stay, run: &Path) -> Result<(), RunError> {
    check_links(run)?;
    for (name, text) in stay_files(found)? {
        write_entry(run.join(name), text)?;
    }
    pages::write(run, None)?;
    Ok(())
}

fn stay_files(found: &Stay) -> Result<[(&'static str, String); 3], RunError> {
    Ok([
        (STAY, found.to_json()?),
        ("stay.md", summary::stay::markdown(found)),
        ("stay.csv", tables::stay(found).to_csv()?),
    ])
}
