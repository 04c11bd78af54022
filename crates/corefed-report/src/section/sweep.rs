//! What a key of the spec changes; for the ceiling, everything.

use super::sweep_answer::{answer, look, steps};
use super::{Block, Chart, Section};
use crate::chart::{Lines, STYLES, Series, Zone};
use crate::page::{Page, Sweep};
use crate::table::{Cell, Table};
use crate::words;

pub(super) fn section(page: &Page) -> Option<Section> {
    let sweep = page.sweep.as_ref().filter(|sweep| !sweep.points.is_empty())?;
    let ceiling = sweep.field == "ceiling";
    let title = if ceiling { "What the ceiling decides" } else { "What the setting decides" };
    let table = table(page, sweep);
    // Values that are not numbers stand side by side in the order they were asked for.
    let numbers: Option<Vec<f64>> = sweep.points.iter().map(|p| p.value.parse().ok()).collect();
    let at = |k: usize| numbers.as_ref().map_or((k + 1) as f64, |values| values[k]);
    let mut order: Vec<usize> = (0..sweep.points.len()).collect();
    order.sort_by(|a, b| at(*a).total_cmp(&at(*b)));
    let x_label = if numbers.is_some() {
        sweep.field.clone()
    } else {
        format!("{}, in the order asked for", sweep.field)
    };
    let spread = order.last().zip(order.first()).map_or(1.0, |(l, f)| at(*l) / at(*f));
    let frame = |label: String, y_label: &str, series: Vec<Series>| Lines {
        label,
        x_label: x_label.clone(),
        y_label: y_label.to_owned(),
        series,
        zones: zones(sweep, &order, &at),
        log_x: numbers.is_some() && spread > 3.0,
        table: "sweep".to_owned(),
        ..Lines::default()
    };
    // Utilities rise with a ceiling by definition; losses say what agents have of it.
    let by_loss = sweep.points.iter().any(|point| point.losses.iter().any(Option::is_some));
    let unit = if by_loss { "loss" } else { "utility" };
    let by_agent = frame(
        format!("The {unit} of every agent against {}", sweep.field),
        unit,
        by_agent(page, sweep, &order, &at, by_loss),
    );
    let curve = |label: &str, style: usize, value: &dyn Fn(usize) -> Option<f64>| Series {
        label: label.to_owned(),
        style,
        points: order
            .iter()
            .filter_map(|&k| Some((at(k), value(k)?)))
            .filter(|point| point.1.is_finite())
            .collect(),
        marks: true,
        ..Series::default()
    };
    let mut kappa = frame(
        format!("Kappa and headroom against {}", sweep.field),
        "factor",
        vec![
            curve("headroom", 1, &|k| sweep.points[k].headroom),
            curve("kappa at most", 2, &|k| sweep.points[k].kappa.map(|kappa| kappa.hi.0)),
            curve("kappa at least", 0, &|k| sweep.points[k].kappa.map(|kappa| kappa.lo.0)),
        ],
    );
    (kappa.rule, kappa.log_y) = (Some(1.0), true);
    let mut blocks = vec![Block::Html(answer(page, sweep, &order)), steps(sweep, &order)];
    if ceiling {
        blocks.push(Block::Html(
            "<p>The ceiling is the loss at which an agent gets nothing. A high one makes everybody's \
             gains look small, until no group can leave and the question is empty: then headroom nears \
             one. A low one lets the worst off decide.</p>\n"
                .to_owned(),
        ));
    }
    let what = if by_loss { "Losses" } else { "Utilities" };
    blocks.push(Chart::block(
        "fig-sweep-agents",
        format!("{what} against {}", sweep.field),
        format!(
            "The {unit} of each on its training rows: {} is better. Shaded strips name the verdict at each value.",
            if by_loss { "less" } else { "more" }
        ),
        |width| by_agent.draw(width),
        None,
    ));
    blocks.push(Chart::block(
        "fig-sweep-kappa",
        format!("Kappa and headroom against {}", sweep.field),
        "Logarithmic. Above the line at one, some group would leave.",
        |width| kappa.draw(width),
        Some(table),
    ));
    Some(Section { id: "ceiling", title, blocks })
}

/// A curve per agent, or the lowest, mean and highest of many.
fn by_agent(
    page: &Page,
    sweep: &Sweep,
    order: &[usize],
    at: &dyn Fn(usize) -> f64,
    by_loss: bool,
) -> Vec<Series> {
    let series = |label: String, style: usize, value: &dyn Fn(usize) -> Option<f64>| Series {
        label,
        style,
        points: order.iter().filter_map(|&k| value(k).map(|v| (at(k), v))).collect(),
        marks: true,
        ..Series::default()
    };
    let values = |k: usize| {
        let point = &sweep.points[k];
        if by_loss { &point.losses } else { &point.utilities }
    };
    if (1..=STYLES).contains(&page.agents.len()) {
        let agents = page.agents.iter().enumerate();
        return agents
            .map(|(agent, known)| {
                let value = |k: usize| values(k).get(agent).copied().flatten();
                series(known.name.clone(), agent, &value)
            })
            .collect();
    }
    let all = |k: usize| values(k).iter().flatten().copied();
    vec![
        series("highest".to_owned(), 1, &|k| all(k).reduce(f64::max)),
        series("mean".to_owned(), 2, &|k| {
            let count = all(k).count();
            (count > 0).then(|| all(k).sum::<f64>() / count as f64)
        }),
        series("lowest".to_owned(), 0, &|k| all(k).reduce(f64::min)),
    ]
}

/// Neighbouring values with one verdict, half way to the next.
fn zones(sweep: &Sweep, order: &[usize], at: &dyn Fn(usize) -> f64) -> Vec<Zone> {
    let mut zones: Vec<Zone> = Vec::new();
    for (place, &k) in order.iter().enumerate() {
        let from = if place == 0 { at(k) } else { f64::midpoint(at(order[place - 1]), at(k)) };
        let to = order.get(place + 1).map_or(at(k), |&next| f64::midpoint(at(k), at(next)));
        let (class, label) = look(sweep.points[k].verdict);
        match zones.last_mut() {
            Some(last) if last.label == label => last.to = to,
            _ => zones.push(Zone { from, to, class, label }),
        }
    }
    zones
}

fn table(page: &Page, sweep: &Sweep) -> Table {
    let listed = page.agents.len() <= 50;
    let mut columns = vec![sweep.field.clone(), "verdict".to_owned()];
    let factors =
        ["kappa at least", "kappa at most", "everybody at least", "everybody at most", "headroom"];
    columns.extend(factors.map(str::to_owned));
    columns.push("log-welfare".to_owned());
    if listed {
        columns.extend(page.agents.iter().map(|agent| agent.name.clone()));
    }
    let leaves = sweep.points.iter().any(|point| !point.leaving.is_empty());
    columns.extend(leaves.then(|| "who leaves".to_owned()));
    let rows = sweep.points.iter().map(|point| {
        let mut row = vec![
            Cell::Text(point.value.clone()),
            Cell::Text(
                point.verdict.map_or_else(|| words::unserved(&point.unserved), |v| v.to_string()),
            ),
            Cell::factor(point.kappa.map(|kappa| kappa.lo.0)),
            Cell::factor(point.kappa.map(|kappa| kappa.hi.0)),
            Cell::factor(point.everybody.map(|everybody| everybody.lo.0)),
            Cell::factor(point.everybody.map(|everybody| everybody.hi.0)),
            Cell::factor(point.headroom),
            Cell::of(point.log_welfare),
        ];
        if listed {
            row.extend(
                (0..page.agents.len()).map(|k| Cell::of(point.utilities.get(k).copied().flatten())),
            );
        }
        row.extend(leaves.then(|| Cell::Text(point.leaving.join(", "))));
        row
    });
    Table {
        id: "sweep".into(),
        caption: format!("What every value of {} led to", sweep.field),
        columns,
        rows: rows.collect(),
    }
}
