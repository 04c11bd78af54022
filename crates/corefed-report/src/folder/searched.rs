//! The folder of `corefed ceiling`.

use std::path::Path;

use corefed_documents::{CeilingSearch, Document, FEDERATION, ReferenceLine};

use super::data_view::file_name;
use super::sources::{digest, downloads};
use crate::verdict::plural;
use crate::{Agent, DataView, Page, Provenance, ReportError};

pub(super) fn page(folder: &Path) -> Result<Page, ReportError> {
    let path = folder.join("ceiling.json");
    let search = CeilingSearch::read(&path)?;
    let agent = |line: &ReferenceLine| Agent {
        name: line.name.clone(),
        weight: 1.0,
        ceiling: Some(line.reference),
        ..Agent::default()
    };
    let noun = plural(&search.owner);
    let agents: Vec<Agent> = search.agents.iter().map(agent).collect();
    let mut facts = vec![
        ("Program".to_owned(), format!("corefed {}", env!("CARGO_PKG_VERSION"))),
        ("Policy".to_owned(), search.policy.clone()),
    ];
    facts.extend(digest(&path).map(|digest| ("SHA-256 of the answer".to_owned(), digest)));
    Ok(Page {
        title: match file_name(&search.file) {
            file if file == FEDERATION => "Ceilings".to_owned(),
            file => format!("Ceilings of {file}"),
        },
        subtitle: format!(
            "{} {noun} under {} scales of `{}`, each solved and audited.",
            agents.len(),
            search.points.len(),
            search.policy
        ),
        noun,
        agents,
        data: Some(DataView { name: file_name(&search.file), ..DataView::default() }),
        provenance: Provenance {
            facts,
            downloads: downloads(folder, &["ceiling.json", "ceiling.md"]),
            ..Provenance::default()
        },
        searched: Some(search),
        ..Page::default()
    })
}
