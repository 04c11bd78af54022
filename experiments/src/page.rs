//! The page of an experiment: the first seed under the printed ceiling.

use corefed_core::Weights;
use corefed_report::{Agent, DataView, Model, Moving, Page, Provenance, Scope};

use crate::judge::Row;
use crate::results::Results;

pub(crate) fn page(results: &Results<'_>) -> Page {
    let ceiling = results.experiment.ceilings[0];
    let agent = |name: &String| Agent {
        name: name.clone(),
        samples: None,
        weight: 1.0,
        ceiling: Some(ceiling),
    };
    let mut models: Vec<Model> = results
        .rules()
        .into_iter()
        .filter_map(|rule| results.of(rule, ceiling).first().map(|row| model(results, row)))
        .collect();
    // The page is about the rule that this program is for.
    models.sort_by_key(|model| !model.name.starts_with("corefed"));
    Page {
        title: results.experiment.title.to_owned(),
        subtitle: format!(
            "{} rules on the same data, ceiling {ceiling}, first seed.",
            results.rules().len()
        ),
        noun: "agents".to_owned(),
        agents: results.agents.iter().map(agent).collect(),
        models,
        data: Some(DataView { name: results.spec.data.to_string(), ..DataView::default() }),
        provenance: Provenance {
            facts: vec![
                ("Program".to_owned(), format!("corefed {}", env!("CARGO_PKG_VERSION"))),
                ("Computed on".to_owned(), results.device.clone()),
            ],
            repeat: vec![format!("corefed reproduce {}", command(results.experiment.preset))],
            spec: Some(results.spec.to_toml()),
            downloads: Vec::new(),
        },
        ..Page::default()
    }
}

/// How an experiment is called on the command line.
fn command(preset: &str) -> &str {
    preset.strip_prefix("table1-").unwrap_or(preset)
}

fn model(results: &Results<'_>, row: &Row) -> Model {
    let weights = Weights::equal(results.agents.len());
    let rivals = results.rows.len();
    Model {
        name: row.rule.clone(),
        verdict: row.verdict,
        kappa: row.kappa,
        everybody: row.everybody,
        tolerance: results.spec.tolerance,
        obstacle: None,
        headroom: Some(row.headroom.0),
        scope: match row.upper {
            "exact audit" => Scope::Ball(results.spec.radius),
            _ => Scope::Listed(rivals),
        },
        deviation: row.witness.as_ref().map(|witness| Moving {
            members: witness.coalition.clone(),
            gains: Vec::new(),
            rival: witness.rival.clone(),
        }),
        assumptions: Vec::new(),
        warnings: Vec::new(),
        utilities: row.utilities.iter().map(|u| Some(*u)).collect(),
        alone: vec![None; results.agents.len()],
        log_welfare: Some(corefed_core::log_welfare(&row.utilities, &weights)),
        held_out: None,
        coalitions: Vec::new(),
    }
}
