//! The witness and the improvement: do the stated gains reach the lower ends?

use corefed_core::{AgentStatement, Certificate, Number, Rival, Subject, Witness};

use crate::agents::stated_utilities;
use crate::deviation::{Unreached, coalition_reach, least_gain};
use crate::enclosed::Enclosed;
use crate::predictor::check_parameters;
use crate::{Checked, VerifyError};

/// Checks both against the utilities and gains that the certificate states.
pub(crate) fn check_witnesses(
    certificate: &Certificate,
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let (agents, now) = (&certificate.agents, stated_utilities(&certificate.agents));
    let claim = &certificate.claim;
    let table = matches!(certificate.subject, Subject::Table { .. });
    let mut supported = 0.0;
    if let Some(witness) = &certificate.witness {
        check_shape(certificate, "witness", witness)?;
        if witness.coalition.len() == agents.len() {
            return Err(VerifyError::Everybody);
        }
        supported = coalition_reach(agents, (&witness.coalition, &witness.gains), &now)
            .map_err(|u| unreached(agents, u))?;
        checked.pass("the stated gains of the coalition reach the lower end of kappa");
    }
    // Of a table the ends are exact numbers, rounded outwards, and are compared as such.
    if !table && !(claim.kappa.lo.0 <= supported) {
        let claimed = claim.kappa.lo.0;
        return Err(VerifyError::Unwitnessed { what: "kappa", claimed, supported });
    }
    // Staying reaches one, for agents that have something to stay for.
    let mut supported = staying(&now);
    if let Some(improvement) = &certificate.improvement {
        check_shape(certificate, "improvement", improvement)?;
        if improvement.coalition.len() != agents.len() {
            let field = "improvement.coalition".to_owned();
            let (expected, found) = (agents.len(), improvement.coalition.len());
            return Err(VerifyError::Length { field, expected, found });
        }
        let reached = least_gain((&improvement.coalition, &improvement.gains), &now)
            .map_err(|u| unreached(agents, u))?;
        supported = reached.max(supported);
        checked.pass("the stated gains of everybody reach the lower end for everybody");
    }
    if !table && !(claim.everybody.lo.0 <= supported) {
        let claimed = claim.everybody.lo.0;
        return Err(VerifyError::Unwitnessed { what: "everybody", claimed, supported });
    }
    Ok(())
}

/// What everybody reaches by staying.
pub(crate) fn staying(now: &[Enclosed]) -> f64 {
    if now.iter().all(|utility| utility.lo() > 0.0) { 1.0 } else { 0.0 }
}

pub(crate) fn unreached(agents: &[AgentStatement], unreached: Unreached) -> VerifyError {
    let stated = |i: usize| (agents[i].name.clone(), agents[i].utility);
    match unreached {
        Unreached::Sign(i) => {
            let (agent, utility) = stated(i);
            VerifyError::NoGain { agent, utility }
        }
        Unreached::Mixed(i) => {
            let (agent, utility) = stated(i);
            VerifyError::MixedCoalition { agent, utility }
        }
    }
}

/// Checks that some indices are a set of agents, in order.
pub(crate) fn check_members(
    field: &str,
    members: &[usize],
    agents: usize,
) -> Result<(), VerifyError> {
    let ascending = members.windows(2).all(|pair| pair[0] < pair[1]);
    if members.is_empty() || !ascending || members.iter().any(|&i| i >= agents) {
        return Err(VerifyError::Members { field: field.to_owned(), agents });
    }
    Ok(())
}

/// Checks that a coalition is a set of agents, with one gain each.
pub(crate) fn check_gains(
    name: &str,
    (coalition, gains): (&[usize], &[Number]),
    agents: usize,
) -> Result<(), VerifyError> {
    check_members(&format!("{name}.coalition"), coalition, agents)?;
    if gains.len() != coalition.len() {
        let (expected, found) = (coalition.len(), gains.len());
        return Err(VerifyError::Length { field: format!("{name}.gains"), expected, found });
    }
    if let Some(gain) = gains.iter().find(|gain| gain.0.is_nan() || gain.0 < 0.0) {
        let (field, must) = (format!("{name}.gains"), "numbers >= 0");
        return Err(VerifyError::Number { field, value: gain.0, must });
    }
    Ok(())
}

fn check_shape(
    certificate: &Certificate,
    name: &'static str,
    witness: &Witness,
) -> Result<(), VerifyError> {
    check_gains(name, (&witness.coalition, &witness.gains), certificate.agents.len())?;
    let field = format!("{name}.rival");
    match (&certificate.subject, &witness.rival) {
        (Subject::Predictor(predictor), Rival::Parameters(parameters)) => {
            check_parameters(predictor, &format!("{field}.parameters"), parameters)
        }
        (Subject::Table { incumbent }, Rival::Row(row)) => {
            if row == incumbent {
                return Err(VerifyError::UnknownRow { field, row: row.clone() });
            }
            Ok(())
        }
        (Subject::Predictor(_), Rival::Row(_)) => {
            Err(VerifyError::Misplaced { field, about: "a predictor" })
        }
        (Subject::Table { .. }, Rival::Parameters(_)) => {
            Err(VerifyError::Misplaced { field, about: "a table" })
        }
    }
}
