//! One line per agent.

use corefed_documents::{GainLine, LossAndQuality, Stay, StayAgent};

use super::leaving::evidence;
use super::{Section, level, noun, number};
use crate::{Cell, Grid};

/// Characters of a group in a column; `stay.json` has every name.
const MOST_WIDE: usize = 40;

/// What each agent has shared, alone, and in the group that suits it best.
pub(super) fn agents(stay: &Stay) -> Section {
    let quality = &stay.models.quality;
    let header = [
        noun(stay),
        "held out".to_owned(),
        format!("shared ({quality})"),
        "alone".to_owned(),
        format!("together or alone? [{}]", level(stay)),
        "best group".to_owned(),
        "its model".to_owned(),
        "better there?".to_owned(),
    ];
    let all: Vec<&str> = stay.agents.iter().map(|agent| agent.name.as_str()).collect();
    let row =
        |agent: &StayAgent| {
            let best = agent.best.as_ref();
            vec![
                Cell::text(&agent.name),
                Cell::text(agent.held_out.to_string()),
                Cell::text(measured(stay, agent.shared)),
                Cell::text(measured(stay, agent.alone)),
                Cell::text(judged(agent, agent.alone_gain, ["alone", "together"])),
                Cell::text(
                    best.map_or_else(String::new, |best| others(&all, &agent.name, &best.members)),
                ),
                Cell::text(measured(stay, best.map(|best| best.measured))),
                Cell::text(best.map_or_else(String::new, |best| {
                    judged(agent, best.gain, ["there", "with all"])
                })),
            ]
        };
    let table = Grid { header: header.to_vec(), rows: stay.agents.iter().map(row).collect() };
    let mut sentences = evidence(stay);
    let few = stay.agents.iter().filter(|agent| agent.few).map(|agent| agent.name.as_str());
    let few: Vec<&str> = few.collect();
    if !few.is_empty() {
        sentences.push(format!(
            "Too few rows to say: {} (fewer than {} independent rows held out).",
            few.join(", "),
            stay.claims.support
        ));
    }
    let single = stay.agents.iter().filter(|agent| agent.one_class);
    let single: Vec<&str> = single.map(|agent| agent.name.as_str()).collect();
    if !single.is_empty() {
        sentences.push(format!(
            "All training rows are of one class at {}: alone, it learns to say that class.",
            single.join(", ")
        ));
    }
    Section { title: String::new(), sentences, table: Some(table) }
}

/// `0.4121 (81.0 %)`.
pub(crate) fn measured(stay: &Stay, found: Option<LossAndQuality>) -> String {
    let Some(LossAndQuality { loss, quality }) = found else { return "no rows".to_owned() };
    let quality = quality.map_or_else(String::new, |quality| {
        if stay.models.quality == "accuracy" {
            format!(" ({:.1} %)", 100.0 * quality)
        } else {
            format!(" ({quality:.3})")
        }
    });
    number(loss) + &quality
}

/// Who the others in a group are: by name, and where that is long by who is missing, or how many they are.
fn others(all: &[&str], own: &str, members: &[String]) -> String {
    let rest: Vec<&str> = members.iter().map(String::as_str).filter(|name| *name != own).collect();
    let is_member = |name: &str| members.iter().any(|member| member == name);
    let missing: Vec<&str> = all.iter().copied().filter(|name| !is_member(name)).collect();
    let ways = [
        format!("with {}", rest.join(", ")),
        format!("with all but {}", missing.join(", ")),
        format!("with {} of the {} others", rest.len(), all.len() - 1),
    ];
    let [.., counted] = &ways;
    let short = ways.iter().find(|way| way.chars().count() <= MOST_WIDE);
    if rest.is_empty() { "alone".to_owned() } else { short.unwrap_or(counted).clone() }
}

fn judged(agent: &StayAgent, gain: Option<GainLine>, better: [&str; 2]) -> String {
    if agent.few { "too few rows to say".to_owned() } else { said(gain, better) }
}

/// Which is better and by how much, or that nothing is shown.
pub(super) fn said(gain: Option<GainLine>, [up, down]: [&str; 2]) -> String {
    let Some(GainLine { mean, lo, hi, .. }) = gain else { return "too few rows to say".to_owned() };
    if lo > 0.0 {
        format!("{up}, by {} [{}, {}]", number(mean), number(lo), number(hi))
    } else if hi < 0.0 {
        format!("{down}, by {} [{}, {}]", number(-mean), number(-hi), number(-lo))
    } else {
        format!("not shown: {} [{}, {}]", number(mean), number(lo), number(hi))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_groups_are_told_by_who_is_missing_or_counted() {
        let names: Vec<String> = (0..30).map(|k| format!("clinic {k}")).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let group = |members: std::ops::Range<usize>| others(&all, "clinic 0", &names[members]);
        assert_eq!(group(0..1), "alone");
        assert_eq!(group(0..3), "with clinic 1, clinic 2");
        assert_eq!(group(0..28), "with all but clinic 28, clinic 29");
        assert_eq!(group(0..15), "with 14 of the 29 others");
    }
}
