//! Is it worth staying? One sentence, one picture, who would leave and with whom.

use corefed_documents::{GainLine, Stay, StayAgent, StayVerdict};

use super::{Block, Chart, Section, paragraphs, told};
use crate::chart::{Gain, GainRow, Gains};
use crate::html::{capital, escape, unbroken};
use crate::page::Page;
use crate::section::answer::mark;
use crate::summary::stay::{beneath, evidence, groups, level, measured, noun, sentence};
use crate::table::{Cell, Table};

/// Agents that are drawn; the table has all.
const MOST_DRAWN: usize = 40;

pub(super) fn section(page: &Page) -> Option<Section> {
    let stay = page.stay.as_ref()?;
    let shown = Block::Html(paragraphs(&evidence(stay)));
    let mut blocks = vec![Block::Html(verdict(stay)), chart(stay), shown];
    for part in groups(stay) {
        blocks.extend(told(&part, "groups"));
    }
    let mut rest = String::from("<details><summary>What this rests on</summary>\n");
    for part in beneath(stay) {
        rest.push_str(&paragraphs(&part.sentences));
        if let Some(table) = &part.table {
            rest.push_str(&super::grid(table, "stay-splits", &part.title).html());
        }
    }
    rest.push_str("</details>\n");
    blocks.push(Block::Html(rest));
    Some(Section { id: "stay", title: "Is it worth staying?", blocks })
}

fn verdict(stay: &Stay) -> String {
    use corefed_core::Verdict::{Blocked, Stable, Undecided};
    let (class, shape, word) = match stay.verdict {
        StayVerdict::Stable => ("good", Stable, "Worth staying"),
        StayVerdict::Leave => ("bad", Blocked, "Some would leave"),
        StayVerdict::Open => ("open", Undecided, "Open"),
    };
    let said = sentence(stay);
    // Where nothing is shown, why is not for the headline.
    let (headline, why) = match said.split_once(": ") {
        Some((first, rest)) if stay.verdict == StayVerdict::Open => {
            (format!("{first}."), capital(rest) + " ")
        }
        _ => (said, String::new()),
    };
    format!(
        "<div class=\"verdict {class}\"><p class=\"badge\">{} {word}</p>\n<p class=\"headline\">{}</p>\n\
         <p class=\"lead\">{}{}</p></div>\n",
        mark(shape),
        escape(&unbroken(&headline)),
        escape(&why),
        escape(&counted(stay))
    )
}

/// How many do better together, as far as that is shown.
fn counted(stay: &Stay) -> String {
    let count = |judge: &dyn Fn(GainLine) -> bool| {
        stay.agents.iter().filter(|agent| agent.alone_gain.is_some_and(judge)).count()
    };
    let (together, alone) = (count(&|gain| gain.hi < 0.0), count(&|gain| gain.lo > 0.0));
    let open = stay.agents.len() - together - alone;
    if open == stay.agents.len() {
        return format!(
            "For none of the {open} {} can the rows tell whether the shared model or its own is better.",
            noun(stay)
        );
    }
    let each = [(together, "better together"), (alone, "better alone"), (open, "open")];
    let parts: Vec<String> =
        each.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    format!("Shared or own model, for {} {}: {}.", stay.agents.len(), noun(stay), parts.join(", "))
}

/// A gain as a part of the loss that it is a gain over.
fn part(agent: &StayAgent, gain: Option<GainLine>) -> Option<Gain> {
    let loss = agent.shared.filter(|shared| shared.loss > 0.0)?.loss;
    gain.map(|gain| Gain { mean: gain.mean / loss, lo: gain.lo / loss, hi: gain.hi / loss })
}

/// The answer for one agent, and its colour.
fn said(agent: &StayAgent) -> (&'static str, &'static str) {
    let best = agent.best.as_ref().and_then(|best| best.gain);
    let shown = |gain: Option<GainLine>| gain.is_some_and(|gain| gain.lo > 0.0);
    match (agent.few, agent.alone_gain) {
        (true, _) | (_, None) => ("too few rows", "t-open"),
        _ if shown(agent.alone_gain) => ("better alone", "t-bad"),
        _ if shown(best) => ("better in a group", "t-bad"),
        (_, Some(gain)) if gain.hi < 0.0 => ("better together", "t-good"),
        _ => ("cannot tell", "t-open"),
    }
}

fn chart(stay: &Stay) -> Block {
    let row = |agent: &StayAgent| {
        let (said, class) = said(agent);
        GainRow {
            name: agent.name.clone(),
            now: format!("shared {}", measured(stay, agent.shared)),
            alone: part(agent, agent.alone_gain),
            best: part(agent, agent.best.as_ref().and_then(|best| best.gain)),
            said,
            class,
        }
    };
    let gains = Gains {
        label: format!("What each of the {} would gain by leaving", noun(stay)),
        rows: stay.agents.iter().take(MOST_DRAWN).map(row).collect(),
        margin: stay.claims.margin,
    };
    let mut note = format!(
        "Bars are {} intervals: one that touches the line says nothing. The best group was chosen on other rows \
         than those it is judged by.",
        level(stay)
    );
    if stay.agents.len() > MOST_DRAWN {
        note.push_str(" Further ones are in the table.");
    }
    Chart::block(
        "fig-stay",
        "What each would gain by leaving",
        note,
        |width| gains.draw(width),
        Some(table(stay)),
    )
}

fn table(stay: &Stay) -> Table {
    let quality = &stay.models.quality;
    let columns = [
        "agent".to_owned(),
        "answer".to_owned(),
        "shared loss".to_owned(),
        format!("shared {quality}"),
        "alone loss".to_owned(),
        format!("alone {quality}"),
        "gain alone".to_owned(),
        "at least".to_owned(),
        "at most".to_owned(),
        "best group".to_owned(),
        "its loss".to_owned(),
        format!("its {quality}"),
        "gain there".to_owned(),
        "at least".to_owned(),
        "at most".to_owned(),
        "held-out rows".to_owned(),
    ];
    let rows = stay.agents.iter().map(|agent| {
        let mut row = vec![Cell::Text(agent.name.clone()), Cell::Text(said(agent).0.to_owned())];
        let model = |found: Option<corefed_documents::LossAndQuality>| {
            [Cell::of(found.map(|m| m.loss)), Cell::of(found.and_then(|m| m.quality))]
        };
        let gain = |gain: Option<GainLine>| {
            [gain.map(|g| g.mean), gain.map(|g| g.lo), gain.map(|g| g.hi)].map(Cell::of)
        };
        row.extend(model(agent.shared));
        row.extend(model(agent.alone));
        row.extend(gain(agent.alone_gain));
        let best = agent.best.as_ref();
        row.push(best.map_or(Cell::Missing, |best| Cell::Text(best.members.join(", "))));
        row.extend(model(best.map(|best| best.measured)));
        row.extend(gain(best.and_then(|best| best.gain)));
        row.push(Cell::Whole(agent.held_out));
        row
    });
    Table {
        id: "stay".into(),
        caption: format!(
            "Shared, alone and in the best group, on held-out rows ({} intervals)",
            level(stay)
        ),
        columns: columns.to_vec(),
        rows: rows.collect(),
    }
}
