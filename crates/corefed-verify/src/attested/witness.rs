//! The witness and the improvement: gains from losses that members answered.

use corefed_core::{AgentStatement, AttestedCertificate, AttestedWitness};
use corefed_data::excerpt;

use super::book::Book;
use crate::deviation::{coalition_reach, gain_at_least, least_gain};
use crate::enclosed::Enclosed;
use crate::witness::{check_gains, staying, unreached};
use crate::{AttestedError, Checked, VerifyError};

/// Checks both, and that they reach the lower ends of the claim.
pub(crate) fn check_witnesses(
    certificate: &AttestedCertificate,
    agents: &[AgentStatement],
    now: &[Enclosed],
    checked: &mut Checked,
) -> Result<(), VerifyError> {
    let book = Book::of(certificate);
    let claim = &certificate.claim;
    let mut supported = 0.0;
    if let Some(witness) = &certificate.witness {
        check_witness(book, "witness", witness, agents, now)?;
        if witness.coalition.len() == agents.len() {
            return Err(VerifyError::Everybody);
        }
        supported = coalition_reach(agents, (&witness.coalition, &witness.gains), now)
            .map_err(|u| unreached(agents, u))?;
        let members: Vec<String> =
            witness.coalition.iter().map(|&i| excerpt(&agents[i].name)).collect();
        checked.pass(format!("answers of {} reach the lower end of kappa", members.join(", ")));
    }
    if !(claim.kappa.lo.0 <= supported) {
        let claimed = claim.kappa.lo.0;
        return Err(VerifyError::Unwitnessed { what: "kappa", claimed, supported });
    }
    let mut supported = staying(now);
    if let Some(improvement) = &certificate.improvement {
        check_witness(book, "improvement", improvement, agents, now)?;
        let (expected, found) = (agents.len(), improvement.coalition.len());
        if expected != found {
            let field = "improvement.coalition".to_owned();
            return Err(VerifyError::Length { field, expected, found });
        }
        let reached = least_gain((&improvement.coalition, &improvement.gains), now)
            .map_err(|u| unreached(agents, u))?;
        supported = reached.max(supported);
        checked.pass("everybody's answers reach the lower end for everybody");
    }
    if !(claim.everybody.lo.0 <= supported) {
        let claimed = claim.everybody.lo.0;
        return Err(VerifyError::Unwitnessed { what: "everybody", claimed, supported });
    }
    Ok(())
}

/// Every member answered at the rival and gains what is stated.
fn check_witness(
    book: Book<'_>,
    name: &'static str,
    witness: &AttestedWitness,
    agents: &[AgentStatement],
    now: &[Enclosed],
) -> Result<(), VerifyError> {
    check_gains(name, (&witness.coalition, &witness.gains), agents.len())?;
    for (&i, stated) in witness.coalition.iter().zip(&witness.gains) {
        let (agent, point) = (agents[i].name.clone(), witness.point);
        if book.leaf(i, 0).is_none() || book.leaf(i, point).is_none() {
            let (field, what) = (name.to_owned(), "the loss");
            return Err(AttestedError::NoLeaf { field, agent, point, what }.into());
        }
        let proven = gain_at_least(now[i], book.utility(i, point));
        if !(stated.0 <= proven) {
            return Err(VerifyError::Gain { agent, stated: stated.0, proven });
        }
    }
    Ok(())
}
