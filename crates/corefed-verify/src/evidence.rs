//! The evidence as stated: does it support `kappa.hi`?

use corefed_core::{
    Certificate, Conflict, Evidence, Family, Predictor, Status, Subject, WorstLoss,
};

use crate::agents::total_weight;
use crate::coverage::{MOST_AGENTS, MOST_TESTS, Unproven, check_coverage};
use crate::headroom::check_headroom;
use crate::predictor::check_point;
use crate::sum::{dot, norm, sum};
use crate::witness::check_members;
use crate::{Checked, VerifyError};

/// Relative slack for rounding when a bound is held to `kappa.hi`.
pub(crate) const SLACK: f64 = 1e-9;

/// Checks that the evidence, taken at its word, supports the upper end of `kappa`.
pub(crate) fn check_evidence(
    certificate: &Certificate,
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let hi = certificate.claim.kappa.hi.0;
    let misplaced =
        |about| Err(VerifyError::Misplaced { field: "evidence.kind".to_owned(), about });
    let predictor = match (&certificate.subject, &certificate.evidence) {
        (Subject::Table { .. }, Evidence::Listed) => return Ok(()),
        (Subject::Table { .. }, _) => return misplaced("a table"),
        (Subject::Predictor(_), Evidence::Listed) => return misplaced("a predictor"),
        (Subject::Predictor(predictor), _) => predictor,
    };
    match &certificate.evidence {
        Evidence::Unbounded | Evidence::Listed => {
            if hi.is_finite() {
                return Err(VerifyError::Overclaimed { claimed: hi, supported: f64::INFINITY });
            }
            checked.pass("no upper bound is claimed");
            return Ok(());
        }
        _ if hi.is_infinite() => {
            let (field, must) =
                ("claim.kappa.hi".to_owned(), "finite, as evidence for it is given");
            return Err(VerifyError::Number { field, value: hi, must });
        }
        _ => {}
    }
    let utilities: Vec<f64> = certificate.agents.iter().map(|agent| agent.utility).collect();
    check_something_to_lose(certificate, &utilities)?;
    // The incumbent lies in the ball, and with it everybody breaks even.
    if hi < 1.0 {
        return Err(VerifyError::Overclaimed { claimed: hi, supported: 1.0 });
    }
    match &certificate.evidence {
        Evidence::FrankWolfe { gradient, gap, worst_losses } => {
            check_premise(certificate, predictor, worst_losses)?;
            checked.pass("stated worst losses are below every ceiling");
            check_gap(certificate, predictor, gradient, *gap)?;
            checked.pass("the Frank-Wolfe gap follows from its gradient and supports kappa");
        }
        Evidence::Conflicts { conflicts } => {
            check_conflicts(certificate, predictor, conflicts)?;
            checked.pass(format!("{} conflicts bound every coalition", conflicts.len()));
        }
        Evidence::Headroom => {
            check_headroom(certificate, &utilities)?;
            checked.pass("zero losses for everybody would not exceed the upper end of kappa");
        }
        Evidence::Listed | Evidence::Unbounded => {}
    }
    Ok(())
}

/// A bound on gains says nothing about an agent whose gain is not a ratio.
pub(crate) fn check_something_to_lose(
    certificate: &Certificate,
    utilities: &[f64],
) -> Result<(), VerifyError> {
    let claimed = certificate.claim.kappa.hi.0;
    for (agent, &utility) in certificate.agents.iter().zip(utilities) {
        if claimed.is_finite() && !(utility > 0.0) {
            return Err(VerifyError::NothingToLose { agent: agent.name.clone(), utility, claimed });
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
        match (predictor.family, worst.multiplier) {
            (Family::Linear, None) => return Err(VerifyError::Missing { field }),
            (Family::Linear, Some(value)) if !value.is_finite() => {
                return Err(VerifyError::Number { field, value, must: "finite" });
            }
            (Family::Linear, Some(_)) | (_, None) => {}
            (_, Some(_)) => {
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

/// `g = R |G| - <G, theta>` and `kappa <= 1 + g/W` (ledger E6).
fn check_gap(
    certificate: &Certificate,
    predictor: &Predictor,
    gradient: &[f64],
    gap: f64,
) -> Result<(), VerifyError> {
    check_point(predictor, "evidence.gradient", gradient)?;
    let (reach, here) = (predictor.radius * norm(gradient), dot(gradient, &predictor.parameters));
    let recomputed = reach - here;
    // Both terms may be large and cancel; rounding is relative to them.
    let rounding = 1e-12 * (reach + here.abs());
    if !((gap - recomputed).abs() <= rounding + 1e-12) {
        return Err(VerifyError::ForgedGap { stated: gap, recomputed });
    }
    let supported = 1.0 + recomputed / total_weight(&certificate.agents);
    let claimed = certificate.claim.kappa.hi.0;
    if !(supported <= claimed * (1.0 + SLACK)) {
        return Err(VerifyError::Overclaimed { claimed, supported });
    }
    Ok(())
}

fn check_conflicts(
    certificate: &Certificate,
    predictor: &Predictor,
    conflicts: &[Conflict],
) -> Result<(), VerifyError> {
    let agents = &certificate.agents;
    if agents.len() > MOST_AGENTS {
        return Err(VerifyError::TooManyAgents { found: agents.len(), most: MOST_AGENTS });
    }
    for (k, conflict) in conflicts.iter().enumerate() {
        let field = |name: &str| format!("evidence.conflicts[{k}].{name}");
        check_members(&field("agents"), &conflict.agents, agents.len())?;
        check_point(predictor, &field("point"), &conflict.point)?;
        if !conflict.bound.is_finite() {
            let (field, value) = (field("bound"), conflict.bound);
            return Err(VerifyError::Number { field, value, must: "finite" });
        }
        if conflict.multipliers.len() != conflict.agents.len() {
            let (expected, found) = (conflict.agents.len(), conflict.multipliers.len());
            return Err(VerifyError::Length { field: field("multipliers"), expected, found });
        }
        if let Some(&value) = conflict.multipliers.iter().find(|p| !(**p > 0.0)) {
            let (field, must) = (field("multipliers"), "positive");
            return Err(VerifyError::Number { field, value, must });
        }
        let sum = sum(conflict.multipliers.iter().copied());
        if !((sum - 1.0).abs() <= 1e-9) {
            return Err(VerifyError::Multipliers { conflict: k, sum });
        }
    }
    let weights: Vec<f64> = agents.iter().map(|agent| agent.weight).collect();
    let claimed = certificate.claim.kappa.hi.0;
    check_coverage(conflicts, &weights, claimed * (1.0 + SLACK), MOST_TESTS).map_err(|unproven| {
        match unproven {
            Unproven::Uncovered(coalition) => VerifyError::Uncovered {
                coalition: coalition.into_iter().map(|i| agents[i].name.clone()).collect(),
                claimed,
            },
            Unproven::GivenUp(tests) => VerifyError::CoverageBudget { tests },
        }
    })
}
