//! The folder of a sweep: one key of a spec, several values.

use std::path::Path;

use corefed_core::shell_word;
use corefed_documents::{self as documents, Document};
use corefed_spec::Spec;

use super::sources::{digest, downloads, text};
use crate::verdict::plural;
use crate::{Agent, Page, Provenance, ReportError, Sweep, SweepPoint};

pub(super) fn page(folder: &Path) -> Result<Page, ReportError> {
    let file = documents::Sweep::read(&folder.join("sweep.json"))?;
    let names = file.points.first().map(|point| point.agents.clone()).unwrap_or_default();
    let agents: Vec<Agent> = names
        .iter()
        .map(|name| Agent { name: name.clone(), weight: 1.0, ..Agent::default() })
        .collect();
    let by_name = |point: &documents::SweepPoint, values: &[f64]| -> Vec<Option<f64>> {
        let own = |name: &String| {
            let place = point.agents.iter().position(|other| other == name)?;
            values.get(place).copied()
        };
        names.iter().map(own).collect()
    };
    let points: Vec<SweepPoint> = file
        .points
        .iter()
        .map(|point| SweepPoint {
            value: point.value.clone(),
            utilities: by_name(point, &point.utilities),
            losses: by_name(point, &point.losses),
            leaving: point.leaving.clone(),
            log_welfare: point.log_welfare.map(|welfare| welfare.0),
            kappa: point.kappa,
            everybody: point.everybody,
            headroom: point.headroom.map(|headroom| headroom.0),
            verdict: point.verdict,
            unserved: point.infeasible.as_ref().map_or_else(Vec::new, |none| none.agents.clone()),
        })
        .collect();
    let mut facts = vec![("Program".to_owned(), format!("corefed {}", env!("CARGO_PKG_VERSION")))];
    facts.push(("Key".to_owned(), file.field.clone()));
    facts
        .extend(digest(&folder.join("sweep.json")).map(|d| ("SHA-256 of the table".to_owned(), d)));
    let spec = text(&folder.join("spec.toml"));
    let name =
        spec.as_ref().and_then(|text| Spec::parse("spec.toml", text).ok()).map(|spec| spec.name);
    let values: Vec<&str> = file.points.iter().map(|point| point.value.as_str()).collect();
    let noun = plural(&file.owner);
    Ok(Page {
        title: name.map_or_else(|| file.field.clone(), |name| format!("{name}: {}", file.field)),
        subtitle: format!(
            "{} {noun} under {} values of {}, everything else equal.",
            agents.len(),
            values.len(),
            file.field
        ),
        noun,
        provenance: Provenance {
            facts,
            repeat: vec![format!(
                "corefed sweep spec.toml --field {} --values {}",
                shell_word(&file.field),
                shell_word(&values.join(","))
            )],
            spec,
            downloads: downloads(folder, &["sweep.csv", "sweep.json", "sweep.md", "sweep.tex"]),
        },
        sweep: Some(Sweep { field: file.field, points }),
        agents,
        ..Page::default()
    })
}
