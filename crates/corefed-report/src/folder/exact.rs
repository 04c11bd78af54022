//! The folder of an exact run: rules at their optima.

use std::path::Path;

use corefed_core::shell_word;
use corefed_documents::{AuditDocument, Document, FEDERATION};
use corefed_log::{RunKind, exact_header, run_kind};
use corefed_spec::Spec;

use super::audited::{agents as owners, model};
use super::data_view::{data_view, file_name};
use super::sources::{ASK, add_coalitions, digest, downloads, stay, text};
use crate::verdict::noun;
use crate::words::title;
use crate::{Model, Page, Provenance, ReportError};

/// The rules of folders without a header.
const RULES: [&str; 3] = ["core", "utilitarian", "egalitarian"];

pub(super) fn page(folder: &Path) -> Result<Page, ReportError> {
    let rules = match run_kind(folder)? {
        Some(RunKind::Exact) => exact_header(folder)?.rules,
        _ => RULES.map(str::to_owned).to_vec(),
    };
    let mut audits = Vec::new();
    for rule in &rules {
        let path = folder.join(format!("{rule}.predictor.json"));
        if path.is_file() {
            audits.push((rule, title(Some(rule)), AuditDocument::read(&path)?));
        }
    }
    let Some((_, _, first)) = audits.first() else {
        return Err(ReportError::NoPredictor { path: folder.to_owned() });
    };
    let agents = owners(first);
    let mut models: Vec<Model> =
        audits.iter().map(|(_, title, audit)| model(audit, title, &agents)).collect();
    let mut named: Vec<(String, &mut Model)> =
        audits.iter().map(|(rule, _, _)| (*rule).clone()).zip(&mut models).collect();
    add_coalitions(folder, &agents, &mut named)?;
    let spec_text = text(&folder.join("spec.toml"));
    let spec = spec_text.as_ref().and_then(|text| Spec::parse("spec.toml", text).ok());
    let name = spec.as_ref().map_or_else(|| "run".to_owned(), |spec| spec.name.clone());
    let source = spec.as_ref().map_or_else(String::new, |spec| spec.data.to_string());
    let encoding = first.predictor.as_ref().map(|predictor| &predictor.encoding);
    let data = data_view(folder, &source, spec.as_ref(), encoding, &first.notes, &agents);
    let mut facts = vec![("Program".to_owned(), format!("corefed {}", env!("CARGO_PKG_VERSION")))];
    if let Some(spec) = &spec {
        let fact = |name: &str, value: String| (name.to_owned(), value);
        facts.extend([
            fact("Data", file_name(&spec.data.to_string())),
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
    let rows = if folder.join(FEDERATION).is_file() { FEDERATION } else { &source };
    let stay = stay(folder)?;
    Ok(Page {
        title: name,
        subtitle: format!(
            "{} {}, {} rules solved exactly on the same data, each audited against every other model \
             in the ball.",
            agents.len(),
            noun(first),
            models.len()
        ),
        noun: noun(first),
        ask: stay.is_none().then(|| ASK.to_owned()),
        stay,
        provenance: Provenance {
            facts,
            repeat: vec![
                "corefed run spec.toml".to_owned(),
                format!("corefed verify core.certificate.json --data {}", shell_word(rows)),
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
