//! The folder of a training.

use std::path::Path;

use corefed_documents::{ANSWERED, Answered, AuditDocument, CHANGES, Document, SpecChanges};
use corefed_log::{RoundRecord, RunFolder, RunView};
use corefed_spec::Spec;

use super::audited;
use super::data_view::{data_view, file_name};
use super::network::evidence;
use super::sources::{ASK, add_coalitions, digest, downloads, stay};
use crate::verdict::noun;
use crate::{Agent, Curve, Curves, DataView, Model, Page, Provenance, ReportError, Run, Scope};

/// A training as far as a page needs it.
pub(super) struct Training {
    pub(super) view: RunView,
    pub(super) agents: Vec<Agent>,
    pub(super) run: Run,
    /// Absent while it runs.
    pub(super) audit: Option<AuditDocument>,
    pub(super) model: Option<Model>,
}

impl Training {
    /// Reads records and audit; names are those of the legend.
    pub(super) fn read(folder: &Path, name: &str, group: &str) -> Result<Self, ReportError> {
        let view = RunFolder::peek(folder)?;
        let header = view.header();
        let agents: Vec<Agent> = header
            .agents
            .iter()
            .map(|agent| Agent {
                name: agent.name.clone(),
                samples: Some(agent.samples),
                weight: agent.weight,
                ceiling: Some(agent.ceiling),
            })
            .collect();
        let run = curves(&view, name, group, &agents)?;
        let path = folder.join("audit.json");
        let audit = if path.is_file() { Some(AuditDocument::read(&path)?) } else { None };
        let mut model = match &audit {
            Some(audit) => Some(audited::model(audit, name, &agents)),
            None => so_far(&view, name, &run),
        };
        if let Some(model) = &mut model {
            let best = best_round(&view)?;
            if let Some(best) = &best {
                model.log_welfare = model.log_welfare.or(best.log_welfare);
            } else if model.utilities.iter().all(Option::is_none) {
                // The shorter audit leaves utilities to the records.
                model.utilities = run.utilities.iter().map(Curve::end).collect();
            }
            model.log_welfare = model.log_welfare.or_else(|| run.log_welfare.end());
            let rule = header.rule.clone();
            add_coalitions(folder, &agents, &mut [(rule, model)])?;
        }
        Ok(Self { view, agents, run, audit, model })
    }
}

/// The round whose model a run kept because it was the first of the best by the rows to choose by.
fn best_round(view: &RunView) -> Result<Option<RoundRecord>, ReportError> {
    let mut best: Option<RoundRecord> = None;
    if view.header().keeps.is_some() {
        for round in view.rounds()? {
            let round = round?;
            let known = best.as_ref().and_then(|best| best.validation_welfare);
            let better = round.validation_welfare.is_some_and(|now| known.is_none_or(|k| now > k));
            if better {
                best = Some(round);
            }
        }
    }
    Ok(best)
}

/// The model of the last round, judged by what its record says; absent before the first.
fn so_far(view: &RunView, name: &str, run: &Run) -> Option<Model> {
    let end = |curve: &Curve| curve.end();
    let record = RoundRecord {
        kappa: Some(end(&run.kappa)?),
        everybody: end(&run.everybody),
        log_welfare: end(&run.log_welfare),
        ..RoundRecord::default()
    };
    let factors = record.factors(end(&run.bound));
    let tolerance = view.header().tolerance;
    Some(Model {
        name: name.to_owned(),
        verdict: factors.verdict(tolerance),
        kappa: factors.kappa,
        everybody: factors.everybody,
        tolerance,
        obstacle: None,
        headroom: None,
        scope: Scope::Met,
        deviation: None,
        assumptions: Vec::new(),
        warnings: Vec::new(),
        utilities: run.utilities.iter().map(Curve::end).collect(),
        alone: vec![None; run.utilities.len()],
        log_welfare: run.log_welfare.end(),
        held_out: None,
        coalitions: Vec::new(),
    })
}

/// Rounds with their agents, read side by side so that no run has to fit into memory.
fn curves(view: &RunView, name: &str, group: &str, agents: &[Agent]) -> Result<Run, ReportError> {
    let names: Vec<String> = agents.iter().map(|agent| agent.name.clone()).collect();
    let mut curves = Curves::new(name, group, view.header().rounds, &names);
    curves.begin(&view.header().guards);
    let mut records = view.agents()?.peekable();
    for round in view.rounds()? {
        let round = round?;
        let mut own = Vec::new();
        while let Some(record) = records
            .next_if(|record| !record.as_ref().is_ok_and(|record| record.round > round.round))
        {
            let record = record?;
            if record.round == round.round {
                own.push(record);
            }
        }
        curves.push(&round, &own);
    }
    Ok(curves.finish())
}

pub(super) fn page(folder: &Path) -> Result<Page, ReportError> {
    let rule = RunFolder::peek(folder)?.header().rule.clone();
    let training = Training::read(folder, &rule, &rule)?;
    let Training { view, agents, run, audit, model } = training;
    let header = view.header();
    let spec = Spec::parse("spec.toml", view.spec()).ok();
    let encoding = audit.as_ref().and_then(|a| a.predictor.as_ref()).map(|p| &p.encoding);
    let noun = audit.as_ref().map_or_else(|| "agents".to_owned(), noun);
    let read = audit.as_ref().map_or(&[][..], |audit| &audit.notes);
    let answered = folder.join(ANSWERED);
    let answered = if answered.is_file() { Some(Answered::read(&answered)?) } else { None };
    let data = data_view(folder, &header.data.file, spec.as_ref(), encoding, read, &agents);
    let data = DataView { answered, ..data };
    let fact = |name: &str, value: String| (name.to_owned(), value);
    let mut facts = vec![
        fact("Program", format!("corefed {}", view.corefed())),
        fact("Rule", header.rule.clone()),
        fact("Seed", header.seed.to_string()),
        fact("Data", file_name(&header.data.file)),
        fact("SHA-256 of the data", header.data.digest.clone()),
        fact("Rounds", format!("{} of {} planned", run.rounds, header.rounds)),
    ];
    facts.extend(best_round(&view)?.map(|best| {
        let told = "the best on the validation rows; the last is `last.safetensors`";
        fact("Model", format!("of round {}, {told}", best.round))
    }));
    facts.extend(header.steadiness.as_ref().map(|held| {
        fact("Held steady by", format!("correction {}, search {}", held.correction, held.search))
    }));
    facts.extend(header.device.as_ref().map(|device| fact("Computed on", device.to_string())));
    facts.extend(header.radius.map(|radius| fact("Radius of the ball", radius.to_string())));
    facts.extend(header.premise.clone().map(|premise| fact("Bounds", premise)));
    for (name, file) in [
        ("SHA-256 of the model", "model.safetensors"),
        ("SHA-256 of the rounds", "rounds.jsonl"),
        ("SHA-256 of the certificate", "certificate.json"),
    ] {
        facts.extend(digest(&folder.join(file)).map(|digest| fact(name, digest)));
    }
    let changes = folder.join(CHANGES);
    if changes.is_file() {
        let told = SpecChanges::read(&changes)?.sentences();
        facts.extend(told.into_iter().map(|told| fact("Changed on the way", told)));
    }
    let unfinished = audit.is_none();
    let stay = stay(folder)?;
    Ok(Page {
        title: header.name.clone(),
        subtitle: format!(
            "{} {} trained by {} for {} rounds{}.",
            agents.len(),
            noun,
            header.rule,
            run.rounds,
            if unfinished { " so far" } else { ", then audited" }
        ),
        noun,
        ask: (stay.is_none() && !unfinished && spec.is_some()).then(|| ASK.to_owned()),
        stay,
        models: model.into_iter().collect(),
        evidence: audit.as_ref().and_then(|a| a.network.as_ref()).map(evidence),
        rivals: run.snapshots.clone(),
        provenance: Provenance {
            facts,
            // A run of Flower's has settings there, and apps that only their owner can start.
            repeat: spec.iter().map(|_| "corefed run spec.toml".to_owned()).collect(),
            spec: Some(view.spec().to_owned()),
            downloads: downloads(
                folder,
                &["spec.toml", "run.json", "audit.json", "certificate.json", "summary.md"],
            ),
        },
        data: Some(data),
        runs: vec![run],
        agents,
        unfinished,
        ..Page::default()
    })
}
