//! How it came about, round by round, one run or several.

use super::{Block, Chart, Section};
use crate::chart::{Lines, STYLES, Series};
use crate::curves::{Curve, Run};
use crate::html::{escape, factor, whole};
use crate::page::Page;
use crate::table::{Cell, Table};

/// Of many agents, those that end worst are drawn one by one.
const WORST: usize = 3;

pub(super) fn section(page: &Page) -> Option<Section> {
    let runs = &page.runs;
    let longest = runs.iter().max_by_key(|run| run.rounds)?;
    let mut blocks = vec![Block::Html(introduction(page, longest))];
    blocks.extend(runs.iter().filter_map(|run| safeguards(run, runs.len() > 1)).map(Block::Html));
    if runs.len() > 1 {
        let floor = |run: &Run| run.quantiles[0].clone();
        blocks.extend(overlay(runs, "lowest", "Utility of the worst off", "utility", &floor, None));
    }
    let welfare = |run: &Run| run.log_welfare.clone();
    let kappa = |run: &Run| run.kappa.clone();
    // Several trainings have reports of their own, with a curve for every agent.
    let single = if let [run] = runs.as_slice() { Some(run) } else { None };
    blocks.extend(single.and_then(|run| utilities(page, run)));
    blocks.extend(overlay(runs, "log-welfare", "Log-welfare", "log-welfare", &welfare, None));
    let title = "Kappa against models met so far";
    let line = Line { at: 1.0, audited: audited(page, longest) };
    blocks.extend(overlay(runs, "kappa", title, "kappa", &kappa, Some(line)));
    blocks.extend(single.and_then(|run| weights(page, run)));
    Some(Section { id: "training", title: "How it was trained", blocks })
}

/// What the audit of a single training reaches, which tries more models than were met: it ends the curve.
fn audited(page: &Page, run: &Run) -> Option<(f64, f64)> {
    let [model] = page.models.as_slice() else { return None };
    let known = !page.unfinished && model.kappa.lo.0.is_finite();
    known.then_some((run.rounds as f64, model.kappa.lo.0))
}

fn introduction(page: &Page, longest: &Run) -> String {
    let mut said = format!("{} rounds", whole(longest.rounds));
    if page.runs.len() > 1 {
        said = format!("{} trainings of up to {said}", page.runs.len());
    }
    said.push_str(if page.unfinished { " so far." } else { "." });
    if longest.width > 1 {
        said = format!(
            "{said} Each point stands for up to {} rounds and shows the last of them; the pale band around \
             a line spans the lowest and highest value among them.",
            longest.width
        );
    }
    format!("<p>{}</p>\n", escape(&said))
}

/// On whom safeguards acted; nothing where they never did.
fn safeguards(run: &Run, several: bool) -> Option<String> {
    let said = run.safeguards.sentences();
    let items: Vec<String> = said.iter().map(|line| format!("<li>{}</li>", escape(line))).collect();
    let whose = if several { format!(" in {}", escape(&run.name)) } else { String::new() };
    let items = items.join("\n");
    (!said.is_empty()).then(|| format!("<p>Safeguards acted{whose}:</p>\n<ul>\n{items}\n</ul>\n"))
}

/// The line above which somebody gains, and where the audit lies beside it: round and factor.
#[derive(Clone, Copy)]
struct Line {
    at: f64,
    audited: Option<(f64, f64)>,
}

/// One quantity of all runs in one frame.
fn overlay(
    runs: &[Run],
    id: &str,
    title: &str,
    unit: &str,
    pick: &dyn Fn(&Run) -> Curve,
    line: Option<Line>,
) -> Option<Block> {
    let mut groups: Vec<&str> = Vec::new();
    let mut curves = Vec::new();
    let mut crowded = false;
    for run in runs {
        // Seeds of one rule would hide the other rules.
        if groups.contains(&run.group.as_str()) {
            crowded = true;
            continue;
        }
        let (style, curve) = (groups.len(), pick(run));
        groups.push(&run.group);
        if !curve.buckets.is_empty() && style < STYLES {
            curves.push((run.group.clone(), style, curve));
        }
    }
    if curves.is_empty() {
        return None;
    }
    let mut series: Vec<Series> = curves.iter().map(|(n, s, c)| series(n, *s, c)).collect();
    let audited = line.and_then(|line| line.audited);
    series.extend(audited.map(|point| Series {
        label: "audited".to_owned(),
        style: curves.len().min(STYLES - 1),
        points: vec![point],
        marks: true,
        ..Series::default()
    }));
    let chart = Lines {
        label: format!("{title} by round"),
        x_label: "round".to_owned(),
        y_label: unit.to_owned(),
        series,
        rule: line.map(|line| line.at),
        table: format!("rounds-{id}"),
        ..Lines::default()
    };
    let mut note = String::new();
    if line.is_some() {
        note.push_str(
            "A lower bound: only models of earlier rounds are tried. Above one, a group would \
             gain by leaving for one of those. ",
        );
    }
    if let Some((_, kappa)) = audited {
        note.push_str("The verdict goes by the audit, which tries more models: it reaches ");
        note.push_str(&factor(kappa));
        note.push_str(". ");
    }
    if crowded {
        note.push_str("Of several seeds, the first is drawn.");
    }
    let table = rounds_table(&chart.table, &format!("{title} by round"), &curves);
    Some(Chart::block(
        // The scale of kappa has a figure of its own.
        format!("fig-rounds-{id}"),
        title,
        note.trim(),
        |width| chart.draw(width),
        Some(table),
    ))
}

fn series(name: &str, style: usize, curve: &Curve) -> Series {
    let spread = curve.buckets.iter().any(|bucket| bucket.min < bucket.max);
    Series {
        label: name.to_owned(),
        style,
        points: curve.buckets.iter().map(|b| (b.round as f64, b.last)).collect(),
        envelope: if spread {
            curve.buckets.iter().map(|b| (b.round as f64, b.min, b.max)).collect()
        } else {
            Vec::new()
        },
        marks: curve.buckets.len() <= 12,
    }
}

/// Utilities of one run: every agent of a few, bands and the worst of many.
fn utilities(page: &Page, run: &Run) -> Option<Block> {
    by_agent(page, run, &run.utilities, ("utilities", "Utilities", "utility"))
}

fn weights(page: &Page, run: &Run) -> Option<Block> {
    by_agent(page, run, &run.weights, ("weights", "Weights in the server's step", "weight"))
}

fn by_agent(
    page: &Page,
    run: &Run,
    curves: &[Curve],
    (id, title, unit): (&str, &str, &str),
) -> Option<Block> {
    if curves.iter().all(|curve| curve.buckets.is_empty()) {
        return None;
    }
    let few = curves.len() <= STYLES;
    let mut order: Vec<usize> =
        (0..curves.len()).filter(|k| !curves[*k].buckets.is_empty()).collect();
    if !few {
        let end = |k: &usize| curves[*k].end().unwrap_or(f64::INFINITY);
        order.sort_by(|a, b| end(a).total_cmp(&end(b)));
        if unit == "weight" {
            order.reverse();
        }
        order.truncate(WORST);
    }
    let chosen: Vec<(String, usize, Curve)> = order
        .iter()
        .enumerate()
        .map(|(place, &k)| {
            let name = page.agents.get(k).map_or_else(String::new, |agent| agent.name.clone());
            (name, if few { k } else { place }, curves[k].clone())
        })
        .collect();
    let mut listed = chosen.clone();
    let mut areas = Vec::new();
    let mut note = String::new();
    if !few && unit == "utility" {
        let q = &run.quantiles;
        for (low, high) in [(0, 4), (1, 3)] {
            let pairs = q[low].buckets.iter().zip(&q[high].buckets);
            areas.push(pairs.map(|(l, h)| (l.round as f64, l.last, h.last)).collect());
        }
        note = format!(
            "Pale: from the lowest to the highest of {} {}; darker: the middle half. Lines: the {WORST} \
             that end worst.",
            page.agents.len(),
            page.noun
        );
        let names = ["lowest", "first quarter", "median", "third quarter", "highest"];
        listed.extend(names.iter().zip(q).map(|(name, c)| ((*name).to_owned(), 0, c.clone())));
    } else if !few {
        note = format!("The {WORST} that end with the largest weight.");
    }
    let chart = Lines {
        label: format!("{title} by round"),
        x_label: "round".to_owned(),
        y_label: unit.to_owned(),
        series: chosen.iter().map(|(name, style, curve)| series(name, *style, curve)).collect(),
        areas,
        table: format!("rounds-{id}"),
        ..Lines::default()
    };
    let table = rounds_table(&chart.table, &format!("{title} by round"), &listed);
    Some(Chart::block(format!("fig-{id}"), title, note, |width| chart.draw(width), Some(table)))
}

/// A row per round that some curve has a point at.
fn rounds_table(id: &str, caption: &str, curves: &[(String, usize, Curve)]) -> Table {
    let mut rounds: Vec<usize> =
        curves.iter().flat_map(|(_, _, c)| c.buckets.iter().map(|b| b.round)).collect();
    rounds.sort_unstable();
    rounds.dedup();
    let spread = |curve: &Curve| curve.buckets.iter().any(|bucket| bucket.min < bucket.max);
    let mut columns = vec!["round".to_owned()];
    for (name, _, curve) in curves {
        columns.push(name.clone());
        if spread(curve) {
            columns.extend([format!("{name}, lowest"), format!("{name}, highest")]);
        }
    }
    let rows = rounds.iter().map(|&round| {
        let mut row = vec![Cell::Whole(round)];
        for (_, _, curve) in curves {
            let found = curve.buckets.binary_search_by_key(&round, |bucket| bucket.round);
            let bucket = found.ok().map(|k| curve.buckets[k]);
            row.push(Cell::of(bucket.map(|b| b.last)));
            if spread(curve) {
                row.extend([Cell::of(bucket.map(|b| b.min)), Cell::of(bucket.map(|b| b.max))]);
            }
        }
        row
    });
    Table { id: id.to_owned(), caption: caption.to_owned(), columns, rows: rows.collect() }
}
