//! Which scale to use, and why in one sentence.

use corefed_documents::{CeilingPoint, Recommended, Threshold};
use corefed_spec::Ceiling;

use super::tried::Tried;
use crate::RunError;

/// Digits that people type.
const DIGITS: [i32; 5] = [2, 3, 4, 5, 6];

/// A scale of one where it is certified and about something, because it has a meaning of its own; else half-way,
/// by ratio, between where the core predictor is stable and where the question is empty. `None` where no scale is
/// certified, and when stopped.
pub(super) fn recommend(
    tried: &mut Tried<'_>,
    policy: &Ceiling,
    stable: &Threshold,
    empty: &Threshold,
) -> Result<Option<Recommended>, RunError> {
    let Some(from) = stable.from else { return Ok(None) };
    if let Some(meaning) = policy.word().and_then(|word| word.compares_with).filter(|_| from <= 1.0)
    {
        let Some(point) = tried.at(1.0)? else { return Ok(None) };
        if Tried::answers(&point) {
            let reason = format!(
                "the core predictor is certified stable there, a utility is what the agent gains over \
                 {meaning}, and perfection would still give a group x{:.2} of what it needs (headroom)",
                point.headroom.0
            );
            return Ok(Some(of(policy, 1.0, reason)));
        }
    }
    // The largest scale tried at which the question is not empty.
    let Some(until) = empty.not_at.filter(|until| *until >= from) else {
        let reason = "it is the smallest scale tried from which on the core predictor is certified stable, \
                      but only because no group could leave there whatever it did: the answer says nothing";
        return Ok(Some(of(policy, from, reason.to_owned())));
    };
    let middle = (from * until).sqrt();
    for digits in DIGITS {
        let scale = rounded(middle, digits);
        if !(from..=until).contains(&scale) {
            continue;
        }
        let Some(point) = tried.at(scale)? else { return Ok(None) };
        if Tried::answers(&point) {
            return Ok(Some(of(policy, scale, half_way(&point, from, until, empty.from))));
        }
    }
    let reason =
        "it is the smallest scale tried from which on the core predictor is certified stable";
    Ok(Some(of(policy, from, reason.to_owned())))
}

fn half_way(point: &CeilingPoint, from: f64, until: f64, empty: Option<f64>) -> String {
    let end = match empty {
        Some(_) => format!("where the question becomes empty ({until:.4})"),
        None => format!("the largest scale tried ({until:.4})"),
    };
    format!(
        "it lies half-way between where the core predictor is found stable ({from:.4}) and {end}: certified \
         stable there, and perfection would still give a group x{:.2} of what it needs (headroom)",
        point.headroom.0
    )
}

fn of(policy: &Ceiling, scale: f64, reason: String) -> Recommended {
    let ceiling = policy.with_factor(scale).map(|ceiling| ceiling.to_string());
    Recommended { scale, ceiling, reason }
}

/// This many significant digits.
fn rounded(value: f64, digits: i32) -> f64 {
    #[expect(clippy::cast_possible_truncation, reason = "an exponent")]
    let shift = digits - 1 - value.log10().floor() as i32;
    // The shortest decimal, which a product of powers need not be.
    let scaled = (value * 10_f64.powi(shift)).round();
    format!("{scaled}e{}", -shift).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_rounded_to_what_people_type() {
        assert_eq!(rounded(1.2345, 2).to_string(), "1.2");
        assert_eq!(rounded(0.076_54, 3).to_string(), "0.0765");
        assert_eq!(rounded(98_765.0, 2).to_string(), "99000");
    }
}
