//! One audit, as `corefed solve --json` or `corefed audit --json` printed it.

use std::path::Path;

use corefed_documents::{AuditDocument, Document, ModelCoalitions};

use super::audited::{agents, listed, model};
use super::sources::{coalitions_of, digest};
use crate::html::capital;
use crate::verdict::noun;
use crate::{DataView, Page, Provenance, ReportError};

pub(super) fn page(path: &Path) -> Result<Page, ReportError> {
    let audit = AuditDocument::read(path)?;
    if audit.agents.is_empty() {
        return Err(ReportError::NoAgents { path: path.to_owned() });
    }
    let mut page = of(&audit);
    page.provenance.facts.extend(digest(path).map(|d| ("SHA-256 of the answer".to_owned(), d)));
    Ok(page)
}

/// The page of an answer that was just found.
pub(super) fn answered(audit: &AuditDocument, coalitions: Option<&ModelCoalitions>) -> Page {
    let mut page = of(audit);
    if let (Some(known), Some(model)) = (coalitions, page.models.first_mut()) {
        model.coalitions = coalitions_of(known, &page.agents);
    }
    page
}

fn of(audit: &AuditDocument) -> Page {
    let agents = agents(audit);
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
        noun: noun(audit),
        models: vec![model(audit, name.as_deref().unwrap_or("given"), &agents)],
        rivals: listed(audit),
        data: Some(DataView {
            name: file.clone(),
            notes: audit.notes.iter().map(|note| capital(&format!("{note}."))).collect(),
            ..DataView::default()
        }),
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
