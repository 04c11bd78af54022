//! The full check of a certificate about a row of a table of utilities.

use corefed_core::{Certificate, Rival, Subject, Verdict};
use num_rational::BigRational;
use num_traits::Signed;

use crate::document::check_consistency;
use crate::exact::{Reach, coalition_reach, reach};
use crate::witness::stated_gain;
use crate::{Checked, VerifyError};

/// How far a number of a certificate may be from the exact one it rounds, relatively.
const ROUNDING: f64 = 1e-12;

/// A table of exact utilities.
#[derive(Clone, Copy, Debug)]
pub struct ListedUtilities<'a> {
    /// Names of the rows.
    pub models: &'a [String],
    /// Names of the columns.
    pub agents: &'a [String],
    /// `utilities[model][agent]`.
    pub utilities: &'a [Vec<BigRational>],
    /// Digest of the file the table came from.
    pub digest: &'a str,
}

/// Checks a certificate against itself and against its table, in exact arithmetic.
///
/// Definition 1 is tried against every other row, without any tolerance on the verdict. Weights
/// are those the certificate states, which are exact as binary fractions.
pub fn check_table(
    certificate: &Certificate,
    table: &ListedUtilities<'_>,
) -> Result<Checked, VerifyError> {
    let mut checked = check_consistency(certificate)?;
    let Subject::Table { incumbent } = &certificate.subject else {
        let field = "subject".to_owned();
        return Err(VerifyError::Misplaced { field, about: "a table" });
    };
    if certificate.digests.data != table.digest {
        let (stated, present) = (certificate.digests.data.clone(), table.digest.to_owned());
        return Err(VerifyError::Stale { stated, present });
    }
    checked.pass("the table is the file the certificate was issued for");
    check_shape(certificate, table)?;
    let row = |field, name: &String| match table.models.iter().position(|model| model == name) {
        Some(row) => Ok(row),
        None => Err(VerifyError::UnknownRow { field, row: name.clone() }),
    };
    let home = row("subject.incumbent", incumbent)?;
    let now = &table.utilities[home];
    check_utilities(certificate, now)?;
    checked.pass("agents and utilities are those of the incumbent's row");
    let weights = exact_weights(certificate)?;
    if let Some(witness) = &certificate.witness
        && let Rival::Row(name) = &witness.rival
    {
        let then = &table.utilities[row("witness.rival.row", name)?];
        check_listed_deviation(certificate, now, then, &weights)?;
        checked.pass("the coalition does as well as stated with the row it would leave for");
    }
    let mut most = Reach { kappa: Some(BigRational::default()), blocked: false };
    for then in table.utilities.iter().enumerate().filter(|(row, _)| *row != home).map(|(_, r)| r) {
        let Reach { kappa, blocked } = reach(now, then, &weights);
        most.blocked |= blocked;
        most.kappa = most.kappa.and_then(|most| kappa.map(|kappa| kappa.max(most)));
    }
    check_claim(certificate, &most)?;
    checked.pass("verdict and kappa are those of Definition 1 against every other row");
    checked.skip("weights are a choice: the claim holds for those stated");
    Ok(checked)
}

fn check_shape(certificate: &Certificate, table: &ListedUtilities<'_>) -> Result<(), VerifyError> {
    let length = |field: &str, expected: usize, found: usize| {
        if expected == found {
            return Ok(());
        }
        Err(VerifyError::Length { field: field.to_owned(), expected, found })
    };
    length("agents", table.agents.len(), certificate.agents.len())?;
    length("rows of the table", table.models.len(), table.utilities.len())?;
    for row in table.utilities {
        length("a row of the table", table.agents.len(), row.len())?;
    }
    for (i, (stated, present)) in certificate.agents.iter().zip(table.agents).enumerate() {
        if stated.name != *present {
            let (stated, present) = (stated.name.clone(), present.clone());
            return Err(VerifyError::AgentName { agent: i, stated, present });
        }
    }
    Ok(())
}

fn check_utilities(certificate: &Certificate, now: &[BigRational]) -> Result<(), VerifyError> {
    for (agent, exact) in certificate.agents.iter().zip(now) {
        let stated = agent.utility;
        if !rounds(exact, stated) {
            let (agent, recomputed) = (agent.name.clone(), nearest(exact));
            return Err(VerifyError::ForgedUtility { agent, stated, recomputed });
        }
    }
    Ok(())
}

fn exact_weights(certificate: &Certificate) -> Result<Vec<BigRational>, VerifyError> {
    let exact = |(i, value): (usize, f64)| {
        BigRational::from_float(value).filter(Signed::is_positive).ok_or(VerifyError::Number {
            field: format!("agents[{i}].weight"),
            value,
            must: "positive and finite",
        })
    };
    certificate.agents.iter().map(|agent| agent.weight).enumerate().map(exact).collect()
}

/// The witness by the letter: its gains, its factor, and that it blocks if the verdict says so.
fn check_listed_deviation(
    certificate: &Certificate,
    now: &[BigRational],
    then: &[BigRational],
    weights: &[BigRational],
) -> Result<(), VerifyError> {
    let Some(witness) = &certificate.witness else { return Ok(()) };
    for (&i, stated) in witness.coalition.iter().zip(&witness.gains) {
        let agrees = if now[i].is_positive() {
            rounds(&(&then[i] / &now[i]), stated.0)
        } else {
            let infinite = then[i] > now[i];
            stated.0 == if infinite { f64::INFINITY } else { 0.0 }
        };
        if !agrees {
            let (agent, stated) = (certificate.agents[i].name.clone(), stated.0);
            let recomputed = stated_gain(nearest(&now[i]), nearest(&then[i]));
            return Err(VerifyError::ForgedGain { agent, stated, recomputed });
        }
    }
    let (kappa, blocks) = coalition_reach(&witness.coalition, now, then, weights);
    let claimed = certificate.claim.kappa.lo.0;
    if let Some(supported) = kappa
        && !(at_most(claimed, &supported))
    {
        return Err(VerifyError::Unwitnessed { claimed, supported: nearest(&supported) });
    }
    if certificate.claim.verdict == Verdict::Blocked && !blocks {
        let names = witness.coalition.iter().map(|&i| certificate.agents[i].name.clone());
        return Err(VerifyError::NotStrict { coalition: names.collect() });
    }
    Ok(())
}

/// Verdict and interval against what Definition 1 says of all rows.
fn check_claim(certificate: &Certificate, most: &Reach) -> Result<(), VerifyError> {
    let claim = &certificate.claim;
    let recomputed = if most.blocked { Verdict::Blocked } else { Verdict::Stable };
    if claim.verdict != recomputed {
        return Err(VerifyError::TableVerdict { stated: claim.verdict, recomputed });
    }
    let (lo, hi) = (claim.kappa.lo.0, claim.kappa.hi.0);
    match &most.kappa {
        None if hi.is_finite() => {
            Err(VerifyError::Overclaimed { claimed: hi, supported: f64::INFINITY })
        }
        Some(kappa) if !at_least(hi, kappa) => {
            Err(VerifyError::Overclaimed { claimed: hi, supported: nearest(kappa) })
        }
        // Staying reaches one without a rival.
        Some(kappa) if !(lo <= 1.0 || at_most(lo, kappa)) => {
            Err(VerifyError::Unwitnessed { claimed: lo, supported: nearest(kappa) })
        }
        _ => Ok(()),
    }
}

/// Whether a stated number is the exact one, rounded.
fn rounds(exact: &BigRational, stated: f64) -> bool {
    at_most(stated, exact) && at_least(stated, exact)
}

fn at_most(stated: f64, exact: &BigRational) -> bool {
    slack(stated, exact).is_some_and(|(stated, slack)| stated <= exact + slack)
}

fn at_least(stated: f64, exact: &BigRational) -> bool {
    if stated == f64::INFINITY {
        return true;
    }
    slack(stated, exact).is_some_and(|(stated, slack)| stated >= exact - slack)
}

/// The stated number exactly, and how far it may be off; `None` if it is not finite.
fn slack(stated: f64, exact: &BigRational) -> Option<(BigRational, BigRational)> {
    let slack = exact.abs() * BigRational::from_float(ROUNDING)?;
    Some((BigRational::from_float(stated)?, slack))
}

/// For messages.
fn nearest(exact: &BigRational) -> f64 {
    num_traits::ToPrimitive::to_f64(exact).unwrap_or(f64::NAN)
}
