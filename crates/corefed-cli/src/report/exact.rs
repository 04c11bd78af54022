//! The folder of an exact run: three rules at their optima.

use std::path::Path;

use corefed_report::{Model, Page, Provenance};
use corefed_spec::Spec;

use super::audit_file::AuditFile;
use super::data_view::data_view;
use super::sources::{add_coalitions, digest, downloads, text};
use crate::failure::Failure;
use crate::train::FEDERATION;

/// Rules and what they are called in front of people who know them under another name.
const RULES: [(&str, &str); 3] = [
    ("core", "core"),
    ("utilitarian", "utilitarian (FedAvg)"),
    ("egalitarian", "egalitarian (min-max)"),
];

pub(super) fn page(folder: &Path) -> Result<Page, Failure> {
    let mut audits = Vec::new();
    for (rule, title) in RULES {
        let path = folder.join(format!("{rule}.predictor.json"));
        if path.is_file() {
            audits.push((rule, title, AuditFile::read(&path)?));
        }
    }
    let Some((_, _, first)) = audits.first() else {
        return Err(Failure::new(format!("`{}` holds no predictor", folder.display())));
    };
    let agents = first.owners();
    let mut models: Vec<Model> =
        audits.iter().map(|(_, title, audit)| audit.model(title, &agents)).collect();
    let mut named: Vec<(String, &mut Model)> =
        audits.iter().map(|(rule, _, _)| (*rule).to_owned()).zip(&mut models).collect();
    add_coalitions(folder, &agents, &mut named)?;
    let spec_text = text(&folder.join("spec.toml"));
    let spec = spec_text.as_ref().and_then(|text| Spec::parse("spec.toml", text).ok());
    let name = spec.as_ref().map_or_else(|| "run".to_owned(), |spec| spec.name.clone());
    let data = spec.as_ref().map_or_else(String::new, |spec| spec.data.to_string());
    let encoding = first.predictor.as_ref().map(|predictor| &predictor.encoding);
    let data = data_view(folder, &data, spec.as_ref(), encoding, &agents);
    let mut facts = vec![("Program".to_owned(), format!("corefed {}", env!("CARGO_PKG_VERSION")))];
    if let Some(spec) = &spec {
        let fact = |name: &str, value: String| (name.to_owned(), value);
        facts.extend([
            fact("Data", spec.data.to_string()),
            fact("Seed", spec.seed.to_string()),
            fact("Model", spec.model.to_string()),
            fact("Ceiling", spec.ceiling.to_string()),
            fact("Radius of the ball", spec.radius.to_string()),
            fact("Weights", spec.weights.to_string()),
        ]);
    }
    for (name, file) in [
        ("SHA-256 of the rows", FEDERATION),
        ("SHA-256 of the predictor", "core.predictor.json"),
        ("SHA-256 of the certificate", "core.certificate.json"),
    ] {
        facts.extend(digest(&folder.join(file)).map(|digest| (name.to_owned(), digest)));
    }
    let rows = if folder.join(FEDERATION).is_file() { FEDERATION } else { &data.name };
    Ok(Page {
        title: name,
        subtitle: format!(
            "{} {}, {} rules solved exactly on the same data, each audited against every other model \
             in the ball.",
            agents.len(),
            first.noun(),
            models.len()
        ),
        noun: first.noun(),
        provenance: Provenance {
            facts,
            repeat: vec![
                "corefed run spec.toml".to_owned(),
                format!("corefed verify core.certificate.json --data {rows}"),
            ],
            spec: spec_text,
            downloads: downloads(
                folder,
                &["spec.toml", "core.certificate.json", "core.predictor.json", "summary.md"],
            ),
        },
        data: Some(data),
        agents,
        models,
        ..Page::default()
    })
}
