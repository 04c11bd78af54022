//! The answer of `corefed stay`, in a folder or a file of its own.

use std::path::Path;

use corefed_documents::{Document, Stay, StayAgent};

use super::sources::{digest, downloads};
use crate::verdict::plural;
use crate::words::percent;
use crate::{Agent, DataView, Page, Provenance, ReportError};

pub(super) fn page(path: &Path) -> Result<Page, ReportError> {
    let stay = Stay::read(path)?;
    let agent = |agent: &StayAgent| Agent {
        name: agent.name.clone(),
        samples: Some(agent.rows),
        weight: agent.weight,
        ceiling: Some(agent.ceiling),
    };
    let agents: Vec<Agent> = stay.agents.iter().map(agent).collect();
    let file = Path::new(&stay.models.file);
    let text = |part: Option<&std::ffi::OsStr>| {
        part.map_or_else(|| "stay".to_owned(), |part| part.to_string_lossy().into_owned())
    };
    let noun = plural(&stay.models.owner);
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        fact("Program", format!("corefed {}", env!("CARGO_PKG_VERSION"))),
        fact("Model", stay.models.model.clone()),
        fact("Rule", stay.models.rule.clone()),
        fact("Seed", stay.models.seed.to_string()),
        fact("SHA-256 of the training rows", stay.models.digest.clone()),
    ];
    facts.extend(digest(path).map(|digest| fact("SHA-256 of the answer", digest)));
    let held_out = format!(
        "{} of the rows of every agent are held out, by {}: measured on and not trained on.",
        percent(stay.held_out.share),
        stay.held_out.by
    );
    Ok(Page {
        title: text(file.file_stem()),
        subtitle: format!(
            "{} {noun}: one shared model beside the model of every group, on rows that nobody trained on.",
            agents.len()
        ),
        noun,
        agents,
        data: Some(DataView {
            name: text(file.file_name()),
            notes: vec![held_out],
            ..DataView::default()
        }),
        provenance: Provenance {
            facts,
            downloads: downloads(path.parent().unwrap_or(Path::new("")), &["stay.md", "stay.csv"]),
            ..Provenance::default()
        },
        stay: Some(stay),
        ..Page::default()
    })
}
