//! The answer of a sweep: where the model is stable, and who leaves elsewhere.

use std::fmt::Write;

use corefed_core::Verdict;

use super::answer::mark;
use super::{Block, Chart};
use crate::chart::{Step, Steps};
use crate::html::{escape, factor, unbroken};
use crate::page::{Page, Sweep, SweepPoint};
use crate::sentence::{class, names};

/// What an answer is called and coloured; the mark says the same.
pub(super) fn look(verdict: Option<Verdict>) -> (&'static str, &'static str) {
    match verdict {
        Some(Verdict::Stable) => ("zone-good", "stable"),
        Some(Verdict::Blocked) => ("zone-bad", "blocked"),
        Some(Verdict::Improvable) => ("zone-open", "improvable"),
        Some(Verdict::Undecided) => ("zone-open", "undecided"),
        None => ("zone-none", "infeasible"),
    }
}

/// Where the model is stable, and what happens elsewhere.
pub(super) fn answer(page: &Page, sweep: &Sweep, order: &[usize]) -> String {
    let stable: Vec<usize> = (0..order.len())
        .filter(|place| sweep.points[order[*place]].verdict == Some(Verdict::Stable))
        .collect();
    let value = |place: usize| sweep.points[order[place]].value.as_str();
    let run = stable.windows(2).all(|pair| pair[1] == pair[0] + 1);
    let (verdict, headline) = match (stable.first(), stable.last()) {
        (Some(&first), Some(_)) if stable.len() == order.len() => (
            Verdict::Stable,
            format!("Stable at every value, from {} to {}.", value(first), value(order.len() - 1)),
        ),
        (Some(&first), Some(&last)) if run && last + 1 == order.len() => {
            (Verdict::Stable, format!("Stable from {} = {} on.", sweep.field, value(first)))
        }
        (Some(0), Some(&last)) if run => {
            (Verdict::Stable, format!("Stable up to {} = {}.", sweep.field, value(last)))
        }
        (Some(_), Some(_)) => {
            let values: Vec<&str> = stable.iter().map(|place| value(*place)).collect();
            (Verdict::Stable, format!("Stable at {} = {}.", sweep.field, values.join(", ")))
        }
        _ => (Verdict::Undecided, "At no value is the model proven stable.".to_owned()),
    };
    let mut html = format!(
        "<div class=\"verdict {}\"><p class=\"badge\">{} {} of {} values stable</p>\n\
         <p class=\"headline\">{}</p>\n</div>\n<ul class=\"steps\">\n",
        class(verdict),
        mark(verdict),
        stable.len(),
        order.len(),
        escape(&headline)
    );
    let open = order.iter().map(|k| &sweep.points[*k]);
    let open = open.filter(|point| point.verdict != Some(Verdict::Stable));
    let told: Vec<(&str, String)> =
        open.map(|point| (point.value.as_str(), happens(page, point))).collect();
    for same in told.chunk_by(|a, b| a.1 == b.1) {
        let values: Vec<&str> = same.iter().map(|(value, _)| *value).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(
            html,
            "<li><b>{} = {}</b>: {}.</li>",
            escape(&sweep.field),
            escape(&values.join(", ")),
            escape(&unbroken(&same[0].1))
        );
    }
    html.push_str("</ul>\n");
    html
}

/// What happens at a value that is not stable, as a clause.
fn happens(page: &Page, point: &SweepPoint) -> String {
    match point.verdict {
        None => match point.unserved.as_slice() {
            [] => "no model was found that serves everybody".to_owned(),
            [one] => format!("{one} cannot be served"),
            many => format!("{} cannot all be served", many.join(", ")),
        },
        Some(Verdict::Blocked) if point.leaving.is_empty() => "some group would leave".to_owned(),
        Some(Verdict::Blocked) => {
            let place = |name: &String| page.agents.iter().position(|agent| agent.name == *name);
            let members: Vec<usize> = point.leaving.iter().filter_map(place).collect();
            let how = if members.len() == 1 { "alone" } else { "together" };
            format!("{} {how} would leave", names(page, &members))
        }
        Some(Verdict::Improvable) => "not converged: everybody could gain at once".to_owned(),
        Some(Verdict::Undecided) => "not decided".to_owned(),
        Some(Verdict::Stable) => "stable".to_owned(),
    }
}

/// Every value in the colour of its answer.
pub(super) fn steps(sweep: &Sweep, order: &[usize]) -> Block {
    let step = |&k: &usize| {
        let point = &sweep.points[k];
        let (class, word) = look(point.verdict);
        let kappa = point
            .kappa
            .map_or_else(String::new, |k| format!(", kappa at least {}", factor(k.lo.0)));
        let tip = format!("{} = {}: {word}{kappa}", sweep.field, point.value);
        Step { value: point.value.clone(), word, class, tip }
    };
    let steps = Steps {
        label: format!("The answer at every value of {}", sweep.field),
        x_label: format!("{}, one step per value", sweep.field),
        values: order.iter().map(step).collect(),
    };
    let title = format!("The answer at every value of {}", sweep.field);
    Chart::block("fig-sweep-steps", title, "", |width| steps.draw(width), None)
}
