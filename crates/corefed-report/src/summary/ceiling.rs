//! A search for a ceiling in words: what is proven, what was found, and what to use.

use std::fmt::Write;

use corefed_core::{Verdict, shell_word};
use corefed_documents::{CeilingSearch, Served, Threshold};
use corefed_spec::CeilingWord;

use crate::markdown::escape;
use crate::plain::plain;
use crate::tables;

/// A sentence for each scale at which an answer changes, the notes, and the recommendation last.
#[must_use]
pub fn sentences(document: &CeilingSearch) -> Vec<String> {
    let mut lines = vec![
        served(&document.served),
        changes(
            &document.stable,
            "the core predictor is certified stable",
            &not_stable(document),
            "at no scale tried is the core predictor certified stable",
        ),
        changes(
            &document.empty,
            "the question is empty (headroom at most one: no proper coalition could gain whatever it did)",
            "it is not",
            "at no scale tried is the question empty (headroom is above one)",
        ),
    ];
    lines.extend(document.notes.iter().cloned());
    lines.push(match &document.recommended {
        None => "no scale can be recommended: none of those tried is certified stable".to_owned(),
        Some(one) => {
            let what = match &one.ceiling {
                Some(ceiling) => format!("--ceiling {}", shell_word(ceiling)),
                None => format!("{} times these ceilings", one.scale),
            };
            format!("recommended: {what}, because {}", one.reason)
        }
    });
    lines
}

fn served(served: &Served) -> String {
    let Served { not_up_to, above, together } = served;
    let who = match together.as_slice() {
        [] => String::new(),
        [one] => format!(", where {one} cannot be served"),
        many => format!(", where {} cannot all be served", many.join(", ")),
    };
    format!(
        "everybody can be served at once at every scale above {}, and at none up to {}{who} (both proven)",
        up(*above),
        down(*not_up_to)
    )
}

/// The verdict at the largest scale tried at which the core predictor is not stable.
fn not_stable(document: &CeilingSearch) -> String {
    let at = document.points.iter().find(|point| Some(point.scale) == document.stable.not_at);
    let verdict = at.map_or(Verdict::Undecided, |point| point.verdict);
    format!("it is {verdict}")
}

/// Where something begins to hold: found between two scales, and proven from another on.
fn changes(threshold: &Threshold, holds: &str, fails: &str, never: &str) -> String {
    let found = match (threshold.not_at, threshold.from) {
        (_, None) => never.to_owned(),
        (None, Some(from)) => format!("{holds} at every scale tried, from {} on", up(from)),
        (Some(not_at), Some(from)) => format!(
            "{holds} at {} and every larger scale tried; at {} {fails}",
            up(from),
            down(not_at)
        ),
    };
    match threshold.proven_from {
        None => found,
        Some(proven) => format!("{found}; proven for every scale from {} on", up(proven)),
    }
}

/// Rounded so that it is not understated.
fn up(scale: f64) -> String {
    shown(scale, f64::ceil)
}

/// Rounded so that it is not overstated.
fn down(scale: f64) -> String {
    shown(scale, f64::floor)
}

/// Five digits before and behind the point together, in the direction that keeps the sentence true.
fn shown(scale: f64, round: fn(f64) -> f64) -> String {
    let digits = if scale > 0.0 { (4.0 - scale.log10().floor()).clamp(0.0, 12.0) } else { 4.0 };
    let unit = 10_f64.powf(digits);
    // What is already that short stays: a product with a power of ten may fall on either side of it.
    let nearest = (scale * unit).round() / unit;
    let value = if nearest == scale { scale } else { round(scale * unit) / unit };
    value.to_string()
}

/// For the terminal.
#[must_use]
pub fn terminal(document: &CeilingSearch) -> String {
    let document = &*plain(document);
    let mut text = format!("{}\n\n{}\n", scaled(document), tables::ceiling(document).to_text());
    for sentence in sentences(document) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{sentence}");
    }
    text
}

/// What is written to a folder.
#[must_use]
pub fn markdown(document: &CeilingSearch) -> String {
    let document = &*plain(document);
    let mut text = format!("# Which ceiling?\n\n{}\n\n", escape(&scaled(document)));
    for sentence in sentences(document) {
        let _ = writeln!(text, "- {}", escape(&sentence));
    }
    text.push_str("\n![kappa and headroom against the scale](ceiling.svg)\n\n");
    text.push_str(&tables::ceiling(document).to_markdown());
    text
}

/// What the scale is.
fn scaled(document: &CeilingSearch) -> String {
    let what = match (document.policy.as_str(), CeilingWord::named(&document.policy)) {
        ("number", _) => "one ceiling F for everybody".to_owned(),
        (_, Some(known)) => format!("ceilings of F times {}", known.multiplies),
        (file, None) => format!("F times the ceilings of {file}"),
    };
    format!("core predictors of {} under {what}", document.file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_away_from_the_claim() {
        assert_eq!((up(1.234_561), down(1.234_569)), ("1.2346".to_owned(), "1.2345".to_owned()));
        assert_eq!((up(0.7), down(0.7)), ("0.7".to_owned(), "0.7".to_owned()));
        assert_eq!(up(123_456.7), "123457");
    }
}
