//! The full check of a certificate about a row of a table of utilities.

use corefed_core::{Certificate, KappaInterval, Rival, Subject, Verdict, Witness};
use num_rational::BigRational;
use num_traits::{Signed, Zero};

use crate::claim::verdict_of;
use crate::document::check_consistency;
use crate::exact::{Factor, Reach, coalition_reach, reach};
use crate::{Checked, VerifyError};

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
/// The definitions are tried against every other row. Weights are those the certificate states, which
/// are exact as binary fractions.
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
    let home = row(table, "subject.incumbent", incumbent)?;
    let now = &table.utilities[home];
    check_utilities(certificate, now)?;
    checked.pass("agents and utilities are those of the incumbent's row");
    let weights = exact_weights(certificate)?;
    for (name, witness) in
        [("witness", &certificate.witness), ("improvement", &certificate.improvement)]
    {
        if let Some(witness) = witness {
            let then = rival(table, name, witness)?;
            check_witness(certificate, name, witness, (now, then, &weights))?;
            checked.pass("a coalition does as well as stated with the row it would leave for");
        }
    }
    let others = table.utilities.iter().enumerate().filter(|(row, _)| *row != home);
    let most = others.map(|(_, then)| reach(now, then, &weights)).fold(Reach::nothing(), Reach::or);
    check_claim(certificate, &most)?;
    checked.pass("verdict and intervals are those of the definitions against every other row");
    checked.skip("weights are a choice: the claim holds for those stated");
    Ok(checked)
}

/// The two doubles nearest to an exact factor, one not above and one not below it.
#[must_use]
pub fn rounded(exact: Option<&BigRational>) -> KappaInterval {
    let Some(exact) = exact else {
        return KappaInterval::new(f64::INFINITY, f64::INFINITY);
    };
    let as_exact = |value: f64| BigRational::from_float(value);
    let mut lo = nearest(exact);
    // The conversion is within a few units; infinity has no exact value and is stepped down from.
    while as_exact(lo).is_none_or(|value| value > *exact) {
        lo = lo.next_down();
    }
    while as_exact(lo.next_up()).is_some_and(|value| value <= *exact) {
        lo = lo.next_up();
    }
    let tight = as_exact(lo).is_some_and(|value| value == *exact);
    KappaInterval::new(lo, if tight { lo } else { lo.next_up() })
}

/// The double nearest to an exact utility, and a margin that contains the difference.
#[must_use]
pub fn with_margin(exact: &BigRational) -> (f64, f64) {
    let value = nearest(exact);
    let off = BigRational::from_float(value).map_or_else(BigRational::zero, |v| (v - exact).abs());
    (value, rounded(Some(&off)).hi.0)
}

fn row(table: &ListedUtilities<'_>, field: &str, name: &String) -> Result<usize, VerifyError> {
    match table.models.iter().position(|model| model == name) {
        Some(row) => Ok(row),
        None => Err(VerifyError::UnknownRow { field: field.to_owned(), row: name.clone() }),
    }
}

fn rival<'a>(
    table: &ListedUtilities<'a>,
    name: &str,
    witness: &Witness,
) -> Result<&'a [BigRational], VerifyError> {
    match &witness.rival {
        Rival::Row(model) => Ok(&table.utilities[row(table, &format!("{name}.rival.row"), model)?]),
        Rival::Parameters(_) => {
            Err(VerifyError::Misplaced { field: format!("{name}.rival"), about: "a table" })
        }
    }
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
        let within = |stated: BigRational, margin: BigRational| (stated - exact).abs() <= margin;
        let stated = BigRational::from_float(agent.utility);
        let margin = BigRational::from_float(agent.margin);
        if !stated.zip(margin).is_some_and(|(stated, margin)| within(stated, margin)) {
            return Err(VerifyError::Utility {
                agent: agent.name.clone(),
                stated: agent.utility,
                margin: agent.margin,
                recomputed: nearest(exact),
                error: 0.0,
            });
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

/// A witness by the letter: its gains, and that it blocks if the verdict rests on it.
fn check_witness(
    certificate: &Certificate,
    name: &str,
    witness: &Witness,
    (now, then, weights): (&[BigRational], &[BigRational], &[BigRational]),
) -> Result<(), VerifyError> {
    for (&i, stated) in witness.coalition.iter().zip(&witness.gains) {
        let proven = match (now[i].is_positive(), then[i].is_positive()) {
            (true, _) => Some(&then[i] / &now[i]),
            (false, true) => None,
            (false, false) => Some(BigRational::zero()),
        };
        let holds = match (&proven, BigRational::from_float(stated.0)) {
            (None, _) => true,
            (Some(proven), Some(stated)) => stated <= *proven,
            (Some(_), None) => false,
        };
        if !holds {
            let (agent, stated) = (certificate.agents[i].name.clone(), stated.0);
            let proven = proven.as_ref().map_or(f64::INFINITY, nearest);
            return Err(VerifyError::Gain { agent, stated, proven });
        }
    }
    let strict = certificate.claim.tolerance == 0.0
        && match certificate.claim.verdict {
            Verdict::Blocked => name == "witness",
            Verdict::Improvable => name == "improvement",
            Verdict::Stable | Verdict::Undecided => false,
        };
    if strict && !coalition_reach(&witness.coalition, now, then, weights).1 {
        let names = witness.coalition.iter().map(|&i| certificate.agents[i].name.clone());
        return Err(VerifyError::NotStrict { coalition: names.collect() });
    }
    Ok(())
}

/// Verdict and intervals against what the definitions say of all rows.
fn check_claim(certificate: &Certificate, most: &Reach) -> Result<(), VerifyError> {
    let claim = &certificate.claim;
    let ends: [(&str, KappaInterval, &Factor); 2] =
        [("kappa", claim.kappa, &most.kappa), ("everybody", claim.everybody, &most.everybody)];
    for (what, claimed, exact) in ends {
        let expected = rounded(exact.as_ref());
        for (claimed, exact) in [(claimed.lo.0, expected.lo.0), (claimed.hi.0, expected.hi.0)] {
            if claimed != exact {
                return Err(VerifyError::NotExact { what, claimed, exact });
            }
        }
    }
    let recomputed = if claim.tolerance > 0.0 {
        verdict_of(claim.kappa, claim.everybody, claim.tolerance)
    } else if most.blocked {
        Verdict::Blocked
    } else if most.improvable {
        Verdict::Improvable
    } else {
        Verdict::Stable
    };
    if claim.verdict != recomputed {
        return Err(VerifyError::TableVerdict { stated: claim.verdict, recomputed });
    }
    if recomputed == Verdict::Improvable && certificate.improvement.is_none() {
        return Err(VerifyError::Missing { field: "improvement".to_owned() });
    }
    Ok(())
}

/// The double nearest to an exact number, up to the last place.
fn nearest(exact: &BigRational) -> f64 {
    num_traits::ToPrimitive::to_f64(exact).unwrap_or(f64::NAN)
}
