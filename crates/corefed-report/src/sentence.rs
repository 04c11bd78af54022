//! Verdicts in plain words, and names in a row.

use corefed_core::{KappaInterval, Verdict};

use crate::html::{factor, number, short};
use crate::page::{Model, Page, Scope};
use crate::verdict::rounded_up;
use crate::words;

/// Names listed in a sentence.
const MOST_NAMES: usize = 12;
/// Names listed of those that a group leaves behind.
const MOST_LEFT: usize = 6;

/// `A`, `A and B`, `A, B and C`, `all 20 clinics but A and B`, `31 of the 80 clinics`; not escaped. Nobody is
/// hidden behind "others".
pub(crate) fn names(page: &Page, members: &[usize]) -> String {
    let name = |&k: &usize| {
        page.agents.get(k).map_or_else(|| format!("agent {k}"), |agent| short(&agent.name, 40))
    };
    let listed = |members: &[usize]| {
        let names: Vec<String> = members.iter().map(name).collect();
        match names.as_slice() {
            [] => "nobody".to_owned(),
            [one] => one.clone(),
            [first @ .., last] => format!("{} and {last}", first.join(", ")),
        }
    };
    if members.len() <= MOST_NAMES {
        return listed(members);
    }
    let left: Vec<usize> = (0..page.agents.len()).filter(|k| !members.contains(k)).collect();
    let (all, noun) = (page.agents.len(), &page.noun);
    match left.len() {
        0 => format!("all {all} {noun}"),
        1..=MOST_LEFT => format!("all {all} {noun} but {}", listed(&left)),
        _ => format!("{} of the {all} {noun}", members.len()),
    }
}

/// Everybody's weight, in order.
pub(crate) fn weights(page: &Page) -> Vec<f64> {
    page.agents.iter().map(|agent| agent.weight).collect()
}

/// The part of the weight that a group holds.
pub(crate) fn share(page: &Page, members: &[usize]) -> f64 {
    words::share(&weights(page), members)
}

/// The verdict as a headline; not escaped.
pub(crate) fn headline(page: &Page, model: &Model) -> String {
    let noun = &page.noun;
    match (model.verdict, &model.deviation) {
        (Verdict::Stable, _) => match model.scope {
            Scope::Listed(_) => format!(
                "With the listed models no group of {noun} does better by more than its share allows."
            ),
            Scope::Ball(_) | Scope::Met | Scope::Searched => {
                format!("No group of {noun} can do better by more than its share allows.")
            }
        },
        (Verdict::Blocked, Some(leaving)) if leaving.members.len() == 1 => {
            format!("{} alone would gain by leaving.", names(page, &leaving.members))
        }
        (Verdict::Blocked, Some(leaving)) => {
            format!("{} together would gain by leaving.", names(page, &leaving.members))
        }
        (Verdict::Blocked, None) => "Some group would gain by leaving.".to_owned(),
        (Verdict::Improvable, _) => {
            let gain = words::improvement(model.everybody);
            match model.scope {
                Scope::Listed(_) => format!("No group is known to gain by leaving, but {gain}."),
                Scope::Ball(_) | Scope::Met | Scope::Searched => format!("Not converged: {gain}."),
            }
        }
        (Verdict::Undecided, _) => {
            "No group is known to gain by leaving, but it is not proven.".to_owned()
        }
    }
}

/// What stands below the headline; not escaped.
pub(crate) fn explanation(page: &Page, model: &Model) -> String {
    let mut said = match (model.verdict, &model.deviation) {
        (Verdict::Stable, _) => stable(page, model),
        (Verdict::Blocked, Some(leaving)) if leaving.gains.is_empty() => format!(
            "With {} {} gets more than {}.",
            leaving.rival,
            if leaving.members.len() == 1 { "it" } else { "each" },
            "the group's size asks for"
        ),
        (Verdict::Blocked, Some(leaving)) => format!(
            "With {} {}.",
            leaving.rival,
            words::gets(&weights(page), &leaving.members, &leaving.gains)
        ),
        (Verdict::Blocked, None) => {
            format!("Kappa is at least {}, more than one.", factor(model.kappa.lo.0))
        }
        (Verdict::Improvable, _) => {
            format!("That is a reason to train further, not to leave. {}.", short_of(model.kappa))
        }
        (Verdict::Undecided, _) => undecided(model),
    };
    let utilities = (&model.utilities, &model.alone);
    let name = |k: usize| names(page, &[k]);
    let alone = words::alone(name, &weights(page), utilities.0, utilities.1);
    let still = words::still(model.everybody, model.tolerance);
    let still = still.filter(|_| model.verdict == Verdict::Stable);
    for more in [still, alone].into_iter().flatten() {
        said.push(' ');
        said.push_str(&more);
    }
    said
}

/// How far the smaller groups are from leaving, as a clause.
fn short_of(kappa: KappaInterval) -> String {
    let reached = kappa.lo.0;
    let known =
        format!("Among smaller groups the closest one known reaches kappa {}", factor(reached));
    if reached < 1.0 {
        format!("{known}, {} short of leaving", words::percent(1.0 - reached))
    } else {
        format!("{known}, too little to count")
    }
}

fn undecided(model: &Model) -> String {
    let most = match model.kappa.hi.0 {
        hi if hi.is_finite() => format!("no group reaches more than {}", factor(hi)),
        _ => "no upper end is known".to_owned(),
    };
    let why = match (&model.obstacle, model.scope) {
        (Some(obstacle), _) => obstacle.as_str(),
        (None, Scope::Met) => "Only models met in training were tried as rivals.",
        (None, Scope::Searched) => "Rivals were searched for, and there may be better ones.",
        (None, Scope::Ball(_) | Scope::Listed(_)) => "",
    };
    let lo = factor(model.kappa.lo.0);
    format!("The best group known reaches kappa {lo}; {most}. {why}").trim_end().to_owned()
}

fn stable(page: &Page, model: &Model) -> String {
    // Two questions with an answer each: leaving somebody behind, and a better model for everybody.
    let ends = format!(
        "kappa is at most {}, and no model lifts everybody by more than a factor of {}",
        rounded_up(model.kappa.hi.0),
        rounded_up(model.everybody.hi.0)
    );
    let proof = match model.scope {
        Scope::Ball(radius) => {
            format!("Certified for every model in the ball of radius {}: {ends}.", number(radius))
        }
        Scope::Listed(count) => format!(
            "Checked exactly against the {count} listed models, and against no others. Kappa is {}.",
            factor(model.kappa.hi.0)
        ),
        Scope::Met => format!("One gradient proves it for every model in the ball: {ends}."),
        Scope::Searched => {
            format!("Not even a model without any loss would do: by headroom, {ends}.")
        }
    };
    format!("To leave, {}. {proof}", words::needs(&weights(page), &page.noun))
}

/// The same verdict as a word that stands beside a mark.
pub(crate) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "Stable",
        Verdict::Blocked => "Blocked",
        Verdict::Improvable => "Improvable",
        Verdict::Undecided => "Undecided",
    }
}

/// The colour of a verdict: only a group that leaves is bad.
pub(crate) fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "good",
        Verdict::Blocked => "bad",
        Verdict::Improvable | Verdict::Undecided => "open",
    }
}
