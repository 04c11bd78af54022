//! Verdicts in plain words, and names in a row.

use corefed_core::Verdict;

use crate::html::{factor, number, short};
use crate::page::{Model, Page, Scope};

/// Names listed before "and others".
const MOST_NAMES: usize = 6;

/// `A`, `A and B`, `A, B and C`, `A, B, ... and 12 others`; not escaped.
pub(crate) fn names(page: &Page, members: &[usize]) -> String {
    let name = |&k: &usize| {
        page.agents.get(k).map_or_else(|| format!("agent {k}"), |agent| short(&agent.name, 40))
    };
    let listed: Vec<String> = members.iter().take(MOST_NAMES).map(name).collect();
    let others = members.len() - listed.len();
    match (listed.as_slice(), others) {
        ([], _) => "nobody".to_owned(),
        ([one], 0) => one.clone(),
        ([first @ .., last], 0) => format!("{} and {last}", first.join(", ")),
        (all, 1) => format!("{} and one other", all.join(", ")),
        (all, others) => format!("{} and {others} others", all.join(", ")),
    }
}

/// `w(S)/W`.
pub(crate) fn share(page: &Page, members: &[usize]) -> f64 {
    let total: f64 = page.agents.iter().map(|agent| agent.weight).sum();
    let own: f64 = members.iter().filter_map(|&k| page.agents.get(k)).map(|a| a.weight).sum();
    own / total
}

/// The verdict as a headline; not escaped.
pub(crate) fn headline(page: &Page, model: &Model) -> String {
    let noun = &page.noun;
    match (model.verdict, &model.deviation) {
        (Verdict::Stable, _) => match model.scope {
            Scope::Listed(_) => format!("No group of {noun} would do better with a listed model."),
            Scope::Ball(_) | Scope::Met | Scope::Searched => {
                format!("No group of {noun} can do better by leaving.")
            }
        },
        (Verdict::Blocked, Some(leaving)) if leaving.members.len() == 1 => {
            format!("{} alone would gain by leaving.", names(page, &leaving.members))
        }
        (Verdict::Blocked, Some(leaving)) => {
            format!("{} together would gain by leaving.", names(page, &leaving.members))
        }
        (Verdict::Blocked, None) => "Some group would gain by leaving.".to_owned(),
        (Verdict::Undecided, _) => {
            "Nobody is known to gain by leaving, but it is not proven.".into()
        }
    }
}

/// What stands below the headline; not escaped.
pub(crate) fn explanation(page: &Page, model: &Model) -> String {
    match (model.verdict, &model.deviation) {
        (Verdict::Stable, _) => stable(page, model),
        (Verdict::Blocked, Some(leaving)) => {
            let share = share(page, &leaving.members);
            let least = leaving.gains.iter().copied().fold(f64::INFINITY, f64::min);
            let (who, is) =
                if leaving.members.len() == 1 { ("it", "has") } else { ("each", "has") };
            let gets = if leaving.gains.is_empty() {
                format!("With {} {who} gets more than its share asks for", leaving.rival)
            } else if least.is_infinite() {
                format!("With {} {who} gets something, where now it {is} nothing", leaving.rival)
            } else {
                let at = if leaving.members.len() == 1 { "" } else { "at least " };
                format!(
                    "With {} {who} gets {at}{} times what it {is} now",
                    leaving.rival,
                    number(least)
                )
            };
            format!(
                "{gets}. Holding {} of the say, a group leaves when every member gets more than {} \
                 times as much.",
                percent(share),
                number(1.0 / share)
            )
        }
        (Verdict::Blocked, None) => {
            format!("Kappa is at least {}, more than one.", factor(model.kappa.lo.0))
        }
        (Verdict::Undecided, _) => format!(
            "The best rival known reaches kappa {}; nothing beyond {} is possible. {}",
            factor(model.kappa.lo.0),
            factor(model.kappa.hi.0),
            match model.scope {
                Scope::Met => "Only models met in training were tried as rivals.",
                Scope::Searched => "Rivals were searched for, and there may be better ones.",
                _ => "The time was not enough to close the gap.",
            }
        ),
    }
}

fn stable(page: &Page, model: &Model) -> String {
    match model.scope {
        Scope::Ball(radius) => format!(
            "Certified for every model in the ball of radius {}: whichever {} form a group, and \
             whichever model they choose, at least one of them would get too little. Kappa is at most \
             {:.6}.",
            number(radius),
            page.noun,
            model.kappa.hi.0
        ),
        Scope::Listed(count) => format!(
            "Checked exactly against the {count} listed models, and against no others. Kappa is {}.",
            factor(model.kappa.hi.0)
        ),
        Scope::Met => format!(
            "One gradient proves it for every model in the ball: kappa is at most {:.6}.",
            model.kappa.hi.0
        ),
        Scope::Searched => format!(
            "Not even a model without any loss would do: kappa is at most {:.6}, by headroom.",
            model.kappa.hi.0
        ),
    }
}

/// `20 %`, with a narrow space.
pub(crate) fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let text = if percent >= 10.0 || percent == 0.0 {
        format!("{percent:.0}")
    } else {
        format!("{percent:.1}")
    };
    format!("{text}\u{202f}%")
}

/// The same verdict as a word that stands beside a mark.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "Stable",
        Verdict::Blocked => "Blocked",
        Verdict::Undecided => "Undecided",
    }
}
