//! The models of a folder as a table to choose from: what each agent loses with each of them.

use std::collections::BTreeMap;
use std::path::Path;

use corefed_documents::{AuditDocument, ComparedRun, Comparison, Document};
use corefed_log::{AgentRecord, RunFolder, RunKind, RunView, check_links, exact_header, run_kind};

use crate::csv_text::csv_text;
use crate::{GivenError, RunError};

/// A table of losses, by model and agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Choices {
    /// The table, as `corefed choose` reads it.
    pub csv: String,
    /// Whether the losses are those of held-out rows; otherwise of training rows.
    pub held_out: bool,
    /// How many seeds each loss is the mean of.
    pub seeds: usize,
}

/// What a folder has to choose from.
struct Listed {
    agents: Vec<String>,
    models: Vec<Model>,
    seeds: usize,
}

/// One model, and what everybody loses with it.
struct Model {
    name: String,
    training: Vec<f64>,
    /// On held-out rows, where everybody has some.
    held_out: Option<Vec<f64>>,
}

/// The rounds of a training, or the rules of a comparison or an exact run.
///
/// Losses are those of held-out rows where every agent has some. Seeds of a comparison divide the rows
/// differently, so models of different seeds cannot be put to the same agents: of several seeds the mean
/// loss of each rule is listed, or the models of one `seed`.
pub fn choices(folder: &Path, seed: Option<u64>) -> Result<Choices, RunError> {
    let Listed { agents, models, seeds } = if folder.join("compare.json").exists() {
        check_links(folder)?;
        compared(folder, seed)?
    } else if run_kind(folder)? == Some(RunKind::Exact) {
        by_rule(folder)?
    } else {
        by_round(&RunFolder::peek(folder)?)?
    };
    if models.is_empty() {
        return Err(GivenError::NothingToChoose { path: folder.to_owned() }.into());
    }
    let held_out = models.iter().all(|model| model.held_out.is_some());
    let csv = csv_text(|writer| {
        writer.write_record(std::iter::once("model").chain(agents.iter().map(String::as_str)))?;
        for model in &models {
            let losses = model.held_out.as_ref().filter(|_| held_out).unwrap_or(&model.training);
            let cells = losses.iter().map(f64::to_string);
            writer.write_record(std::iter::once(model.name.clone()).chain(cells))?;
        }
        Ok(())
    })?;
    Ok(Choices { csv, held_out, seeds })
}

/// Every round in which everybody was asked; the initial model is nobody's choice.
fn by_round(view: &RunView) -> Result<Listed, RunError> {
    let agents: Vec<String> = view.header().agents.iter().map(|a| a.name.clone()).collect();
    let mut rounds: BTreeMap<usize, BTreeMap<String, AgentRecord>> = BTreeMap::new();
    for record in view.agents()? {
        let record = record?;
        rounds.entry(record.round).or_default().insert(record.agent.clone(), record);
    }
    let of = |records: &BTreeMap<String, AgentRecord>,
              loss: &dyn Fn(&AgentRecord) -> Option<f64>|
     -> Option<Vec<f64>> {
        let own = |agent| records.get(agent).and_then(loss).filter(|loss| loss.is_finite());
        agents.iter().map(own).collect()
    };
    let model = |(round, records): (&usize, &BTreeMap<String, AgentRecord>)| {
        let training = of(records, &|record| record.loss)?;
        let held_out = of(records, &|record| record.held_out_loss);
        Some(Model { name: format!("round {round}"), training, held_out })
    };
    let models = rounds.iter().filter(|(round, _)| **round > 0).filter_map(model).collect();
    Ok(Listed { agents, models, seeds: 1 })
}

/// The rules of an exact run, each at its optimum.
fn by_rule(folder: &Path) -> Result<Listed, RunError> {
    let header = exact_header(folder)?;
    let mut models = Vec::new();
    for rule in &header.rules {
        let path = folder.join(format!("{rule}.predictor.json"));
        // A rule without an optimum left no predictor.
        if !path.is_file() {
            continue;
        }
        let audit = AuditDocument::read(&path)?;
        let training: Option<Vec<f64>> = audit.agents.iter().map(|agent| agent.loss).collect();
        let held_out = audit.held_out.as_ref().and_then(|rows| {
            rows.agents.iter().map(|agent| agent.model.map(|model| model.loss)).collect()
        });
        models.extend(training.map(|training| Model { name: rule.clone(), training, held_out }));
    }
    let agents = header.agents.iter().map(|agent| agent.name.clone()).collect();
    Ok(Listed { agents, models, seeds: 1 })
}

/// The rules of a comparison, each by the models that its runs keep.
fn compared(folder: &Path, seed: Option<u64>) -> Result<Listed, RunError> {
    let Comparison { agents, runs, .. } = Comparison::read(&folder.join("compare.json"))?;
    let mut known: Vec<u64> = runs.iter().map(|run| run.seed).collect();
    known.sort_unstable();
    known.dedup();
    if let Some(seed) = seed.filter(|seed| !known.contains(seed)) {
        return Err(GivenError::NoSuchSeed { path: folder.to_owned(), seed, known }.into());
    }
    let seeds = if seed.is_some() { 1 } else { known.len() };
    let mut rules: Vec<(&str, Vec<&ComparedRun>)> = Vec::new();
    for run in runs.iter().filter(|run| seed.is_none_or(|seed| run.seed == seed)) {
        match rules.iter_mut().find(|(rule, _)| *rule == run.rule) {
            Some((_, own)) => own.push(run),
            None => rules.push((&run.rule, vec![run])),
        }
    }
    // A rule that left no model from some seed has no mean over all of them.
    rules.retain(|(_, own)| own.len() == seeds);
    let model = |(rule, own): &(&str, Vec<&ComparedRun>)| {
        let held_out: Option<Vec<&[f64]>> =
            own.iter().map(|run| run.held_out.as_ref().map(|rows| &rows.losses[..])).collect();
        let training: Vec<&[f64]> = own.iter().map(|run| &run.training.losses[..]).collect();
        Some(Model {
            name: (*rule).to_owned(),
            training: mean(&training, agents.len())?,
            held_out: held_out.and_then(|lists| mean(&lists, agents.len())),
        })
    };
    let models = rules.iter().filter_map(model).collect();
    Ok(Listed { agents, models, seeds })
}

/// By agent; nothing where some list does not have everybody, as in comparisons of version 0.1.0.
fn mean(lists: &[&[f64]], agents: usize) -> Option<Vec<f64>> {
    let count = lists.len() as f64;
    let over = |k: usize| lists.iter().map(|list| list[k]).sum::<f64>() / count;
    let whole = lists.iter().all(|list| list.len() == agents);
    whole.then(|| (0..agents).map(over).collect())
}
