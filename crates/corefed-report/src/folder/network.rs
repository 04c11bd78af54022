//! What is proven, estimated and searched of a network, as a page shows it.

use corefed_documents::{HeldOutUtility, NetworkAudit};
use corefed_evidence::{BlockConclusion, DEFAULT_LEVEL, Label, Statement, Witnessed};

use crate::verdict::together;
use crate::{Evidence, HeldOutLine, PairedLine, Stated, Worth};

/// The evidence of a page.
pub(super) fn evidence(network: &NetworkAudit) -> Evidence {
    let claim = network.audit.held_out_block.finding.as_ref();
    let level = claim
        .map(|claim| claim.level)
        .or_else(|| network.held_out.iter().flatten().next().map(|own| own.truncated.level));
    let line = |(agent, own): (usize, &Option<HeldOutUtility>)| {
        own.as_ref().map(|own| HeldOutLine {
            agent: name(network, agent),
            rows: own.rows,
            mean: own.mean,
            interval: (own.truncated.lo, own.truncated.hi),
        })
    };
    let paired = claim.map_or(&[][..], |claim| &claim.members).iter().map(|member| PairedLine {
        agent: name(network, member.agent),
        rows: member.rows,
        mean: member.mean,
        at_least: member.bound.lo,
    });
    Evidence {
        statements: statements(network),
        level: level.unwrap_or(DEFAULT_LEVEL).get(),
        held_out: network.held_out.iter().enumerate().filter_map(line).collect(),
        paired: paired.collect(),
        conclusion: claim.map(|claim| match claim.conclusion {
            BlockConclusion::Blocks => "Here it does.".to_owned(),
            BlockConclusion::Open { agent } => {
                format!("Here that is open for {}.", name(network, agent))
            }
        }),
    }
}

fn name(network: &NetworkAudit, agent: usize) -> String {
    network.agents.get(agent).cloned().unwrap_or_else(|| format!("agent {agent}"))
}

fn statements(network: &NetworkAudit) -> Vec<Stated> {
    let audit = &network.audit;
    let witness = |found: &Witnessed| {
        let names: Vec<String> =
            found.deviation.coalition.iter().map(|&k| name(network, k)).collect();
        format!(
            "{:.4}, for {} with the model {}",
            audit.kappa.lo.0,
            together(&names),
            found.rival.replace('`', "")
        )
    };
    vec![
        stated("Kappa is at least", &audit.witness, witness),
        stated("Everybody can gain at once at least", &audit.improvement, |found| {
            let rival = found.rival.replace('`', "");
            format!("a factor {:.4}, with the model {rival}", audit.everybody.lo.0)
        }),
        stated("Kappa is at most, for every model (headroom)", &audit.headroom, |room| {
            format!("{:.4}, and everybody's factor {:.4}", room.kappa.0, room.everybody.0)
        }),
        stated("No coalition gains much with a model nearby (Theorem 3)", &audit.local, |bound| {
            format!("at most a factor {} within {:.3e}", bound.factor, bound.radius)
        }),
        stated("Training for the mean gain leads away from the model", &audit.local_map, |map| {
            format!(
                "by {:.4} of a radius of {}, to a mean gain of {:.4}",
                map.displacement, map.radius, map.mean_gain
            )
        }),
        stated("The coalition that was found, on held-out rows", &audit.held_out_block, |claim| {
            match claim.conclusion {
                BlockConclusion::Blocks => "blocks".to_owned(),
                BlockConclusion::Open { agent } => format!("open for {}", name(network, agent)),
            }
        }),
    ]
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
