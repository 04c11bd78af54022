//! The evidence as stated: does it support the upper ends?

use corefed_core::{
    AgentStatement, Certificate, Claim, Conflict, Evidence, Hopeless, Predictor, Status, Subject,
    WorstLoss,
};

use crate::agents::stated_utilities;
use crate::coverage::MOST_AGENTS;
use crate::covered::{as_bounds, check_covered, everybody_bound};
use crate::enclosed::Enclosed;
use crate::family::{is_least_squares, is_nonnegative};
use crate::headroom::headroom;
use crate::predictor::check_place;
use crate::sum::sum;
use crate::witness::check_members;
use crate::{Checked, VerifyError};

/// Checks that the evidence, taken at its word, supports the upper ends of the claim.
pub(crate) fn check_evidence(
    certificate: &Certificate,
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let Claim { kappa, everybody, .. } = certificate.claim;
    let misplaced =
        |about| Err(VerifyError::Misplaced { field: "evidence.kind".to_owned(), about });
    let predictor = match (&certificate.subject, &certificate.evidence) {
        (Subject::Table { .. }, Evidence::Listed) => return Ok(()),
        (Subject::Table { .. }, _) => return misplaced("a table"),
        (Subject::Predictor(_), Evidence::Listed) => return misplaced("a predictor"),
        (Subject::Predictor(predictor), _) => predictor,
    };
    let unbounded = matches!(certificate.evidence, Evidence::Unbounded);
    for (what, hi) in [("kappa", kappa.hi.0), ("everybody", everybody.hi.0)] {
        match (unbounded, hi.is_infinite()) {
            (true, false) => {
                let supported = f64::INFINITY;
                return Err(VerifyError::Overclaimed { what, claimed: hi, supported });
            }
            (false, true) => {
                let must = "finite, as evidence for it is given";
                return Err(VerifyError::Number {
                    field: format!("claim.{what}.hi"),
                    value: hi,
                    must,
                });
            }
            _ => {}
        }
    }
    let agents = &certificate.agents;
    let now = stated_utilities(agents);
    match &certificate.evidence {
        Evidence::Unbounded | Evidence::Listed => checked.pass("no upper bound is claimed"),
        Evidence::FrankWolfe { gap, worst_losses } => {
            check_something_to_lose(agents, &now, &[])?;
            check_premise(certificate, predictor, worst_losses)?;
            checked.pass("stated worst losses are at most the ceilings");
            let supported = frank_wolfe(agents, *gap);
            check_ends(&certificate.claim, supported, supported)?;
            checked.pass("the Frank-Wolfe gap supports both upper ends");
        }
        Evidence::Conflicts { conflicts, hopeless } => {
            check_hopeless(certificate, predictor, hopeless)?;
            let without: Vec<usize> = hopeless.iter().map(|entry| entry.agent).collect();
            check_something_to_lose(agents, &now, &without)?;
            check_conflicts(certificate, predictor, conflicts, &without)?;
            checked.pass(format!("{} conflicts bound every coalition", conflicts.len()));
        }
        Evidence::Headroom => {
            if !is_nonnegative(predictor.family) {
                return misplaced("losses that may be negative");
            }
            check_something_to_lose(agents, &now, &[])?;
            let (kappa, everybody) = headroom(agents, &now);
            check_ends(&certificate.claim, kappa, everybody)?;
            checked.pass("zero losses for everybody would not exceed the upper ends");
        }
    }
    Ok(())
}

/// `1 + gap/W`, rounded up (ledger E6).
pub(crate) fn frank_wolfe(agents: &[AgentStatement], gap: f64) -> f64 {
    let total = sum(agents.iter().map(|agent| agent.weight));
    (Enclosed::exact(1.0) + Enclosed::exact(gap).over(total)).hi()
}

pub(crate) fn check_ends(claim: &Claim, kappa: f64, everybody: f64) -> Result<(), VerifyError> {
    for (what, claimed, supported) in
        [("kappa", claim.kappa.hi.0, kappa), ("everybody", claim.everybody.hi.0, everybody)]
    {
        if !(supported <= claimed) {
            return Err(VerifyError::Overclaimed { what, claimed, supported });
        }
    }
    Ok(())
}

/// A bound on gains says nothing about an agent whose gain is not a ratio, unless it is hopeless.
pub(crate) fn check_something_to_lose(
    agents: &[AgentStatement],
    now: &[Enclosed],
    hopeless: &[usize],
) -> Result<(), VerifyError> {
    for (i, agent) in agents.iter().enumerate() {
        if !(hopeless.contains(&i) || now[i].lo() > 0.0) {
            let (agent, utility) = (agent.name.clone(), agent.utility);
            return Err(VerifyError::NothingToLose { agent, utility });
        }
    }
    Ok(())
}

/// Nobody's loss exceeds its ceiling anywhere in the ball: the premise of Theorem 2.
fn check_premise(
    certificate: &Certificate,
    predictor: &Predictor,
    worst_losses: &[WorstLoss],
) -> Result<(), VerifyError> {
    let agents = &certificate.agents;
    if worst_losses.len() != agents.len() {
        let field = "evidence.worst_losses".to_owned();
        let (expected, found) = (agents.len(), worst_losses.len());
        return Err(VerifyError::Length { field, expected, found });
    }
    for (i, (agent, worst)) in agents.iter().zip(worst_losses).enumerate() {
        let field = format!("evidence.worst_losses[{i}].multiplier");
        match (is_least_squares(predictor.family), worst.multiplier) {
            (true, None) => return Err(VerifyError::Missing { field }),
            (true, Some(value)) if !value.is_finite() => {
                return Err(VerifyError::Number { field, value, must: "finite" });
            }
            (true, Some(_)) | (false, None) => {}
            (false, Some(_)) => {
                return Err(VerifyError::Misplaced { field, about: "classification" });
            }
        }
        let ceiling = agent.ceiling.unwrap_or(f64::NAN);
        if !(worst.bound <= ceiling) {
            let (agent, worst) = (agent.name.clone(), worst.bound);
            return Err(VerifyError::PremiseViolated { agent, worst, ceiling });
        }
    }
    match certificate.assumptions.iter().find(|a| a.status == Status::Violated) {
        Some(a) => Err(VerifyError::ViolatedAssumption { statement: a.statement.clone() }),
        None => Ok(()),
    }
}

fn check_hopeless(
    certificate: &Certificate,
    predictor: &Predictor,
    hopeless: &[Hopeless],
) -> Result<(), VerifyError> {
    let (agents, now) = (&certificate.agents, stated_utilities(&certificate.agents));
    for (k, entry) in hopeless.iter().enumerate() {
        let path = format!("evidence.hopeless[{k}]");
        let field = |name: &str| format!("{path}.{name}");
        check_members(&field("agent"), &[entry.agent], agents.len())?;
        if hopeless[..k].iter().any(|other| other.agent >= entry.agent) {
            return Err(VerifyError::Members { field: field("agent"), agents: agents.len() });
        }
        check_place(predictor, &path, &entry.point, entry.correction.as_deref())?;
        check_sphere(&field("sphere"), entry.sphere)?;
        if !(now[entry.agent].hi() <= 0.0) {
            let agent = &agents[entry.agent];
            let (agent, utility) = (agent.name.clone(), agent.utility);
            return Err(VerifyError::NotHopeless { agent, utility });
        }
    }
    Ok(())
}

fn check_sphere(field: &str, sphere: Option<f64>) -> Result<(), VerifyError> {
    match sphere {
        Some(value) if !(value >= 0.0 && value.is_finite()) => {
            Err(VerifyError::Number { field: field.to_owned(), value, must: "finite and >= 0" })
        }
        _ => Ok(()),
    }
}

fn check_conflicts(
    certificate: &Certificate,
    predictor: &Predictor,
    conflicts: &[Conflict],
    hopeless: &[usize],
) -> Result<(), VerifyError> {
    let agents = &certificate.agents;
    if agents.len() > MOST_AGENTS {
        return Err(VerifyError::TooManyAgents { found: agents.len(), most: MOST_AGENTS });
    }
    for (k, conflict) in conflicts.iter().enumerate() {
        let path = format!("evidence.conflicts[{k}]");
        let field = |name: &str| format!("{path}.{name}");
        check_members(&field("agents"), &conflict.agents, agents.len())?;
        if let Some(&agent) = conflict.agents.iter().find(|i| hopeless.contains(i)) {
            let agent = agents[agent].name.clone();
            return Err(VerifyError::HopelessMember { conflict: k, agent });
        }
        check_place(predictor, &path, &conflict.point, conflict.correction.as_deref())?;
        check_sphere(&field("sphere"), conflict.sphere)?;
        if !conflict.bound.is_finite() {
            let (field, value) = (field("bound"), conflict.bound);
            return Err(VerifyError::Number { field, value, must: "finite" });
        }
        if conflict.multipliers.len() != conflict.agents.len() {
            let (expected, found) = (conflict.agents.len(), conflict.multipliers.len());
            return Err(VerifyError::Length { field: field("multipliers"), expected, found });
        }
        let positive = |p: &f64| *p > 0.0 && p.is_finite();
        if let Some(&value) = conflict.multipliers.iter().find(|p| !positive(p)) {
            let (field, must) = (field("multipliers"), "positive and finite");
            return Err(VerifyError::Number { field, value, must });
        }
    }
    let claim = &certificate.claim;
    let bounds = as_bounds(conflicts);
    check_covered(agents, &bounds, hopeless, claim.kappa.hi.0)?;
    let supported = everybody_bound(&bounds, hopeless);
    if !(supported <= claim.everybody.hi.0) {
        let (what, claimed) = ("everybody", claim.everybody.hi.0);
        return Err(VerifyError::Overclaimed { what, claimed, supported });
    }
    Ok(())
}
