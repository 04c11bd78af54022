//! `stay.json` in words: first one sentence that answers, then one line per agent, then the rest.

mod agents;
mod contributions;
mod leaving;
mod questions;

use std::fmt::Write;

use corefed_documents::Stay;

use self::agents::agents;
use self::contributions::partitions;
use self::leaving::{answer, failed, notes, repeats};
use self::questions::what_if;
use crate::plain::plain;
use crate::{Grid, escape_markdown};

pub(crate) use self::agents::measured;
pub(crate) use self::contributions::contributions;
pub(crate) use self::leaving::evidence;
pub(crate) use self::questions::price;

/// A part of the answer: sentences, and perhaps a table.
#[derive(Default)]
pub(crate) struct Section {
    pub(crate) title: String,
    pub(crate) sentences: Vec<String>,
    pub(crate) table: Option<Grid>,
}

fn sections(stay: &Stay) -> Vec<Section> {
    let mut sections = vec![agents(stay)];
    sections.extend(groups(stay));
    sections.push(contributions(stay));
    sections.extend(questions(stay));
    sections.extend(price(stay));
    sections.extend(beneath(stay));
    sections
}

/// Groups: those without a model, and who should train with whom.
pub(crate) fn groups(stay: &Stay) -> Vec<Section> {
    failed(stay).into_iter().chain(partitions(stay)).collect()
}

/// What was asked about some agents.
pub(crate) fn questions(stay: &Stay) -> Vec<Section> {
    stay.what_if.iter().map(|question| what_if(stay, question)).collect()
}

/// How far the answer carries: other splits, and what it rests on.
pub(crate) fn beneath(stay: &Stay) -> Vec<Section> {
    repeats(stay).into_iter().chain([notes(stay)]).collect()
}

/// The answer in one sentence.
#[must_use]
pub fn sentence(stay: &Stay) -> String {
    answer(&plain(stay))
}

/// For a terminal.
#[must_use]
pub fn text(stay: &Stay) -> String {
    let stay = &*plain(stay);
    let mut text = answer(stay) + "\n";
    for Section { title, sentences, table } in sections(stay) {
        // Writing to a String cannot fail.
        text.push('\n');
        if !title.is_empty() {
            let _ = writeln!(text, "{title}");
        }
        if let Some(table) = table {
            text.push_str(&table.to_text());
        }
        for sentence in sentences {
            let _ = writeln!(text, "{sentence}");
        }
    }
    text
}

/// For `stay.md`.
#[must_use]
pub fn markdown(stay: &Stay) -> String {
    let stay = &*plain(stay);
    let mut text = format!("# Is it worth staying?\n\n**{}**\n", escape_markdown(&answer(stay)));
    for Section { title, sentences, table } in sections(stay) {
        if !title.is_empty() {
            let _ = writeln!(text, "\n## {}", escape_markdown(&title));
        }
        if let Some(table) = table {
            let _ = write!(text, "\n{}", table.to_markdown());
        }
        for sentence in sentences {
            let _ = writeln!(text, "\n{}", escape_markdown(&sentence));
        }
    }
    text
}

/// What agents are called together.
pub(crate) fn noun(stay: &Stay) -> String {
    crate::verdict::plural(&stay.models.owner)
}

/// `90 %`.
pub(crate) fn level(stay: &Stay) -> String {
    crate::words::percent(stay.claims.level)
}

/// Four digits behind the point, or as many as matter.
fn number(value: f64) -> String {
    crate::Cell::number(value, 4).shown
}

#[cfg(test)]
mod tests {
    use corefed_documents::{
        ContributionLine, Contributions, Estimate, GainLine, KeptGroups, LeavingGroup,
        LeavingMember, LossAndQuality, StayAgent, StayClaims, StayHeldOut, StayModels, StayVerdict,
    };

    use super::*;

    fn agent(name: &str, gain: Option<f64>) -> StayAgent {
        let measured = |loss| Some(LossAndQuality { loss, quality: Some(0.75) });
        StayAgent {
            name: name.to_owned(),
            weight: 1.0,
            ceiling: 1.0,
            rows: 70,
            held_out: 30,
            units: 30,
            few: gain.is_none(),
            one_class: false,
            shared: measured(0.5),
            alone: measured(0.5 - gain.unwrap_or(0.0)),
            alone_gain: gain.map(|mean| GainLine {
                mean,
                lo: mean - 0.01,
                hi: mean + 0.01,
                units: 30,
            }),
            best: None,
        }
    }

    fn stay(verdict: StayVerdict) -> Stay {
        let member = |name: &str| LeavingMember {
            name: name.to_owned(),
            gain: Some(GainLine { mean: 0.2, lo: 0.1, hi: 0.3, units: 15 }),
        };
        let group = LeavingGroup { members: vec![member("Aachen"), member("Ulm")], p: 0.01 };
        let empty = String::new;
        Stay {
            verdict,
            models: StayModels {
                file: empty(),
                digest: empty(),
                owner: "clinic".to_owned(),
                model: "logistic".to_owned(),
                loss: "cross-entropy".to_owned(),
                quality: "accuracy".to_owned(),
                rule: "core".to_owned(),
                exact: true,
                seed: 1,
            },
            held_out: StayHeldOut { by: "rows".to_owned(), share: 0.3 },
            claims: StayClaims { level: 0.9, margin: 0.05, support: 30 },
            agents: vec![agent("Aachen", Some(0.2)), agent("Ulm", Some(0.0)), agent("Bonn", None)],
            leaving: if verdict == StayVerdict::Leave { vec![group.clone()] } else { Vec::new() },
            tempted: Some(group),
            kept: KeptGroups {
                looked_at: 6,
                all: true,
                kept: 1,
                open: vec![vec!["Ulm".to_owned()]],
            },
            failed: Vec::new(),
            partitions: None,
            contributions: Contributions {
                value: "a sum".to_owned(),
                everybody: Some(-0.1),
                agents: Vec::new(),
                excess: Some(0.2),
                proof: Vec::new(),
                open: None,
            },
            what_if: Vec::new(),
            price: None,
            no_price: Some("the rule is FedAvg itself".to_owned()),
            repeats: None,
            groups: Vec::new(),
            rests_on: Vec::new(),
        }
    }

    #[test]
    fn the_first_sentence_answers_and_claims_no_more_than_was_shown() {
        let first = |verdict| sentence(&stay(verdict));
        assert_eq!(
            first(StayVerdict::Leave),
            "Aachen and Ulm together would leave: with a model of their own each member does better on rows \
             that nobody trained on (90 % sure)."
        );
        assert!(
            first(StayVerdict::Stable).starts_with("Nobody would leave: every group of clinics")
        );
        let open = first(StayVerdict::Open);
        assert!(open.contains("of 6 groups 1 has a member shown to gain at most 5 %"), "{open}");
        let mut some = stay(StayVerdict::Open);
        some.kept.all = false;
        assert!(sentence(&some).contains("of 6 groups that were looked at"));
    }

    #[test]
    fn contributions_show_their_noise_and_name_who_makes_it_unsure() {
        let with = |interval| {
            let mut stay = stay(StayVerdict::Open);
            let estimate = Some(Estimate { value: 0.25, interval });
            stay.contributions.agents = vec![ContributionLine {
                name: "Aachen".to_owned(),
                saves: estimate,
                leave_one_out: estimate,
                shapley: estimate,
                banzhaf: estimate,
                payment: Some(0.5),
            }];
            stay
        };
        let mut stay = with(Some((0.125, 0.375)));
        let said = text(&stay);
        assert!(said.contains("missed without [90 %]"), "{said}");
        assert_eq!(said.matches("0.2500 [0.1250, 0.3750]").count(), 2, "{said}");
        assert!(said.contains("payments have none. Bonn has fewer than 30 of them"), "{said}");
        stay.contributions.excess = None;
        assert!(text(&stay).contains("for the orders that were drawn"));
        assert!(text(&with(None)).contains("too few of them for intervals"));
    }

    #[test]
    fn every_agent_has_a_line_in_words() {
        let text = text(&stay(StayVerdict::Open));
        assert!(text.contains("alone, by 0.2000 [0.1900, 0.2100]"), "{text}");
        assert!(text.contains("not shown: 0.0000 [-0.0100, 0.0100]"), "{text}");
        assert!(text.contains("Too few rows to say: Bonn"), "{text}");
        assert!(text.contains("Open: Ulm alone; and 4 more."), "{text}");
        assert!(text.contains("Everybody together loses 0.1000"), "{text}");
        assert!(text.contains("Not compared: the rule is FedAvg itself."), "{text}");
        assert!(text.contains("No payments keep every group"), "{text}");
        let markdown = markdown(&stay(StayVerdict::Leave));
        assert!(markdown.starts_with("# Is it worth staying?\n\n**Aachen and Ulm together"));
        assert!(markdown.contains("| Aachen |"), "{markdown}");
    }
}
