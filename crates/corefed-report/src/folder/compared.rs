//! The folder of a comparison: several rules, perhaps from several seeds.

use std::path::Path;

use corefed_core::{KappaInterval, Verdict};
use corefed_documents::{Comparison, Document, HeldOutAgent, HeldOutAudit, OnHeldOut};
use corefed_spec::Spec;
use serde_json::Value;

use super::audited::moving;
use super::data_view::{data_view, file_name};
use super::sources::{digest, downloads, text};
use super::trained::Training;
use crate::tables;
use crate::verdict;
use crate::{Model, Page, Provenance, ReportError};

pub(super) fn page(folder: &Path) -> Result<Page, ReportError> {
    let document = folder.join("compare.json");
    let comparison = Comparison::read(&document)?;
    if let Some(run) = comparison.uneven() {
        return Err(ReportError::Uneven { path: document, name: run.folder.clone() });
    }
    let several = comparison.runs.iter().any(|run| run.seed != comparison.runs[0].seed);
    let mut rules: Vec<&str> = Vec::new();
    for run in &comparison.runs {
        if !rules.contains(&run.rule.as_str()) {
            rules.push(&run.rule);
        }
    }
    let compared = Some(tables::compared(&comparison, &rules, None));
    let recommended = tables::recommended(&comparison, &rules);
    let mut page = Page { compared, recommended, ..Page::default() };
    let mut noun = None;
    for line in &comparison.runs {
        // Older documents have the whole path, from before the folder was moved.
        let own = Path::new(&line.folder).file_name().unwrap_or_default();
        let name =
            if several { format!("{}, seed {}", line.rule, line.seed) } else { line.rule.clone() };
        if !folder.join(own).is_dir() {
            let name = own.to_string_lossy().into_owned();
            return Err(ReportError::NoTraining { path: document, name });
        }
        let training = Training::read(&folder.join(own), &name, &line.rule)?;
        if page.agents.is_empty() {
            page.agents.clone_from(&training.agents);
            let header = training.view.header();
            let encoding = training.audit.as_ref().and_then(|a| a.predictor.as_ref());
            let spec = Spec::parse("spec.toml", training.view.spec()).ok();
            let inside = folder.join(own);
            page.data = Some(data_view(
                &inside,
                &header.data.file,
                spec.as_ref(),
                encoding.map(|p| &p.encoding),
                training.audit.as_ref().map_or(&[][..], |audit| &audit.notes),
                &page.agents,
            ));
            page.provenance.facts = vec![
                ("Program".to_owned(), format!("corefed {}", training.view.corefed())),
                ("Data".to_owned(), file_name(&header.data.file)),
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
    if page.recommended.is_some() {
        page.models =
            rules.iter().filter_map(|rule| mean(rule, &comparison, &page.models)).collect();
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
    let what =
        if rules.len() == 1 { "one rule".to_owned() } else { format!("{} rules", rules.len()) };
    let own = spec.as_ref().and_then(|text| Spec::parse("spec.toml", text).ok());
    page.title = own
        .map(|own| own.name)
        .map_or_else(|| what.clone(), |name| format!("{name}: {what} compared"));
    page.subtitle = format!(
        "{} {}, {} trainings on the same data; each has a report of its own in its folder.",
        page.agents.len(),
        page.noun,
        comparison.runs.len()
    );
    Ok(page)
}

/// One model per rule: utilities in the mean over seeds, held-out numbers too, factors from end to end. A verdict
/// that seeds do not share is the worst of them; the table counts them.
fn mean(rule: &str, comparison: &Comparison, models: &[Model]) -> Option<Model> {
    let pairs = comparison.runs.iter().zip(models);
    let own: Vec<&Model> =
        pairs.filter(|(run, _)| run.rule == rule).map(|(_, model)| model).collect();
    let first = *own.first()?;
    let over = |value: &dyn Fn(&Model) -> Option<f64>| {
        let known: Option<Vec<f64>> = own.iter().map(|model| value(model)).collect();
        known.map(|known| known.iter().sum::<f64>() / known.len() as f64)
    };
    let rank = |verdict: Verdict| match verdict {
        Verdict::Stable => 0,
        Verdict::Undecided => 1,
        Verdict::Improvable => 2,
        Verdict::Blocked => 3,
    };
    let hull = |interval: &dyn Fn(&Model) -> KappaInterval| {
        let lo = own.iter().map(|model| interval(model).lo.0).fold(f64::INFINITY, f64::min);
        let hi = own.iter().map(|model| interval(model).hi.0).fold(f64::NEG_INFINITY, f64::max);
        KappaInterval::new(lo, hi)
    };
    Some(Model {
        name: rule.to_owned(),
        verdict: own.iter().map(|model| model.verdict).max_by_key(|v| rank(*v))?,
        kappa: hull(&|model| model.kappa),
        everybody: hull(&|model| model.everybody),
        utilities: (0..first.utilities.len())
            .map(|k| over(&|model| model.utilities.get(k).copied().flatten()))
            .collect(),
        log_welfare: over(&|model| model.log_welfare),
        held_out: mean_held_out(&own),
        coalitions: Vec::new(),
        ..first.clone()
    })
}

/// Held-out numbers in the mean over seeds, which hold out different rows.
fn mean_held_out(own: &[&Model]) -> Option<HeldOutAudit> {
    let all: Option<Vec<&HeldOutAudit>> = own.iter().map(|model| model.held_out.as_ref()).collect();
    let all = all.filter(|all| !all.is_empty())?;
    let count = all.len() as f64;
    let mean = |of: &dyn Fn(&HeldOutAudit) -> Option<OnHeldOut>| {
        let known: Option<Vec<OnHeldOut>> = all.iter().map(|one| of(one)).collect();
        known.map(|known| OnHeldOut {
            loss: known.iter().map(|on| on.loss).sum::<f64>() / count,
            utility: known.iter().map(|on| on.utility).sum::<f64>() / count,
            quality: known.iter().map(|on| on.quality).sum::<Option<f64>>().map(|sum| sum / count),
        })
    };
    let agent = |(k, agent): (usize, &HeldOutAgent)| HeldOutAgent {
        model: mean(&|one| one.agents.get(k)?.model),
        alone: mean(&|one| one.agents.get(k)?.alone),
        ..agent.clone()
    };
    Some(HeldOutAudit {
        agents: all[0].agents.iter().enumerate().map(agent).collect(),
        log_welfare: None,
        ..all[0].clone()
    })
}
