//! Phrases that the console and the page share, so that both say exactly what is proven.

use corefed_core::{KappaInterval, Status, gain};
use corefed_documents::Scope;

/// What a rule is called in front of people who know it under another name.
#[must_use]
pub fn title(rule: Option<&str>) -> String {
    match rule {
        Some("utilitarian") => "utilitarian (FedAvg)".to_owned(),
        Some("egalitarian") => "egalitarian (min-max)".to_owned(),
        Some(rule) => rule.to_owned(),
        None => "given".to_owned(),
    }
}

/// The status of an assumption. An audit of the ball rests on coalition programs, and on no premise that
/// fails.
#[must_use]
pub fn status(status: Status, scope: Scope) -> &'static str {
    match (status, scope) {
        (Status::Checked, _) => "checked",
        (Status::Assumed, _) => "assumed",
        (Status::Violated, Scope::Ball) => "not needed",
        (Status::Violated, Scope::Listed | Scope::Met | Scope::Searched) => "violated",
    }
}

/// What headroom says about the question itself, as a clause: at one or less nobody could leave whatever
/// happened (ledger E8).
#[must_use]
pub fn headroom(value: f64) -> &'static str {
    if value <= 1.0 {
        "what perfection would give a group: not enough to leave, so the question is empty"
    } else if value <= 1.05 {
        "what perfection would give a group: so little that the question is almost empty"
    } else {
        "what perfection would give a group: how much the question is worth"
    }
}

/// A value of a sweep at which no model serves everybody.
#[must_use]
pub fn unserved(agents: &[String]) -> String {
    if agents.is_empty() {
        return "infeasible".to_owned();
    }
    format!("infeasible: {}", agents.join(", "))
}

/// What any group needs to gain by leaving, as a clause.
#[must_use]
pub fn needs(weights: &[f64], noun: &str) -> String {
    let agents = weights.len();
    if is_equal(weights) {
        format!("k of {agents} {noun} would need {agents}/k times what they have")
    } else {
        "a group with a share s of the weight would need 1/s times what it has".to_owned()
    }
}

/// What one group needs, as a clause.
#[must_use]
pub fn needed(weights: &[f64], members: &[usize]) -> String {
    let times = plain(1.0 / share(weights, members));
    if is_equal(weights) {
        format!("a group of {} of {} needs x{times}", members.len(), weights.len())
    } else {
        format!("a group with {} of the weight needs x{times}", percent(share(weights, members)))
    }
}

/// What the members of a group get and what the group needs; gains are in the order of members.
#[must_use]
pub fn gets(weights: &[f64], members: &[usize], gains: &[f64]) -> String {
    let least = gains.iter().copied().fold(f64::INFINITY, f64::min);
    let one = members.len() == 1;
    if least.is_infinite() {
        let who = if one { "it gets" } else { "each gets" };
        return format!("{who} something, and has nothing now");
    }
    let who = if one { "it gets" } else { "each gets at least" };
    let threshold = 1.0 / share(weights, members);
    format!("{who} x{} what it has, and {}", apart(least, threshold), needed(weights, members))
}

/// What the agent would have alone whose gain from that is the largest.
#[must_use]
pub fn alone(
    name: impl Fn(usize) -> String,
    weights: &[f64],
    now: &[Option<f64>],
    alone: &[Option<f64>],
) -> Option<String> {
    let known = now.iter().zip(alone).enumerate();
    let gains = known.filter_map(|(k, (now, then))| Some((k, (*now)?, (*then)?)));
    // Nothing instead of nothing is not worth a sentence.
    let gains = gains.filter(|(_, now, then)| *now > 0.0 || *then >= 5e-4);
    let (agent, now, then) =
        gains.max_by(|a, b| gain(a.1, a.2).total_cmp(&gain(b.1, b.2)).then(b.0.cmp(&a.0)))?;
    let threshold = 1.0 / share(weights, &[agent]);
    let factor = gain(now, then);
    let gained = if factor.is_finite() {
        format!("(x{}); leaving alone would need x{}", apart(factor, threshold), plain(threshold))
    } else {
        "where now it has nothing".to_owned()
    };
    Some(format!("Alone, {} would have {then:.3} instead of {now:.3} {gained}.", name(agent)))
}

/// What everybody could still gain, where that is known and too little to change the verdict.
#[must_use]
pub fn still(everybody: KappaInterval, tolerance: f64) -> Option<String> {
    let more = everybody.lo.0 - 1.0;
    // Less than the last digit of a kappa is not worth training for.
    (more > 1e-9 && more <= tolerance)
        .then(|| format!("Everybody could still gain {}: train further to get it.", percent(more)))
}

/// How much everybody could gain at once, of an improvable model.
#[must_use]
pub fn improvement(everybody: KappaInterval) -> String {
    if everybody.lo.0.is_finite() {
        format!("everybody could gain {} at once with another model", percent(everybody.lo.0 - 1.0))
    } else {
        "everybody has nothing now and could get something with another model".to_owned()
    }
}

/// `0.0001 %`, `3.2 %`: two digits that matter.
#[must_use]
pub fn percent(part: f64) -> String {
    let percent = 100.0 * part;
    if percent <= 0.0 || !percent.is_finite() {
        return format!("{percent} %");
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 300")]
    let decimals = (1.0 - percent.log10().floor()).clamp(0.0, 300.0) as usize;
    format!("{} %", trimmed(&format!("{percent:.decimals$}")))
}

/// `w(S)/W`.
pub(crate) fn share(weights: &[f64], members: &[usize]) -> f64 {
    let own: f64 = members.iter().filter_map(|&k| weights.get(k)).sum();
    own / weights.iter().sum::<f64>()
}

fn is_equal(weights: &[f64]) -> bool {
    weights.windows(2).all(|pair| pair[0] == pair[1])
}

/// Up to two decimals.
fn plain(value: f64) -> String {
    trimmed(&format!("{value:.2}")).to_owned()
}

/// Two decimals, or as many as tell a number from the one it is compared with.
fn apart(value: f64, threshold: f64) -> String {
    let shown = |digits: usize| format!("{value:.digits$}");
    let differs = |digits: &usize| shown(*digits) != format!("{threshold:.digits$}");
    shown((2..=9).find(differs).unwrap_or(2))
}

fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_needs_as_many_times_more_as_it_is_a_part_of_all() {
        let equal = [1.0; 5];
        assert_eq!(
            needs(&equal, "hospitals"),
            "k of 5 hospitals would need 5/k times what they have"
        );
        assert_eq!(
            gets(&equal, &[4], &[12.0603]),
            "it gets x12.06 what it has, and a group of 1 of 5 needs x5"
        );
        assert_eq!(
            gets(&equal, &[0, 1], &[2.500_03, 2.6]),
            "each gets at least x2.50003 what it has, and a group of 2 of 5 needs x2.5"
        );
        assert_eq!(needed(&[1.0, 3.0], &[0]), "a group with 25 % of the weight needs x4");
        assert_eq!(gets(&equal, &[0], &[f64::INFINITY]), "it gets something, and has nothing now");
    }

    #[test]
    fn the_agent_that_gains_most_alone_is_named() {
        let name = |k: usize| ["Aarhus", "Evora"][k].to_owned();
        let said = alone(name, &[1.0; 2], &[Some(0.5), Some(0.353)], &[Some(0.6), Some(0.573)]);
        assert_eq!(
            said.as_deref(),
            Some(
                "Alone, Evora would have 0.573 instead of 0.353 (x1.62); leaving alone would need x2."
            )
        );
        assert_eq!(alone(name, &[1.0; 2], &[Some(0.5), None], &[None, None]), None);
    }

    #[test]
    fn percentages_keep_two_digits() {
        for (part, shown) in
            [(1e-6, "0.0001 %"), (0.01, "1 %"), (0.0321, "3.2 %"), (0.5, "50 %"), (1.2, "120 %")]
        {
            assert_eq!(percent(part), shown);
        }
    }

    #[test]
    fn small_gains_of_everybody_are_told_and_large_ones_decide() {
        let interval = |lo| KappaInterval::new(lo, 2.0);
        let told = "Everybody could still gain 0.2 %: train further to get it.";
        assert_eq!(still(interval(1.002), 0.01).as_deref(), Some(told));
        assert_eq!(still(interval(1.0), 0.01), None);
        assert_eq!(still(interval(1.05), 0.01), None);
        assert_eq!(
            improvement(interval(1.032)),
            "everybody could gain 3.2 % at once with another model"
        );
    }
}
