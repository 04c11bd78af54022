//! The answer first: a sentence, the interval, and what both rest on.

use std::fmt::Write;

use corefed_core::{KappaInterval, Verdict, gain};

use super::{Block, Chart, Section, assumptions};
use crate::chart::{Scale, ScaleRow};
use crate::html::{escape, factor, number, unbroken};
use crate::page::{Model, Page};
use crate::sentence::{class, explanation, headline, word};
use crate::table::{Cell, Table};
use crate::words::{self, percent};

/// Agents whose factors are listed one by one.
const MOST_FACTORS: usize = 16;

pub(super) fn section(page: &Page) -> Option<Section> {
    // Of a comparison, which rule to take is the answer.
    let first = page.models.first().filter(|_| page.recommended.is_none())?;
    let mut blocks: Vec<Block> = page.ask.iter().map(|ask| Block::Html(asked(ask))).collect();
    blocks.push(Block::Html(verdict(page, first)));
    blocks.extend(warnings(page).map(Block::Html));
    if page.models.len() > 1 {
        blocks.push(Block::Html(others(page)));
    }
    blocks.push(scale(page));
    blocks.push(Block::Html(assumptions::html(page)));
    Some(Section { id: "answer", title: "Is it fair?", blocks })
}

/// Where nobody asked on held-out rows.
fn asked(ask: &str) -> String {
    format!(
        "<p class=\"ask\"><b>Is it worth staying?</b> This page judges training rows. What holds on rows that \
         nobody trained on, alone, together and in smaller groups, <code>{}</code> says, typed in this folder.</p>\n",
        escape(ask)
    )
}

/// A drawn mark: the word beside it says the same.
pub(super) fn mark(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => {
            "<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle class=\"f-good\" \
             cx=\"12\" cy=\"12\" r=\"11\"/><path class=\"tickmark\" d=\"M6.5 12.5l4 4 7-8\"/></svg>"
        }
        Verdict::Blocked => {
            "<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path class=\"f-bad\" \
             d=\"M12 1.5L23 22H1z\"/><path class=\"tickmark\" d=\"M12 9v6M12 18v1\"/></svg>"
        }
        Verdict::Improvable => {
            "<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><circle class=\"f-open\" \
             cx=\"12\" cy=\"12\" r=\"11\"/><path class=\"tickmark\" d=\"M12 18V7M7.5 11L12 6.5l4.5 4.5\"/></svg>"
        }
        Verdict::Undecided => {
            "<svg class=\"mark\" viewBox=\"0 0 24 24\" aria-hidden=\"true\"><path class=\"f-open\" \
             d=\"M12 1L23 12L12 23L1 12z\"/><path class=\"tickmark\" d=\"M7.5 12h9\"/></svg>"
        }
    }
}

fn verdict(page: &Page, model: &Model) -> String {
    let named = match (page.unfinished, page.models.len()) {
        (true, _) => {
            format!(" so far, after round {}", page.runs.first().map_or(0, |run| run.rounds))
        }
        (false, 1) => String::new(),
        (false, _) => format!(": {}", model.name),
    };
    let mut html = format!(
        "<div class=\"verdict {}\"><p class=\"badge\">{} {}{}</p>\n<p class=\"headline\">{}</p>\n\
         <p class=\"lead\">{}</p></div>\n",
        class(model.verdict),
        mark(model.verdict),
        word(model.verdict),
        escape(&named),
        escape(&unbroken(&headline(page, model))),
        escape(&explanation(page, model))
    );
    html.push_str(&factors(page, model));
    html.push_str("<dl class=\"facts\">");
    let mut fact = |name: &str, value: String, meaning: &str| {
        // Writing to a String cannot fail.
        let _ =
            write!(html, "<div><dt>{name}</dt><dd><b>{value}</b><span>{meaning}</span></dd></div>");
    };
    fact("Kappa", shown(model.kappa), "the best a group can do by leaving; 1 is breaking even");
    fact(
        "Everybody",
        shown(model.everybody),
        "the factor by which everybody can gain at once; 1 is what all have",
    );
    if let Some(headroom) = model.headroom {
        fact("Headroom", factor(headroom), words::headroom(headroom));
    }
    let tolerance =
        if model.tolerance == 0.0 { "none".to_owned() } else { percent(model.tolerance) };
    fact("Tolerance", tolerance, "gains up to this do not count in the verdict");
    if let Some(welfare) = model.log_welfare {
        fact("Log-welfare", number(welfare), "sum of the logarithms of utilities, by weight");
    }
    html.push_str("</dl>\n");
    html
}

/// Models that a reader should not trust for their verdict alone.
fn warnings(page: &Page) -> Option<String> {
    let told = page.models.iter().flat_map(|model| {
        let named = page.models.len() > 1;
        model.warnings.iter().map(move |warning| {
            if named { format!("{}: {warning}", model.name) } else { warning.clone() }
        })
    });
    let lines: Vec<String> = told.map(|line| format!("<li>{}</li>", escape(&line))).collect();
    (!lines.is_empty()).then(|| {
        let lines = lines.join("\n");
        format!(
            "<div class=\"warning\"><p><b>Before you use it.</b> A stable model can still be a poor one:</p>\n\
             <ul>\n{lines}\n</ul></div>\n"
        )
    })
}

/// What everybody would have alone, times what it has: the largest first.
fn factors(page: &Page, model: &Model) -> String {
    let known = model.utilities.iter().zip(&model.alone).enumerate();
    let mut factors: Vec<(usize, f64)> = known
        .filter_map(|(k, (now, alone))| Some((k, gain((*now)?, (*alone)?))))
        .filter(|(_, factor)| factor.is_finite())
        .collect();
    factors.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (Some(first), Some(last)) = (factors.first(), factors.last()) else { return String::new() };
    let said = if factors.len() <= MOST_FACTORS {
        let each: Vec<String> =
            factors.iter().map(|(k, f)| format!("{} ×{f:.2}", page.agents[*k].name)).collect();
        each.join(", ")
    } else {
        format!("from ×{:.2} to ×{:.2}", last.1, first.1)
    };
    format!(
        "<p class=\"small\">With a model of its own, on the same training rows, each would have: {}. No \
         compromise can match that there; it is counted against the share.</p>\n",
        escape(&said)
    )
}

/// An interval, or the number that both ends show.
fn shown(interval: KappaInterval) -> String {
    let (lo, hi) = (factor(interval.lo.0), factor(interval.hi.0));
    if interval.hi.0.is_infinite() && interval.lo.0.is_finite() {
        return format!("at least {lo}");
    }
    if lo == hi { lo } else { format!("{lo} – {hi}") }
}

/// One line for every other model.
fn others(page: &Page) -> String {
    let mut html = String::from("<ul class=\"others\">\n");
    for model in page.models.iter().skip(1).take(12) {
        let _ = writeln!(
            html,
            "<li class=\"{}\">{}<div><b>{}: {}.</b> {} {}</div></li>",
            class(model.verdict),
            mark(model.verdict),
            escape(&model.name),
            word(model.verdict).to_lowercase(),
            escape(&headline(page, model)),
            if model.verdict == Verdict::Stable {
                String::new()
            } else {
                escape(&explanation(page, model))
            }
        );
    }
    html.push_str("</ul>\n");
    html
}

fn scale(page: &Page) -> Block {
    let shown = page.models.iter().take(16);
    let scale = Scale {
        label: "Where kappa lies for every model, beside one".to_owned(),
        rows: shown
            .map(|model| ScaleRow {
                name: model.name.clone(),
                verdict: model.verdict,
                lo: model.kappa.lo.0,
                hi: model.kappa.hi.0,
            })
            .collect(),
    };
    let columns = [
        "model",
        "verdict",
        "kappa at least",
        "kappa at most",
        "everybody at least",
        "everybody at most",
        "headroom",
        "log-welfare",
    ];
    let rows = page.models.iter().map(|model| {
        vec![
            Cell::Text(model.name.clone()),
            Cell::Text(model.verdict.to_string()),
            Cell::Factor(model.kappa.lo.0),
            Cell::Factor(model.kappa.hi.0),
            Cell::Factor(model.everybody.lo.0),
            Cell::Factor(model.everybody.hi.0),
            Cell::factor(model.headroom),
            Cell::of(model.log_welfare),
        ]
    });
    let table = Table {
        id: "verdicts".into(),
        caption: "Verdict and kappa of every model".into(),
        columns: columns.map(str::to_owned).to_vec(),
        rows: rows.collect(),
    };
    Chart::block(
        "fig-kappa",
        "How far from leaving",
        "Kappa is the factor that the best group can secure for each member after paying for its \
         size. Above one, it leaves. Everybody together does not leave and is not a group here. The bar \
         runs from what is reached to what is proven.",
        |width| scale.draw(width),
        Some(table),
    )
}
