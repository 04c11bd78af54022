//! The predictor under audit: shapes, ranges and the ball.

use corefed_core::{Feature, Predictor};

use crate::enclosed::Enclosed;
use crate::place::Place;
use crate::{VerifyError, family};

/// Checks everything about the predictor at some place of a document that needs no data.
pub(crate) fn check_predictor(predictor: &Predictor, at: &str) -> Result<(), VerifyError> {
    let number = |field: &str, value, must| {
        Err(VerifyError::Number { field: format!("{at}.{field}"), value, must })
    };
    if !(predictor.radius > 0.0 && predictor.radius.is_finite()) {
        return number("radius", predictor.radius, "positive and finite");
    }
    if !(predictor.l2 >= 0.0 && predictor.l2.is_finite()) {
        return number("l2", predictor.l2, "finite and >= 0");
    }
    if predictor.encoding.exposure_column.is_some() && !family::takes_exposure(predictor.family) {
        let field = format!("{at}.encoding.exposure_column");
        return Err(VerifyError::Misplaced { field, about: "a model without exposures" });
    }
    let classes = predictor.encoding.classes.len();
    let (expected, most) = family::classes(predictor.family);
    if !(expected..=most).contains(&classes) {
        let field = format!("{at}.encoding.classes");
        return Err(VerifyError::Length { field, expected, found: classes });
    }
    for (k, feature) in predictor.encoding.features.iter().enumerate() {
        if let Feature::Numeric { mean, scale, missing, .. } = feature {
            if let Some(value) = missing.filter(|value| !value.is_finite()) {
                return number(&format!("encoding.features[{k}].missing"), value, "finite");
            }
            if !mean.is_finite() {
                return number(&format!("encoding.features[{k}].mean"), *mean, "finite");
            }
            if !(*scale > 0.0 && scale.is_finite()) {
                let must = "positive and finite";
                return number(&format!("encoding.features[{k}].scale"), *scale, must);
            }
        }
    }
    check_parameters(predictor, &format!("{at}.parameters"), &predictor.parameters)
}

/// Checks that parameters have the predictor's shape, are finite and lie in its ball.
pub(crate) fn check_parameters(
    predictor: &Predictor,
    field: &str,
    parameters: &[f64],
) -> Result<(), VerifyError> {
    check_point(predictor, field, parameters)?;
    check_in_ball(predictor, field, Place::from(parameters))
}

/// The same for the sum of a point and its correction, fields of `entry`.
pub(crate) fn check_place(
    predictor: &Predictor,
    entry: &str,
    point: &[f64],
    correction: Option<&[f64]>,
) -> Result<(), VerifyError> {
    let field = format!("{entry}.point");
    check_point(predictor, &field, point)?;
    if let Some(correction) = correction {
        check_point(predictor, &format!("{entry}.correction"), correction)?;
    }
    check_in_ball(predictor, &field, Place::corrected(point, correction))
}

fn check_in_ball(predictor: &Predictor, field: &str, place: Place<'_>) -> Result<(), VerifyError> {
    let radius = predictor.radius;
    if place.square().hi() <= Enclosed::exact(radius).square().lo() {
        return Ok(());
    }
    let (field, norm) = (field.to_owned(), place.square().sqrt().value());
    Err(VerifyError::OutsideBall { field, norm, radius })
}

/// Whether `|parameters| <= radius` is proven.
#[must_use]
pub fn lies_in_ball(parameters: &[f64], radius: f64) -> bool {
    Place::from(parameters).square().hi() <= Enclosed::exact(radius).square().lo()
}

/// Checks that a point has the predictor's shape and is finite.
fn check_point(predictor: &Predictor, field: &str, point: &[f64]) -> Result<(), VerifyError> {
    let features = predictor.encoding.features.len();
    let blocks = family::blocks(predictor.family, predictor.encoding.classes.len());
    // Saturation is refused below: no list is that long.
    let expected = features.saturating_mul(blocks);
    if point.len() != expected || expected == 0 {
        let (field, found) = (field.to_owned(), point.len());
        return Err(VerifyError::Length { field, expected: expected.max(1), found });
    }
    match point.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(k) => Err(VerifyError::Number {
            field: format!("{field}[{k}]"),
            value: point[k],
            must: "finite",
        }),
    }
}
