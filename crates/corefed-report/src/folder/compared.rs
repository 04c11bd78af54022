//! The folder of a comparison: several rules, perhaps from several seeds.

use std::path::Path;

use corefed_documents::{Comparison, Document};
use serde_json::Value;

use super::audited::moving;
use super::data_view::data_view;
use super::sources::{digest, downloads, text};
use super::trained::Training;
use crate::tables;
use crate::verdict;
use crate::{Page, Provenance, ReportError};

pub(super) fn page(folder: &Path) -> Result<Page, ReportError> {
    let comparison = Comparison::read(&folder.join("compare.json"))?;
    let several = comparison.runs.iter().any(|run| run.seed != comparison.runs[0].seed);
    let mut rules: Vec<&str> = Vec::new();
    for run in &comparison.runs {
        if !rules.contains(&run.rule.as_str()) {
            rules.push(&run.rule);
        }
    }
    let compared = Some(tables::compared(&comparison, &rules, None));
    let mut page = Page { compared, ..Page::default() };
    let mut noun = None;
    for line in &comparison.runs {
        // The folder may have been moved since, but its runs still lie inside it.
        let own = Path::new(&line.folder).file_name().unwrap_or_default();
        let name =
            if several { format!("{}, seed {}", line.rule, line.seed) } else { line.rule.clone() };
        let training = Training::read(&folder.join(own), &name, &line.rule)?;
        if page.agents.is_empty() {
            page.agents.clone_from(&training.agents);
            let header = training.view.header();
            let encoding = training.audit.as_ref().and_then(|a| a.predictor.as_ref());
            let spec = corefed_spec::Spec::parse("spec.toml", training.view.spec()).ok();
            let inside = folder.join(own);
            page.data = Some(data_view(
                &inside,
                &header.data.file,
                spec.as_ref(),
                encoding.map(|p| &p.encoding),
                &page.agents,
            ));
            page.provenance.facts = vec![
                ("Program".to_owned(), format!("corefed {}", training.view.corefed())),
                ("Data".to_owned(), header.data.file.clone()),
                ("SHA-256 of the data".to_owned(), header.data.digest.clone()),
            ];
            noun = training.audit.as_ref().map(verdict::noun);
        }
        if let Some(mut model) = training.model {
            (model.verdict, model.kappa) = (line.verdict, line.kappa);
            model.everybody = line.everybody;
            model.headroom = Some(line.headroom.0);
            page.models.push(model);
        }
        page.runs.push(training.run);
    }
    for (k, line) in comparison.runs.iter().enumerate() {
        let Some(deviation) = &line.deviation else { continue };
        if page.models.len() == comparison.runs.len() {
            let mut leaving = moving(deviation, &page.agents);
            if let Value::String(rule) = &deviation.rival {
                leaving.rival = format!("the model of {rule}");
            }
            page.models[k].deviation = Some(leaving);
        }
    }
    // The page is about the rule that this program is for, if it takes part.
    page.models.sort_by_key(|model| !model.name.starts_with("corefed"));
    // In the same order, so that a rule has one colour on the whole page.
    page.runs.sort_by_key(|run| !run.name.starts_with("corefed"));
    let seeds: Vec<String> = comparison.runs.iter().map(|run| run.seed.to_string()).collect();
    let mut distinct = seeds.clone();
    distinct.dedup();
    let Provenance { facts, downloads: files, repeat, spec } = &mut page.provenance;
    facts.push(("Seeds".to_owned(), distinct.join(", ")));
    facts.extend(
        digest(&folder.join("compare.json")).map(|d| ("SHA-256 of the table".to_owned(), d)),
    );
    *spec = text(&folder.join("spec.toml"));
    let names = ["compare.csv", "compare.json", "compare.md", "compare.tex"];
    let more = ["rows", "paired", "chosen", "tried"].map(|part| format!("compare-{part}.csv"));
    let names: Vec<&str> = names.into_iter().chain(more.iter().map(String::as_str)).collect();
    *files = downloads(folder, &names);
    repeat.push("corefed compare spec.toml".to_owned());
    page.noun = noun.unwrap_or_else(|| "agents".to_owned());
    page.title = format!("{} rules compared", rules.len());
    page.subtitle = format!(
        "{} {}, {} trainings on the same data.",
        page.agents.len(),
        page.noun,
        comparison.runs.len()
    );
    Ok(page)
}
