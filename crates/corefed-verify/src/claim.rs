//! The claim: does the verdict follow from the intervals?

use corefed_core::{Certificate, Claim, KappaInterval, LARGEST_TOLERANCE, Subject, Verdict};

use crate::VerifyError;

/// Reads the verdict off the intervals again.
///
/// A table without tolerance is decided by the strict rule of Definition 1, under which `kappa = 1` may be
/// stable or blocked; that is left to the check of the table.
pub(crate) fn check_claim(certificate: &Certificate) -> Result<(), VerifyError> {
    let strict =
        matches!(certificate.subject, Subject::Table { .. }) && certificate.claim.tolerance == 0.0;
    check_follows(&certificate.claim, strict, certificate.witness.is_some())
}

/// The same for the claim alone: `strict` leaves the verdict to the rule of Definition 1.
pub(crate) fn check_follows(
    claim: &Claim,
    strict: bool,
    witnessed: bool,
) -> Result<(), VerifyError> {
    let Claim { verdict, kappa, everybody, tolerance } = *claim;
    check_interval("claim.kappa", kappa)?;
    check_interval("claim.everybody", everybody)?;
    if !(0.0..=LARGEST_TOLERANCE).contains(&tolerance) {
        let (field, must) = ("claim.tolerance".to_owned(), "between 0 and 0.1");
        return Err(VerifyError::Number { field, value: tolerance, must });
    }
    let follows = verdict_of(kappa, everybody, tolerance);
    if verdict != follows && !strict {
        return Err(VerifyError::Verdict { stated: verdict, follows });
    }
    if verdict == Verdict::Blocked && !witnessed {
        return Err(VerifyError::NoWitness);
    }
    Ok(())
}

/// The verdict by its definition. `kappa - 1` does not round where it is near the tolerance.
pub(crate) fn verdict_of(
    kappa: KappaInterval,
    everybody: KappaInterval,
    tolerance: f64,
) -> Verdict {
    let above = |end: f64| end - 1.0 > tolerance;
    if above(kappa.lo.0) {
        Verdict::Blocked
    } else if above(everybody.lo.0) {
        Verdict::Improvable
    } else if !above(kappa.hi.0) && !above(everybody.hi.0) {
        Verdict::Stable
    } else {
        Verdict::Undecided
    }
}

fn check_interval(field: &str, interval: KappaInterval) -> Result<(), VerifyError> {
    let (lo, hi) = (interval.lo.0, interval.hi.0);
    for (end, value) in [("lo", lo), ("hi", hi)] {
        if !(value >= 0.0) {
            let field = format!("{field}.{end}");
            return Err(VerifyError::Number { field, value, must: "a number >= 0" });
        }
    }
    if !(lo <= hi) {
        return Err(VerifyError::Interval { field: field.to_owned(), lo, hi });
    }
    Ok(())
}
