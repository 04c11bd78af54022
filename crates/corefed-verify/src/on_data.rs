//! The full check of a certificate about a predictor, on the data it speaks of.

use corefed_core::{Certificate, Evidence, Predictor, Rival, Subject, Witness};
use corefed_data::Federation;

use crate::conflict::Prover;
use crate::deviation::gain_at_least;
use crate::document::check_consistency;
use crate::effort::check_effort;
use crate::eft::{add_up, two_sum};
use crate::enclosed::Enclosed;
use crate::first_order::gap;
use crate::loss::Reading;
use crate::worst_loss::worst_loss;
use crate::{Checked, VerifyError, parallel};

/// Checks a certificate against itself and against data: everything it states is proven again.
///
/// `federation` is the data encoded by the certificate's own encoding, `data_digest` the digest of
/// the file it came from. Cost: one pass over an agent's rows for every agent, and for every agent
/// of every conflict; a certificate that would cost more than `docs/limits.md` says is refused.
pub fn check_on_data(
    certificate: &Certificate,
    federation: &Federation,
    data_digest: &str,
) -> Result<Checked, VerifyError> {
    let mut checked = check_consistency(certificate)?;
    let reading = read(certificate, federation, data_digest)?;
    check_effort(&certificate.evidence, &reading)?;
    checked.pass("the data is the file the certificate was issued for");
    checked.pass("agents and their numbers of samples are those of the data");
    let now = utilities(certificate, &reading, &reading.predictor.parameters);
    check_utilities(certificate, &now)?;
    checked.pass("utilities are those of the data, within their margins");
    let witnesses = [
        (&certificate.witness, "every member of the coalition gains what is stated"),
        (&certificate.improvement, "everybody gains what is stated"),
    ];
    for (witness, passed) in witnesses {
        if let Some(witness) = witness {
            check_gains(certificate, &reading, witness, &now)?;
            checked.pass(passed);
        }
    }
    check_proof(certificate, &reading, &now, &mut checked)?;
    checked.skip("weights and ceilings are choices: the claim holds for those stated");
    Ok(checked)
}

/// The rows as the certificate's predictor reads them, if they are those that it speaks of.
pub(crate) fn read<'a>(
    certificate: &'a Certificate,
    federation: &'a Federation,
    data_digest: &str,
) -> Result<Reading<'a>, VerifyError> {
    let Subject::Predictor(predictor) = &certificate.subject else {
        let field = "subject".to_owned();
        return Err(VerifyError::Misplaced { field, about: "rows of data" });
    };
    if certificate.digests.data != data_digest {
        let (stated, present) = (certificate.digests.data.clone(), data_digest.to_owned());
        return Err(VerifyError::Stale { stated, present });
    }
    check_owners(certificate, federation)?;
    let predictor: &Predictor = predictor;
    Reading::new(predictor, federation)
}

fn check_owners(certificate: &Certificate, federation: &Federation) -> Result<(), VerifyError> {
    let (stated, present) = (&certificate.agents, federation.agents());
    if stated.len() != present.len() {
        let field = "agents".to_owned();
        let (expected, found) = (present.len(), stated.len());
        return Err(VerifyError::Length { field, expected, found });
    }
    for (i, (stated, present)) in stated.iter().zip(present).enumerate() {
        if stated.name != present.name {
            let (stated, present) = (stated.name.clone(), present.name.clone());
            return Err(VerifyError::AgentName { agent: i, stated, present });
        }
        if stated.samples != present.samples() {
            let (agent, stated) = (stated.name.clone(), stated.samples);
            return Err(VerifyError::Samples { agent, stated, present: present.samples() });
        }
    }
    Ok(())
}

/// `u_i = M_i - L_i` of every agent at some parameters.
pub(crate) fn utilities(
    certificate: &Certificate,
    reading: &Reading<'_>,
    params: &[f64],
) -> Vec<Enclosed> {
    parallel::map(certificate.agents.len(), reading.numbers(), |i| {
        let ceiling = Enclosed::exact(certificate.agents[i].ceiling.unwrap_or(f64::NAN));
        ceiling - reading.loss(i, params)
    })
}

fn check_utilities(certificate: &Certificate, now: &[Enclosed]) -> Result<(), VerifyError> {
    for (agent, utility) in certificate.agents.iter().zip(now) {
        let (apart, lost) = two_sum(utility.value(), -agent.utility);
        let off = add_up(add_up(apart.abs(), lost.abs()), utility.error());
        if !(off <= agent.margin) {
            return Err(VerifyError::Utility {
                agent: agent.name.clone(),
                stated: agent.utility,
                margin: agent.margin,
                recomputed: utility.value(),
                error: utility.error(),
            });
        }
    }
    Ok(())
}

fn check_gains(
    certificate: &Certificate,
    reading: &Reading<'_>,
    witness: &Witness,
    now: &[Enclosed],
) -> Result<(), VerifyError> {
    let Rival::Parameters(rival) = &witness.rival else { return Ok(()) };
    let then = utilities(certificate, reading, rival);
    for (&i, stated) in witness.coalition.iter().zip(&witness.gains) {
        let proven = gain_at_least(now[i], then[i]);
        if !(stated.0 <= proven) {
            let (agent, stated) = (certificate.agents[i].name.clone(), stated.0);
            return Err(VerifyError::Gain { agent, stated, proven });
        }
    }
    Ok(())
}

/// The evidence with every number in it derived from the data.
fn check_proof(
    certificate: &Certificate,
    reading: &Reading<'_>,
    now: &[Enclosed],
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let agents = &certificate.agents;
    let prover = Prover::new(*reading, agents);
    match &certificate.evidence {
        Evidence::FrankWolfe { gap: stated, worst_losses } => {
            let proven = parallel::map(worst_losses.len(), reading.numbers(), |i| {
                worst_loss(reading, &prover, i, &worst_losses[i])
            });
            for ((agent, worst), proven) in agents.iter().zip(worst_losses).zip(proven) {
                if !(proven <= worst.bound) {
                    let (agent, stated) = (agent.name.clone(), worst.bound);
                    return Err(VerifyError::Worst { agent, stated, proven });
                }
            }
            checked.pass("utilities are nowhere negative on the ball");
            let proven = gap(reading, agents, now);
            if !(proven <= *stated) {
                return Err(VerifyError::Gap { stated: *stated, proven });
            }
            checked.pass("the Frank-Wolfe gap follows from the data");
        }
        Evidence::Conflicts { conflicts, hopeless } => {
            for entry in hopeless {
                let proven = prover.most(entry);
                if !(proven <= 0.0) {
                    let agent = agents[entry.agent].name.clone();
                    return Err(VerifyError::Hopeful { agent, proven });
                }
            }
            let proven = parallel::map(conflicts.len(), reading.numbers(), |k| {
                prover.conflict(&conflicts[k], now)
            });
            for (k, (conflict, proven)) in conflicts.iter().zip(proven).enumerate() {
                if !(proven <= conflict.bound) {
                    let stated = conflict.bound;
                    return Err(VerifyError::Bound { conflict: k, stated, proven });
                }
            }
            checked.pass("the bound of every conflict follows from the data");
        }
        Evidence::Headroom | Evidence::Listed | Evidence::Unbounded => {}
    }
    Ok(())
}
