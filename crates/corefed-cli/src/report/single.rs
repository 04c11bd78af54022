//! One audit, as `corefed solve --json` or `corefed audit --json` printed it.

use std::path::Path;

use corefed_report::{DataView, Page, Provenance};

use super::audit_file::AuditFile;
use super::sources::{digest, listed};
use crate::coalitions::ModelCoalitions;
use crate::failure::Failure;

pub(super) fn page(path: &Path) -> Result<Page, Failure> {
    let audit = AuditFile::read(path)?;
    if audit.agents.is_empty() {
        return Err(Failure::new(format!("`{}` names no agents", path.display())).hint(
            "the audit of a training needs the records beside it: give the run folder instead",
        ));
    }
    let mut page = of(&audit);
    page.provenance.facts.extend(digest(path).map(|d| ("SHA-256 of the answer".to_owned(), d)));
    Ok(page)
}

/// The page of an answer that was just found.
pub(super) fn answered(json: &str, coalitions: Option<&ModelCoalitions>) -> Result<Page, Failure> {
    let audit = AuditFile::parse("the answer", json)?;
    let mut page = of(&audit);
    if let (Some(known), Some(model)) = (coalitions, page.models.first_mut()) {
        model.coalitions = listed(known, &page.agents);
    }
    Ok(page)
}

fn of(audit: &AuditFile) -> Page {
    let agents = audit.owners();
    let name = audit.incumbent.clone().or_else(|| audit.rule.clone());
    let file = audit.file.clone().unwrap_or_default();
    let subtitle = match (&audit.incumbent, &audit.rule) {
        (Some(row), _) => format!("The model `{row}` of {file}, audited against the other rows."),
        (_, Some(rule)) => format!("The {rule} predictor of {file}, solved exactly and audited."),
        _ => format!("A given predictor, audited on {file}."),
    };
    Page {
        title: Path::new(&file)
            .file_stem()
            .map_or_else(|| "audit".to_owned(), |stem| stem.to_string_lossy().into_owned()),
        subtitle,
        noun: audit.noun(),
        models: vec![audit.model(name.as_deref().unwrap_or("given"), &agents)],
        rivals: audit.listed(),
        data: Some(DataView { name: file.clone(), ..DataView::default() }),
        provenance: Provenance {
            facts: vec![
                ("Program".to_owned(), format!("corefed {}", env!("CARGO_PKG_VERSION"))),
                ("Data".to_owned(), file),
            ],
            ..Provenance::default()
        },
        agents,
        ..Page::default()
    }
}
