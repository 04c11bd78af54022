//! The part of `audit.json` that only networks have, read back for a page.

use corefed_core::KappaInterval;
use corefed_evidence::{
    BlockClaim, BlockConclusion, DEFAULT_LEVEL, Headroom, Label, LocalBound, LocalMap, Statement,
    Witnessed,
};
use corefed_report::{Evidence, HeldOutLine, PairedLine, Stated, Worth};
use serde::Deserialize;

use crate::text;
use crate::train::HeldOutUtility;

/// As much of it as a page shows.
#[derive(Debug, Deserialize)]
pub(super) struct NetworkFile {
    /// Absent in older folders, which have no intervals of utilities either.
    #[serde(default)]
    agents: Vec<String>,
    #[serde(default)]
    held_out: Vec<Option<HeldOutUtility>>,
    kappa: KappaInterval,
    witness: Statement<Witnessed>,
    everybody: KappaInterval,
    improvement: Statement<Witnessed>,
    headroom: Statement<Headroom>,
    local: Statement<LocalBound>,
    local_map: Statement<LocalMap>,
    held_out_block: Statement<BlockClaim>,
}

impl NetworkFile {
    pub(super) fn evidence(&self) -> Evidence {
        let claim = self.held_out_block.finding.as_ref();
        let level = claim
            .map(|claim| claim.level)
            .or_else(|| self.held_out.iter().flatten().next().map(|own| own.truncated.level));
        let line = |(agent, own): (usize, &Option<HeldOutUtility>)| {
            own.as_ref().map(|own| HeldOutLine {
                agent: self.name(agent),
                rows: own.rows,
                mean: own.mean,
                interval: (own.truncated.lo, own.truncated.hi),
            })
        };
        let paired =
            claim.map_or(&[][..], |claim| &claim.members).iter().map(|member| PairedLine {
                agent: self.name(member.agent),
                rows: member.rows,
                mean: member.mean,
                at_least: member.bound.lo,
            });
        Evidence {
            statements: self.statements(),
            level: level.unwrap_or(DEFAULT_LEVEL).get(),
            held_out: self.held_out.iter().enumerate().filter_map(line).collect(),
            paired: paired.collect(),
            conclusion: claim.map(|claim| match claim.conclusion {
                BlockConclusion::Blocks => "Here it does.".to_owned(),
                BlockConclusion::Open { agent } => {
                    format!("Here that is open for {}.", self.name(agent))
                }
            }),
        }
    }

    fn name(&self, agent: usize) -> String {
        self.agents.get(agent).cloned().unwrap_or_else(|| format!("agent {agent}"))
    }

    fn statements(&self) -> Vec<Stated> {
        let witness = |found: &Witnessed| {
            let names: Vec<String> =
                found.deviation.coalition.iter().map(|&k| self.name(k)).collect();
            format!(
                "{:.4}, for {} with the model {}",
                self.kappa.lo.0,
                text::together(&names),
                found.rival.replace('`', "")
            )
        };
        vec![
            stated("Kappa is at least", &self.witness, witness),
            stated("Everybody can gain at once at least", &self.improvement, |found| {
                let rival = found.rival.replace('`', "");
                format!("a factor {:.4}, with the model {rival}", self.everybody.lo.0)
            }),
            stated("Kappa is at most, for every model (headroom)", &self.headroom, |room| {
                format!("{:.4}, and everybody's factor {:.4}", room.kappa.0, room.everybody.0)
            }),
            stated(
                "No coalition gains much with a model nearby (Theorem 3)",
                &self.local,
                |bound| format!("at most a factor {} within {:.3e}", bound.factor, bound.radius),
            ),
            stated(
                "Training for the mean gain leads away from the model",
                &self.local_map,
                |map| {
                    format!(
                        "by {:.4} of a radius of {}, to a mean gain of {:.4}",
                        map.displacement, map.radius, map.mean_gain
                    )
                },
            ),
            stated(
                "The coalition that was found, on rows kept back",
                &self.held_out_block,
                |claim| match claim.conclusion {
                    BlockConclusion::Blocks => "blocks".to_owned(),
                    BlockConclusion::Open { agent } => format!("open for {}", self.name(agent)),
                },
            ),
        ]
    }
}

fn stated<T>(about: &str, statement: &Statement<T>, finding: impl Fn(&T) -> String) -> Stated {
    Stated {
        about: about.to_owned(),
        worth: match statement.label {
            Label::Certified => Worth::Certified,
            Label::Estimated => Worth::Estimated,
            Label::Searched => Worth::SearchedOnly,
            Label::NotApplicable => Worth::NotApplicable,
        },
        finding: match &statement.finding {
            Some(found) => finding(found),
            None if statement.label == Label::Searched => "nothing was found".to_owned(),
            None => String::new(),
        },
        rests_on: statement.rests_on.join("; "),
    }
}
