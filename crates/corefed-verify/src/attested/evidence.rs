//! The evidence: do the answers support the upper ends?

use corefed_core::{
    AgentStatement, AttestedCertificate, AttestedEvidence, Status, Tangent, TangentConflict,
    TangentHopeless,
};

use super::book::Book;
use super::leaves::check_work;
use crate::coverage::{Bounded, MOST_AGENTS};
use crate::covered::{check_covered, everybody_bound};
use crate::enclosed::Enclosed;
use crate::evidence::{check_ends, check_something_to_lose, frank_wolfe};
use crate::headroom::headroom;
use crate::witness::check_members;
use crate::{AttestedError, Checked, VerifyError, parallel};

/// Checks that the answers support the upper ends of the claim; `now` are utilities under the predictor.
pub(crate) fn check_evidence(
    certificate: &AttestedCertificate,
    agents: &[AgentStatement],
    now: &[Enclosed],
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let book = Book::of(certificate);
    let absent = book.absent();
    check_finite(certificate, &absent)?;
    let claim = &certificate.claim;
    match &certificate.evidence {
        AttestedEvidence::Unbounded => checked.pass("no upper bound is claimed"),
        AttestedEvidence::Headroom => {
            check_everybody(agents, &absent)?;
            if !book.nonnegative() {
                let field = "evidence.kind".to_owned();
                let about = "losses that may be negative";
                return Err(VerifyError::Misplaced { field, about });
            }
            check_something_to_lose(agents, now, &[])?;
            let (kappa, everybody) = headroom(agents, now);
            check_ends(claim, kappa, everybody)?;
            checked.pass("zero losses for everybody would not exceed the upper ends");
        }
        AttestedEvidence::FrankWolfe { gap } => {
            check_everybody(agents, &absent)?;
            check_something_to_lose(agents, now, &[])?;
            check_premise(certificate)?;
            checked.pass("no worst loss that an agent stands for is above its ceiling");
            let proven = book.gap(now);
            if !(proven <= *gap) {
                return Err(VerifyError::Gap { stated: *gap, proven });
            }
            let supported = frank_wolfe(agents, *gap);
            check_ends(claim, supported, supported)?;
            checked
                .pass("the Frank-Wolfe gap follows from the answers and supports both upper ends");
        }
        AttestedEvidence::Tangents { conflicts, hopeless } => {
            let found = agents.len();
            if found > MOST_AGENTS {
                return Err(VerifyError::TooManyAgents { found, most: MOST_AGENTS });
            }
            check_hopeless(book, agents, now, hopeless)?;
            let hopeless: Vec<usize> = hopeless.iter().map(|entry| entry.agent).collect();
            let mut without = [hopeless.as_slice(), &absent].concat();
            without.sort_unstable();
            check_something_to_lose(agents, now, &without)?;
            let bounds = check_conflicts(book, agents, now, conflicts, &without)?;
            check_covered(agents, &bounds, &without, claim.kappa.hi.0)?;
            if absent.is_empty() {
                let supported = everybody_bound(&bounds, &hopeless);
                check_ends(claim, claim.kappa.hi.0, supported)?;
            }
            checked.pass(format!(
                "{} conflicts, each from tangents of its own agents, bound every coalition",
                conflicts.len()
            ));
        }
    }
    Ok(())
}

/// Upper ends are finite where evidence is given, but for everybody where somebody is absent (ledger E89).
fn check_finite(certificate: &AttestedCertificate, absent: &[usize]) -> Result<(), VerifyError> {
    let claim = &certificate.claim;
    let unbounded = matches!(certificate.evidence, AttestedEvidence::Unbounded);
    for (what, hi) in [("kappa", claim.kappa.hi.0), ("everybody", claim.everybody.hi.0)] {
        let open = unbounded || what == "everybody" && !absent.is_empty();
        match (open, hi.is_infinite()) {
            (true, false) => {
                if let (false, Some(&i)) = (unbounded, absent.first()) {
                    let agent = certificate.terms.agents[i].name.clone();
                    let what = "`claim.everybody.hi` must be infinite";
                    return Err(AttestedError::Absent { agent, what }.into());
                }
                let supported = f64::INFINITY;
                return Err(VerifyError::Overclaimed { what, claimed: hi, supported });
            }
            (false, true) => {
                let (field, must) =
                    (format!("claim.{what}.hi"), "finite, as evidence for it is given");
                return Err(VerifyError::Number { field, value: hi, must });
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_everybody(agents: &[AgentStatement], absent: &[usize]) -> Result<(), VerifyError> {
    match absent.first() {
        Some(&i) => {
            let agent = agents[i].name.clone();
            let what = "the evidence must be `tangents` or `unbounded`";
            Err(AttestedError::Absent { agent, what }.into())
        }
        None => Ok(()),
    }
}

/// Nobody's loss exceeds its ceiling anywhere in the ball, by what each stands for.
fn check_premise(certificate: &AttestedCertificate) -> Result<(), VerifyError> {
    let parties = certificate.terms.agents.iter().zip(&certificate.attestations);
    for (i, (party, own)) in parties.enumerate() {
        let Some(worst) = own.worst_loss else {
            return Err(VerifyError::Missing { field: format!("attestations[{i}].worst_loss") });
        };
        if !(worst <= party.ceiling) {
            let (agent, ceiling) = (party.name.clone(), party.ceiling);
            return Err(VerifyError::PremiseViolated { agent, worst, ceiling });
        }
    }
    match certificate.assumptions.iter().find(|a| a.status == Status::Violated) {
        Some(a) => Err(VerifyError::ViolatedAssumption { statement: a.statement.clone() }),
        None => Ok(()),
    }
}

fn check_hopeless(
    book: Book<'_>,
    agents: &[AgentStatement],
    now: &[Enclosed],
    hopeless: &[TangentHopeless],
) -> Result<(), VerifyError> {
    let work = hopeless.iter().map(|entry| entry.tangents.len()).sum::<usize>();
    check_work(
        "tangents of hopeless agents, times parameters",
        work.saturating_mul(book.point(0).len()),
    )?;
    for (k, entry) in hopeless.iter().enumerate() {
        let field = format!("evidence.hopeless[{k}]");
        check_members(&format!("{field}.agent"), &[entry.agent], agents.len())?;
        if hopeless[..k].iter().any(|other| other.agent >= entry.agent) {
            let field = format!("{field}.agent");
            return Err(VerifyError::Members { field, agents: agents.len() });
        }
        check_tangents(book, agents, &field, &entry.tangents)?;
        let agent = agents[entry.agent].name.clone();
        if entry.tangents.iter().any(|tangent| tangent.agent != entry.agent) {
            let (field, about) = (format!("{field}.tangents"), "the agent alone");
            return Err(VerifyError::Misplaced { field, about });
        }
        if !(now[entry.agent].hi() <= 0.0) {
            let utility = agents[entry.agent].utility;
            return Err(VerifyError::NotHopeless { agent, utility });
        }
        let proven = book.most(&entry.tangents);
        if !(proven <= 0.0) {
            return Err(VerifyError::Hopeful { agent, proven });
        }
    }
    Ok(())
}

fn check_conflicts(
    book: Book<'_>,
    agents: &[AgentStatement],
    now: &[Enclosed],
    conflicts: &[TangentConflict],
    without: &[usize],
) -> Result<Vec<Bounded>, VerifyError> {
    for (k, conflict) in conflicts.iter().enumerate() {
        let field = format!("evidence.conflicts[{k}]");
        check_tangents(book, agents, &field, &conflict.tangents)?;
        if let Some(tangent) = conflict.tangents.iter().find(|t| without.contains(&t.agent)) {
            let agent = agents[tangent.agent].name.clone();
            return Err(VerifyError::HopelessMember { conflict: k, agent });
        }
        if !conflict.bound.is_finite() {
            let (field, value) = (format!("{field}.bound"), conflict.bound);
            return Err(VerifyError::Number { field, value, must: "finite" });
        }
    }
    let work = conflicts.iter().map(|conflict| conflict.tangents.len()).sum::<usize>();
    let work = work.saturating_mul(book.point(0).len());
    check_work("tangents of conflicts, times parameters", work)?;
    let proven = parallel::map(conflicts.len(), work, |k| book.bound(&conflicts[k].tangents, now));
    let bounds = conflicts.iter().zip(proven).enumerate().map(|(k, (conflict, proven))| {
        let stated = conflict.bound;
        if !(proven <= stated) {
            return Err(VerifyError::Bound { conflict: k, stated, proven });
        }
        Ok(Bounded::new(conflict.tangents.iter().map(|tangent| tangent.agent), stated))
    });
    bounds.collect()
}

/// At least one tangent, with positive multipliers, each of a leaf with a gradient.
fn check_tangents(
    book: Book<'_>,
    agents: &[AgentStatement],
    field: &str,
    tangents: &[Tangent],
) -> Result<(), VerifyError> {
    let field = format!("{field}.tangents");
    if tangents.is_empty() || tangents.iter().any(|tangent| tangent.agent >= agents.len()) {
        return Err(AttestedError::Tangents { field, agents: agents.len() }.into());
    }
    for &Tangent { agent, point, multiplier } in tangents {
        if !(multiplier > 0.0 && multiplier.is_finite()) {
            let field = format!("{field}[].multiplier");
            let must = "positive and finite";
            return Err(VerifyError::Number { field, value: multiplier, must });
        }
        if book.leaf(agent, point).is_none_or(|leaf| leaf.gradient.is_none()) {
            let (agent, what) = (agents[agent].name.clone(), "a gradient");
            return Err(AttestedError::NoLeaf { field, agent, point, what }.into());
        }
    }
    Ok(())
}
