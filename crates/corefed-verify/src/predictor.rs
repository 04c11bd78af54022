//! The predictor under audit: shapes, ranges and the ball.

use corefed_core::{AgreedModel, Feature, OwnModel, Predictor};

use crate::enclosed::Enclosed;
use crate::place::Place;
use crate::{AttestedError, VerifyError, family};

/// Checks everything about the predictor at some place of a document that needs no data.
pub(crate) fn check_predictor(predictor: &Predictor, at: &str) -> Result<(), VerifyError> {
    let number = |field: &str, value, must| {
        Err(VerifyError::Number { field: format!("{at}.{field}"), value, must })
    };
    check_ball(at, predictor.radius, predictor.l2)?;
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

/// Checks a model of the agents' own: a name, a ball, and parameters in it.
pub(crate) fn check_own_model(own: &OwnModel, at: &str) -> Result<(), VerifyError> {
    if own.own.trim().is_empty() {
        return Err(AttestedError::ModelName { field: format!("{at}.own") }.into());
    }
    check_ball(at, own.radius, own.l2)?;
    let shape = Shape { parameters: own.parameters.len(), radius: own.radius };
    shape.check(&format!("{at}.parameters"), &own.parameters)
}

fn check_ball(at: &str, radius: f64, l2: f64) -> Result<(), VerifyError> {
    let number = |field: &str, value, must| {
        Err(VerifyError::Number { field: format!("{at}.{field}"), value, must })
    };
    if !(radius > 0.0 && radius.is_finite()) {
        return number("radius", radius, "positive and finite");
    }
    if !(l2 >= 0.0 && l2.is_finite()) {
        return number("l2", l2, "finite and >= 0");
    }
    Ok(())
}

/// Checks that parameters have the predictor's shape, are finite and lie in its ball.
pub(crate) fn check_parameters(
    predictor: &Predictor,
    field: &str,
    parameters: &[f64],
) -> Result<(), VerifyError> {
    Shape::of(predictor).check(field, parameters)
}

/// The same for the sum of a point and its correction, fields of `entry`.
pub(crate) fn check_place(
    predictor: &Predictor,
    entry: &str,
    point: &[f64],
    correction: Option<&[f64]>,
) -> Result<(), VerifyError> {
    let (shape, field) = (Shape::of(predictor), format!("{entry}.point"));
    shape.check_point(&field, point)?;
    if let Some(correction) = correction {
        shape.check_point(&format!("{entry}.correction"), correction)?;
    }
    shape.check_in_ball(&field, Place::corrected(point, correction))
}

/// What parameters of a model look like, and where they lie.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    parameters: usize,
    radius: f64,
}

impl Shape {
    fn of(predictor: &Predictor) -> Self {
        let features = predictor.encoding.features.len();
        let blocks = family::blocks(predictor.family, predictor.encoding.classes.len());
        // Saturation is refused by `check_point`: no list is that long.
        Self { parameters: features.saturating_mul(blocks), radius: predictor.radius }
    }

    /// That of a model of either kind.
    pub(crate) fn agreed(model: &AgreedModel) -> Self {
        match model {
            AgreedModel::Known(predictor) => Self::of(predictor),
            AgreedModel::Own(own) => Self { parameters: own.parameters.len(), radius: own.radius },
        }
    }

    /// Checks that parameters have this shape, are finite and lie in the ball.
    pub(crate) fn check(self, field: &str, parameters: &[f64]) -> Result<(), VerifyError> {
        self.check_point(field, parameters)?;
        self.check_in_ball(field, Place::from(parameters))
    }

    fn check_in_ball(self, field: &str, place: Place<'_>) -> Result<(), VerifyError> {
        let radius = self.radius;
        if place.square().hi() <= Enclosed::exact(radius).square().lo() {
            return Ok(());
        }
        let (field, norm) = (field.to_owned(), place.square().sqrt().value());
        Err(VerifyError::OutsideBall { field, norm, radius })
    }

    fn check_point(self, field: &str, point: &[f64]) -> Result<(), VerifyError> {
        let expected = self.parameters;
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
}
