//! Whether anybody would leave, and what that rests on.

use corefed_documents::{LeavingGroup, LeavingMember, RepeatedGroup, Spread, Stay, StayVerdict};

use super::{Section, level, noun, number};
use crate::verdict::together;
use crate::words::percent;
use crate::{Cell, Grid};

/// Names that are listed of groups that stay open.
const MOST_NAMED: usize = 3;

/// One sentence that answers.
pub(super) fn answer(stay: &Stay) -> String {
    let margin = percent(stay.claims.margin);
    match (stay.verdict, stay.leaving.first()) {
        (StayVerdict::Leave, Some(group)) => {
            let names: Vec<String> = group.members.iter().map(|m| m.name.clone()).collect();
            let who = together(&names);
            let (verb, own) = if names.len() == 1 {
                ("it does", "its own model")
            } else {
                ("each member does", "a model of their own")
            };
            format!(
                "{who} would leave: with {own} {verb} better on rows that nobody trained on ({} sure).",
                level(stay)
            )
        }
        (StayVerdict::Stable, _) => format!(
            "Nobody would leave: every group of {} has a member that leaving would save at most {margin} of \
             its loss on rows that nobody trained on ({} sure).",
            noun(stay),
            level(stay)
        ),
        (StayVerdict::Leave | StayVerdict::Open, _) => {
            let kept = &stay.kept;
            let looked = if kept.all { "" } else { " that were looked at" };
            format!(
                "The held-out rows cannot say whether anybody would leave: no group is shown to gain, and of \
                 {} groups{looked} {} {} a member shown to gain at most {margin} of its loss.",
                kept.looked_at,
                kept.kept,
                if kept.kept == 1 { "has" } else { "have" }
            )
        }
    }
}

/// What the tested group's members gain, as a sentence.
pub(crate) fn evidence(stay: &Stay) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(group) = &stay.tempted {
        let names: Vec<String> = group.members.iter().map(|m| m.name.clone()).collect();
        let leaves = stay.verdict == StayVerdict::Leave;
        let begin = if leaves { "The evidence" } else { "The group that looked most tempted" };
        said.push(format!(
            "{begin}: {}, chosen on one half of the held-out rows and tested on the other: {} (p = {}).",
            together(&names),
            gains(group),
            number(group.p)
        ));
    }
    if stay.verdict == StayVerdict::Open && !stay.kept.open.is_empty() {
        let open = stay.kept.looked_at - stay.kept.kept;
        let named: Vec<String> =
            stay.kept.open.iter().take(MOST_NAMED).map(|names| together(names)).collect();
        let more = open.saturating_sub(named.len());
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        said.push(format!("Open: {}{rest}.", named.join("; ")));
    }
    said
}

fn gains(group: &LeavingGroup) -> String {
    let member = |LeavingMember { name, gain }: &LeavingMember| match gain {
        None => format!("{name} has too few rows to say"),
        Some(gain) => {
            format!("{name} gains {}, at least {}", number(gain.mean), number(gain.lo))
        }
    };
    group.members.iter().map(member).collect::<Vec<_>>().join("; ")
}

/// Groups whose training failed, all of them named.
pub(super) fn failed(stay: &Stay) -> Option<Section> {
    let first = stay.failed.first()?;
    let mut sentences: Vec<String> = Vec::new();
    let listed = stay.failed.iter().take(10);
    sentences
        .extend(listed.map(|group| format!("{}: {}.", together(&group.members), group.reason)));
    let more = stay.failed.len().saturating_sub(sentences.len());
    if more > 0 {
        sentences.push(format!("{more} more are in `stay.json`, beginning as {}.", first.reason));
    }
    let title = format!("{} groups have no model, and nothing is known of them", stay.failed.len());
    Some(Section { title, sentences, table: None })
}

/// Averages over splits.
pub(super) fn repeats(stay: &Stay) -> Option<Section> {
    let repeats = stay.repeats.as_ref()?;
    let cell = |spread: Option<Spread>| {
        spread.map_or_else(Cell::missing, |spread| {
            Cell::text(format!("{} ± {}", number(spread.mean), number(spread.deviation)))
        })
    };
    let rows = repeats.agents.iter().map(|agent| {
        vec![Cell::text(&agent.name), cell(agent.shared), cell(agent.alone), cell(agent.gain)]
    });
    let header = ["", "shared", "alone", "gain alone"].map(str::to_owned).to_vec();
    let mut sentences: Vec<String> = repeats.tempted.iter().map(tempted).collect();
    sentences.push(format!(
        "Judged one by one, somebody would leave in {} splits, nobody in {}, and {} could not say; a verdict may \
         be wrong in {} of splits. Splits share rows: their deviation is not an interval.",
        repeats.leave,
        repeats.stable,
        repeats.open,
        percent(1.0 - stay.claims.level)
    ));
    let title = format!("Mean and deviation over {} splits", repeats.splits);
    Some(Section { title, sentences, table: Some(Grid { header, rows: rows.collect() }) })
}

/// A group whose members all gain on average.
fn tempted(group: &RepeatedGroup) -> String {
    let pairs = group.members.iter().zip(&group.gains);
    let gain = |(name, gain): (&String, &Spread)| {
        format!("{name} {} ± {}", number(gain.mean), number(gain.deviation))
    };
    let each: Vec<String> = pairs.map(gain).collect();
    format!("On average better off by themselves: {}.", each.join(", "))
}

/// What the statements rest on.
pub(super) fn notes(stay: &Stay) -> Section {
    let models = &stay.models;
    let how = if models.exact { "solved exactly" } else { "trained by rounds" };
    let mut sentences = vec![format!(
        "Losses are {} on held-out rows ({} of each agent's, by {}), without ridge; every group's model is {how} \
         by the rule `{}`.",
        models.loss,
        percent(stay.held_out.share),
        stay.held_out.by,
        models.rule
    )];
    sentences.extend(stay.rests_on.iter().map(|what| format!("Assumed: {what}.")));
    Section { title: "What this rests on".to_owned(), sentences, table: None }
}
