//! Verdicts in plain words for the console and for summaries, each exactly as strong as what is proven.

use corefed_core::{KappaInterval, Verdict};
use corefed_documents::{AuditDocument, DeviationLine, Scope};
use serde_json::Value;

use crate::words;

/// The verdict on a model in one sentence.
#[must_use]
pub fn sentence(audit: &AuditDocument) -> String {
    match (audit.verdict, &audit.deviation, &audit.obstacle) {
        (Verdict::Blocked, Some(deviation), _) if audit.scope == Scope::Ball => {
            blocked(audit, deviation)
        }
        (Verdict::Blocked, Some(deviation), _) if audit.scope == Scope::Listed => {
            format!("{} (with `{}`)", blocked(audit, deviation), listed(deviation))
        }
        (Verdict::Blocked, Some(deviation), _) => format!(
            "blocked: {} would gain by leaving for {}",
            together(&deviation.coalition),
            rival(deviation)
        ),
        (Verdict::Blocked, None, _) => "blocked".to_owned(),
        (Verdict::Stable, ..) => stable(audit),
        (Verdict::Improvable, ..) => improvable(audit),
        (Verdict::Undecided, _, Some(obstacle)) => format!("undecided: {obstacle}"),
        (Verdict::Undecided, _, None) => "undecided".to_owned(),
    }
}

/// What stands beside a verdict: what everybody could still gain, what the agent would have alone that
/// gains most by it, what the question is worth, and whether a search failed.
#[must_use]
pub fn beside(audit: &AuditDocument) -> Vec<String> {
    let still = words::still(audit.everybody, audit.tolerance);
    let mut lines: Vec<String> =
        still.filter(|_| audit.verdict == Verdict::Stable).into_iter().collect();
    let now: Vec<Option<f64>> = audit.agents.iter().map(|agent| Some(agent.utility)).collect();
    let alone: Vec<Option<f64>> = audit.agents.iter().map(|agent| agent.alone).collect();
    let name = |k: usize| audit.agents[k].name.clone();
    lines.extend(words::alone(name, &audit.weights(), &now, &alone));
    let room = audit.headroom.map(|headroom| headroom.0).filter(|headroom| headroom.is_finite());
    lines.extend(room.map(|room| format!("headroom {room:.4}: {}", words::headroom(room))));
    let failed = audit.search_failed.as_ref();
    lines.extend(failed.map(|why| format!("Rivals that could not be tried: {why}")));
    lines
}

/// Who would leave, what the group gets and what it needs.
fn blocked(audit: &AuditDocument, deviation: &DeviationLine) -> String {
    let members = audit.places(&deviation.coalition);
    let gain = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
    let gains: Vec<f64> = deviation.gains.values().map(gain).collect();
    let gets = words::gets(&audit.weights(), &members, &gains);
    format!("blocked: {} would leave: {gets}", together(&deviation.coalition))
}

fn stable(audit: &AuditDocument) -> String {
    if audit.scope == Scope::Listed {
        let with = match audit.rivals.len() {
            1 => "with the one listed rival no group does".to_owned(),
            rivals => format!("with none of the {rivals} listed rivals does a group do"),
        };
        let model = audit.incumbent.as_deref().unwrap_or("the model");
        return format!("stable: {with} better than `{model}` by more than its share allows");
    }
    let most = at_most(audit.kappa, audit.everybody);
    let by = match (audit.scope, &audit.first_order) {
        (Scope::Ball, _) => format!("certified, {most}"),
        (_, None) => format!("{most} by headroom: not even for a model without any loss"),
        (_, Some(_)) => format!("{most} by one gradient"),
    };
    format!(
        "stable: no group can do better by more than its share allows: {} ({by}, tolerance {})",
        words::needs(&audit.weights(), &noun(audit)),
        words::percent(audit.tolerance)
    )
}

fn improvable(audit: &AuditDocument) -> String {
    match (&audit.improvement, audit.scope) {
        (Some(better), Scope::Listed) => format!(
            "improvable: no group gains by leaving for a listed rival, but `{}` is better for \
             everybody (x{:.4})",
            listed(better),
            audit.everybody.lo.0
        ),
        _ => format!(
            "improvable: not converged: {}: train further; among smaller groups none is known to gain by \
             leaving (kappa >= {:.4})",
            words::improvement(audit.everybody),
            audit.kappa.lo.0
        ),
    }
}

/// The name of a listed rival.
fn listed(deviation: &DeviationLine) -> &str {
    deviation.rival.as_str().unwrap_or_default()
}

/// A rival that was met or found.
fn rival(deviation: &DeviationLine) -> String {
    match (&deviation.rival, deviation.round) {
        (Value::String(rival), _) => format!("the model `{rival}`"),
        (_, Some(round)) => format!("the model of round {round}"),
        _ => "another model".to_owned(),
    }
}

/// The intervals, with the digits that matter.
#[must_use]
pub fn intervals(kappa: KappaInterval, everybody: KappaInterval) -> String {
    format!("kappa {}, everybody {}", interval(kappa), interval(everybody))
}

fn interval(kappa: KappaInterval) -> String {
    let (lo, hi) = (kappa.lo.0, kappa.hi.0);
    if lo.is_infinite() {
        return "is infinite".to_owned();
    }
    format!("in [{:.7}, {}]", (lo * DIGITS).floor() / DIGITS, rounded_up(hi))
}

fn at_most(kappa: KappaInterval, everybody: KappaInterval) -> String {
    let [kappa, everybody] = [kappa, everybody].map(|interval| rounded_up(interval.hi.0));
    format!("kappa <= {kappa}, everybody <= {everybody}")
}

/// As many digits as are shown.
const DIGITS: f64 = 1e7;

/// An upper end that is not understated.
pub(crate) fn rounded_up(hi: f64) -> String {
    format!("{:.7}", (hi * DIGITS).ceil() / DIGITS)
}

/// What agents are called together: `hospitals` for the column `hospital`, `agents` for a column that is
/// not a plain word.
#[must_use]
pub fn noun(audit: &AuditDocument) -> String {
    let encoded = audit.predictor.as_ref().map(|p| p.encoding.agent_column.as_str());
    plural(audit.owner.as_deref().or(encoded).unwrap_or_default())
}

/// `hospitals` for the column `hospital` or `Hospital`, `facilities` for `facility`, `agents` for a column that
/// is not a plain word.
#[must_use]
pub fn plural(column: &str) -> String {
    let word = column.to_ascii_lowercase();
    if word.len() < 2 || word == "id" || !word.chars().all(|c| c.is_ascii_lowercase()) {
        return "agents".to_owned();
    }
    if let Some(stem) = word.strip_suffix('y').filter(|stem| !stem.ends_with(VOWELS)) {
        return format!("{stem}ies");
    }
    match ["ss", "sh", "ch", "x", "z"].iter().any(|end| word.ends_with(end)) {
        true => format!("{word}es"),
        false if word.ends_with('s') => word,
        false => format!("{word}s"),
    }
}

const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];

/// `A alone`, `A and B together`, `A, B and C together`.
#[must_use]
pub fn together(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => format!("{one} alone"),
        [first @ .., last] => format!("{} and {last} together", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_consortium_keeps_its_own_word() {
        for (column, noun) in [
            ("station", "stations"),
            ("Clinic", "clinics"),
            ("facility", "facilities"),
            ("branch", "branches"),
            ("bay", "bays"),
            ("hospitals", "hospitals"),
            ("subject#", "agents"),
            ("id", "agents"),
            ("", "agents"),
        ] {
            assert_eq!(plural(column), noun);
        }
    }

    #[test]
    fn coalitions_read_as_words() {
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(together(&names[..1]), "a alone");
        assert_eq!(together(&names), "a, b and c together");
    }
}
