//! The witness: a coalition that reaches `kappa.lo`, by Definition 1.

use corefed_core::{Certificate, Rival, Subject, Witness};

use crate::agents::total_weight;
use crate::predictor::check_parameters;
use crate::sum::sum;
use crate::{Checked, VerifyError};

/// Relative slack for rounding when a coalition is held to `kappa.lo`.
const SLACK: f64 = 1e-9;
/// How well stated gains must agree with recomputed ones, relatively.
const GAIN_TOLERANCE: f64 = 1e-6;

/// Checks a witness against the utilities and gains that the certificate states.
pub(crate) fn check_witness(
    certificate: &Certificate,
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let lo = certificate.claim.kappa.lo.0;
    let Some(witness) = &certificate.witness else {
        // Staying is a deviation of everybody at factor one.
        if !(lo <= 1.0) {
            return Err(VerifyError::Unwitnessed { claimed: lo, supported: 1.0 });
        }
        return Ok(());
    };
    check_shape(certificate, witness)?;
    let mut least = f64::INFINITY;
    let mut owners = false;
    for (&member, gain) in witness.coalition.iter().zip(&witness.gains) {
        let (agent, gain) = (&certificate.agents[member], gain.0);
        if agent.utility > 0.0 {
            if !gain.is_finite() {
                let (agent, utility) = (agent.name.clone(), agent.utility);
                return Err(VerifyError::ImpossibleGain { agent, gain, utility });
            }
            owners = true;
            least = least.min(gain);
        } else if !(gain >= 0.0) {
            let (agent, utility) = (agent.name.clone(), agent.utility);
            return Err(VerifyError::ImpossibleGain { agent, gain, utility });
        }
    }
    let destitute = witness.coalition.iter().any(|&i| certificate.agents[i].utility <= 0.0);
    let supported = if owners { share(certificate, &witness.coalition) * least } else { least };
    let reached = if lo.is_infinite() { destitute } else { lo <= supported * (1.0 + SLACK) };
    if !reached {
        return Err(VerifyError::Unwitnessed { claimed: lo, supported });
    }
    checked.pass("the stated gains of the coalition reach the lower end of kappa");
    Ok(())
}

/// Checks a witness against recomputed utilities, now and under its rival.
///
/// Members with something to lose must gain by the factor `lo` after their share is taken; those
/// without must, by the letter of Definition 1, not be worse off. One of the latter that is
/// strictly better off blocks alone whatever the factor, which is what an infinite `lo` says.
pub(crate) fn check_deviation(
    certificate: &Certificate,
    witness: &Witness,
    now: &[f64],
    then: &[f64],
) -> Result<(), VerifyError> {
    let lo = certificate.claim.kappa.lo.0;
    let share = share(certificate, &witness.coalition);
    let (mut owners, mut blocks_alone) = (false, false);
    for (&i, stated) in witness.coalition.iter().zip(&witness.gains) {
        let name = || certificate.agents[i].name.clone();
        let factor = if now[i] > 0.0 && lo.is_finite() { lo * (1.0 - SLACK) } else { 1.0 };
        if !(share * then[i] >= factor * now[i]) {
            return Err(if factor == 1.0 {
                VerifyError::WouldStay { agent: name(), now: now[i], then: share * then[i] }
            } else {
                VerifyError::Unwitnessed { claimed: lo, supported: share * then[i] / now[i] }
            });
        }
        let recomputed = stated_gain(now[i], then[i]);
        let tolerance = GAIN_TOLERANCE * recomputed.abs().max(GAIN_TOLERANCE);
        let close = recomputed.is_finite() && (stated.0 - recomputed).abs() <= tolerance;
        if !(close || stated.0 == recomputed) {
            return Err(VerifyError::ForgedGain { agent: name(), stated: stated.0, recomputed });
        }
        owners |= now[i] > 0.0;
        blocks_alone |= now[i] <= 0.0 && share * then[i] > now[i];
    }
    if (lo.is_infinite() || !owners) && !blocks_alone {
        return Err(VerifyError::Unwitnessed { claimed: lo, supported: 0.0 });
    }
    Ok(())
}

/// A gain as certificates print it: a ratio where there is something to divide by.
pub(crate) fn stated_gain(now: f64, then: f64) -> f64 {
    if now > 0.0 {
        then / now
    } else if then > now {
        f64::INFINITY
    } else {
        0.0
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

fn check_shape(certificate: &Certificate, witness: &Witness) -> Result<(), VerifyError> {
    check_members("witness.coalition", &witness.coalition, certificate.agents.len())?;
    if witness.gains.len() != witness.coalition.len() {
        return Err(VerifyError::Length {
            field: "witness.gains".to_owned(),
            expected: witness.coalition.len(),
            found: witness.gains.len(),
        });
    }
    let field = "witness.rival".to_owned();
    match (&certificate.subject, &witness.rival) {
        (Subject::Predictor(predictor), Rival::Parameters(parameters)) => {
            check_parameters(predictor, "witness.rival.parameters", parameters)
        }
        (Subject::Table { incumbent }, Rival::Row(row)) => {
            if row == incumbent {
                let row = row.clone();
                return Err(VerifyError::UnknownRow { field: "witness.rival.row", row });
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

/// `w(S) / W`.
fn share(certificate: &Certificate, members: &[usize]) -> f64 {
    let weight = sum(members.iter().map(|&i| certificate.agents[i].weight));
    weight / total_weight(&certificate.agents)
}
