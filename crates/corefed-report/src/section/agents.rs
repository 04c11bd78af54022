//! Who gets what, beside what it could get elsewhere.

use super::{Block, Chart, Section, held_out};
use crate::chart::{Dots, Row, STYLES, Strip};
use crate::curves::quantile;
use crate::page::{Model, Page};
use crate::sentence::share;
use crate::table::{Cell, Table};

/// Agents that are all drawn; of more, the worst are, with quantiles of all.
const MOST_DRAWN: usize = 50;
const WORST: usize = 20;

pub(super) fn section(page: &Page) -> Option<Section> {
    let first = page.models.first()?;
    let models: Vec<&Model> = page.models.iter().take(STYLES).collect();
    let best: Vec<Option<f64>> =
        (0..page.agents.len()).map(|k| best_group(page, first, k)).collect();
    let order = worst_first(first, page.agents.len());
    let many = order.len() > MOST_DRAWN;
    let drawn = if many { &order[..WORST] } else { &order[..] };
    let dots = Dots {
        label: format!("Utility of {} under every model, worst first", page.noun),
        models: models.iter().map(|model| model.name.clone()).collect(),
        rows: drawn
            .iter()
            .map(|&k| Row {
                name: page.agents[k].name.clone(),
                values: models.iter().map(|m| m.utilities.get(k).copied().flatten()).collect(),
                alone: first.alone.get(k).copied().flatten(),
                best: best[k],
            })
            .collect(),
    };
    let mut blocks = Vec::new();
    if many {
        blocks.push(strip(page, &models));
    }
    let title = if many { format!("The {WORST} worst off") } else { "Utility by agent".to_owned() };
    let mut note = format!(
        "A utility is the ceiling minus the loss: more is better. Worst off under {} first; its value \
         stands at the right.",
        first.name
    );
    if best.iter().any(Option::is_some) {
        note.push_str(
            " The ring is what the agent gets with the best rival of the smaller group in which it \
             comes closest to leaving.",
        );
    }
    if page.recommended.is_some() {
        note.push_str(" All are means over seeds.");
    }
    let left_out = page.models.len().saturating_sub(STYLES);
    if left_out > 0 {
        note.push_str(" Further models are in the table.");
    }
    let table = table(page, &order, &best);
    blocks.push(Chart::block("fig-agents", title, note, |width| dots.draw(width), Some(table)));
    blocks.extend(held_out::blocks(page));
    Some(Section { id: "agents", title: "Who gets what", blocks })
}

/// Agents by utility under a model, those without one last.
pub(crate) fn worst_first(model: &Model, agents: usize) -> Vec<usize> {
    let value = |k: &usize| model.utilities.get(*k).copied().flatten().unwrap_or(f64::INFINITY);
    let mut order: Vec<usize> = (0..agents).collect();
    order.sort_by(|a, b| value(a).total_cmp(&value(b)));
    order
}

/// What an agent gets in the smaller group in which it comes closest to leaving.
fn best_group(page: &Page, model: &Model, agent: usize) -> Option<f64> {
    let groups = model
        .coalitions
        .iter()
        .filter(|c| c.members.len() < page.agents.len() && c.members.contains(&agent));
    let best = groups.max_by(|a, b| {
        let reach = |c: &crate::Coalition| share(page, &c.members) * c.lower;
        reach(a).total_cmp(&reach(b))
    })?;
    let place = best.members.iter().position(|member| *member == agent)?;
    let now = model.utilities.get(agent).copied().flatten()?;
    Some(best.gains.get(place)? * now).filter(|value| value.is_finite())
}

fn strip(page: &Page, models: &[&Model]) -> Block {
    let rows = models.iter().filter_map(|model| {
        let mut sorted: Vec<f64> = model.utilities.iter().flatten().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let five = [0.0, 0.25, 0.5, 0.75, 1.0];
        (!sorted.is_empty()).then(|| (model.name.clone(), five.map(|q| quantile(&sorted, q))))
    });
    let strip = Strip {
        label: format!("Quantiles of utility over {} {}", page.agents.len(), page.noun),
        rows: rows.collect(),
    };
    let columns = ["model", "lowest", "first quarter", "median", "third quarter", "highest"];
    let table = Table {
        id: "quantiles".into(),
        caption: "Quantiles of utility".into(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: strip
            .rows
            .iter()
            .map(|(name, q)| {
                std::iter::once(Cell::Text(name.clone())).chain(q.map(Cell::Number)).collect()
            })
            .collect(),
    };
    Chart::block(
        "fig-quantiles",
        format!("All {} {}", page.agents.len(), page.noun),
        "From the lowest to the highest utility; the median stands at the right.",
        |width| strip.draw(width),
        Some(table),
    )
}

fn table(page: &Page, order: &[usize], best: &[Option<f64>]) -> Table {
    let first = &page.models[0];
    let (sized, capped) = (
        page.agents.iter().any(|agent| agent.samples.is_some()),
        page.agents.iter().any(|agent| agent.ceiling.is_some()),
    );
    let lonely = first.alone.iter().any(Option::is_some);
    let grouped = best.iter().any(Option::is_some);
    let mut columns = vec!["agent".to_owned()];
    columns.extend(sized.then(|| "rows".to_owned()));
    columns.push("weight".to_owned());
    columns.extend(capped.then(|| "ceiling".to_owned()));
    columns.extend(page.models.iter().map(|model| model.name.clone()));
    columns.extend(lonely.then(|| "alone".to_owned()));
    columns.extend(grouped.then(|| "best group".to_owned()));
    let rows = order.iter().map(|&k| {
        let agent = &page.agents[k];
        let mut row = vec![Cell::Text(agent.name.clone())];
        row.extend(sized.then(|| agent.samples.map_or(Cell::Missing, Cell::Whole)));
        row.push(Cell::Number(agent.weight));
        row.extend(capped.then(|| Cell::of(agent.ceiling)));
        row.extend(page.models.iter().map(|m| Cell::of(m.utilities.get(k).copied().flatten())));
        row.extend(lonely.then(|| Cell::of(first.alone.get(k).copied().flatten())));
        row.extend(grouped.then(|| Cell::of(best[k])));
        row
    });
    Table {
        id: "agents".into(),
        caption: "Utility of every agent under every model".into(),
        columns,
        rows: rows.collect(),
    }
}
