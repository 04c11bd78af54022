//! The claim: does the verdict follow from the interval?

use corefed_core::{Certificate, Subject, Verdict};

use crate::VerifyError;

/// Beyond this slack `stable` would say nothing.
const LARGEST_EPSILON: f64 = 0.1;

/// Reads the verdict off the interval again.
///
/// Against a ball, stable means `kappa <= 1 + epsilon` and blocked the opposite. A table is decided
/// by the strict rule of Definition 1 without any slack, under which `kappa = 1` may be either.
pub(crate) fn check_claim(certificate: &Certificate) -> Result<(), VerifyError> {
    let claim = &certificate.claim;
    let (lo, hi, epsilon) = (claim.kappa.lo.0, claim.kappa.hi.0, claim.epsilon);
    let number = |field: &str, value, must| {
        Err(VerifyError::Number { field: field.to_owned(), value, must })
    };
    if !(lo >= 0.0) {
        return number("claim.kappa.lo", lo, "a number >= 0");
    }
    if !(hi >= 0.0) {
        return number("claim.kappa.hi", hi, "a number >= 0");
    }
    if !(lo <= hi) {
        return Err(VerifyError::Interval { lo, hi });
    }
    if !(0.0..=LARGEST_EPSILON).contains(&epsilon) {
        return number("claim.epsilon", epsilon, "between 0 and 0.1");
    }
    let follows = if matches!(certificate.subject, Subject::Table { .. }) {
        if epsilon != 0.0 {
            return number("claim.epsilon", epsilon, "0 for a table, which is decided exactly");
        }
        exact_verdict(claim.verdict, lo, hi)
    } else if lo > 1.0 + epsilon {
        Verdict::Blocked
    } else if hi <= 1.0 + epsilon {
        Verdict::Stable
    } else {
        Verdict::Undecided
    };
    if claim.verdict != follows {
        return Err(VerifyError::Verdict { stated: claim.verdict, follows, lo, hi });
    }
    if follows == Verdict::Blocked && certificate.witness.is_none() {
        return Err(VerifyError::NoWitness);
    }
    Ok(())
}

/// The verdict of an exact interval; the stated one decides only where both are possible.
fn exact_verdict(stated: Verdict, lo: f64, hi: f64) -> Verdict {
    if lo > 1.0 {
        Verdict::Blocked
    } else if hi < 1.0 {
        Verdict::Stable
    } else if lo == 1.0 && hi == 1.0 && stated == Verdict::Blocked {
        Verdict::Blocked
    } else if hi <= 1.0 {
        Verdict::Stable
    } else {
        Verdict::Undecided
    }
}
