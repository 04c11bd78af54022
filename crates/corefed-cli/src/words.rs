//! Verdicts in plain words for the console, each exactly as strong as what is proven.

use corefed_core::{KappaInterval, Verdict};
use corefed_report::words;

use crate::answer::{Answer, DeviationLine};
use crate::text::together;
use crate::train::Bounds;

/// The verdict on a predictor in one sentence.
pub(crate) fn sentence(answer: &Answer) -> String {
    let weights: Vec<f64> = answer.agents.iter().map(|agent| agent.weight).collect();
    match (answer.verdict, &answer.deviation, &answer.obstacle) {
        (Verdict::Blocked, Some(deviation), _) => {
            let place = |name: &String| answer.agents.iter().position(|a| a.name == *name);
            let members: Vec<usize> = deviation.coalition.iter().filter_map(place).collect();
            blocked(&weights, &members, deviation)
        }
        (Verdict::Stable, ..) => {
            let by = format!("certified, {}", at_most(answer.kappa, answer.everybody));
            stable(&weights, &noun(answer), &by, answer.tolerance)
        }
        (Verdict::Improvable, ..) => improvable(answer.everybody),
        (Verdict::Blocked, None, _) => "blocked".to_owned(),
        (Verdict::Undecided, _, Some(obstacle)) => format!("undecided: {obstacle}"),
        (Verdict::Undecided, _, None) => "undecided".to_owned(),
    }
}

/// What stands beside a verdict on a predictor: what everybody could still gain, and what the agent
/// would have alone that gains most by it.
pub(crate) fn beside(answer: &Answer) -> Vec<String> {
    let weights: Vec<f64> = answer.agents.iter().map(|agent| agent.weight).collect();
    let now: Vec<Option<f64>> = answer.agents.iter().map(|agent| Some(agent.utility)).collect();
    let alone: Vec<Option<f64>> = answer.agents.iter().map(|agent| agent.alone).collect();
    let name = |k: usize| answer.agents[k].name.clone();
    let mut lines: Vec<String> =
        still(answer.verdict, answer.everybody, answer.tolerance).into_iter().collect();
    lines.extend(words::alone(name, &weights, &now, &alone));
    lines
}

/// The verdict on a trained model that was not audited exactly.
pub(crate) fn bounded(found: &Bounds, weights: &[f64]) -> String {
    match (found.verdict, &found.deviation, &found.obstacle) {
        (Verdict::Blocked, Some(known), _) => format!(
            "blocked: {} would gain by leaving for {}",
            together(&known.coalition),
            match (&known.rival, known.round) {
                (Some(rival), _) => format!("the model `{rival}`"),
                (None, Some(round)) => format!("the model of round {round}"),
                (None, None) => "another model".to_owned(),
            }
        ),
        (Verdict::Stable, ..) => {
            let hi = at_most(found.kappa, found.everybody);
            let by = if found.first_order.is_none() {
                format!("{hi} by headroom: not even for a model without any loss")
            } else {
                format!("{hi} by one gradient")
            };
            stable(weights, "agents", &by, found.tolerance)
        }
        (Verdict::Improvable, ..) => improvable(found.everybody),
        (Verdict::Blocked, None, _) => "blocked".to_owned(),
        (Verdict::Undecided, _, Some(obstacle)) => format!("undecided: {obstacle}"),
        (Verdict::Undecided, _, None) => "undecided".to_owned(),
    }
}

/// What everybody could still gain of a stable model, as a line.
pub(crate) fn still(verdict: Verdict, everybody: KappaInterval, tolerance: f64) -> Option<String> {
    words::still(everybody, tolerance).filter(|_| verdict == Verdict::Stable)
}

/// Who would leave, what the group gets and what it needs.
pub(crate) fn blocked(weights: &[f64], members: &[usize], deviation: &DeviationLine) -> String {
    let gain = |value: &serde_json::Value| value.as_f64().unwrap_or(f64::INFINITY);
    let gains: Vec<f64> = deviation.gains.values().map(gain).collect();
    let gets = words::gets(weights, members, &gains);
    format!("blocked: {} would leave: {gets}", together(&deviation.coalition))
}

fn stable(weights: &[f64], noun: &str, by: &str, tolerance: f64) -> String {
    format!(
        "stable: no group can do better by more than its share allows: {} ({by}, tolerance {})",
        words::needs(weights, noun),
        words::percent(tolerance)
    )
}

pub(crate) fn improvable(everybody: KappaInterval) -> String {
    format!(
        "improvable: no group is known to gain by leaving, but {}: train further",
        words::improvement(everybody)
    )
}

/// The intervals, with the digits that matter.
pub(crate) fn intervals(kappa: KappaInterval, everybody: KappaInterval) -> String {
    format!("kappa {}, everybody {}", interval(kappa), interval(everybody))
}

/// An interval with the digits that matter.
pub(crate) fn interval(kappa: KappaInterval) -> String {
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
fn rounded_up(hi: f64) -> String {
    format!("{:.7}", (hi * DIGITS).ceil() / DIGITS)
}

/// What agents are called, guessed from the column that names them.
fn noun(answer: &Answer) -> String {
    noun_of(&answer.predictor.encoding.agent_column)
}

/// `hospitals` for the column `hospital`; `agents` for one that is no plain word.
pub(crate) fn noun_of(column: &str) -> String {
    let plain = !column.is_empty() && column.chars().all(|c| c.is_ascii_lowercase());
    match (plain, column.ends_with('s')) {
        (true, true) => column.to_owned(),
        (true, false) => format!("{column}s"),
        (false, _) => "agents".to_owned(),
    }
}
