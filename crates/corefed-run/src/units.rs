//! Units of coefficients: of cells as they are, or of standardised columns.

use corefed_core::{Choice, Encoding, Feature};

use crate::PredictorFault;

/// Which columns parameters by name multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Cells as they are, the target's too.
    Raw,
    /// Cells minus the column's mean, divided by its deviation; the target as the model has it.
    Standardised,
}

impl Choice for Units {
    const WORDS: &'static [(Self, &'static str, &'static str)] = &[
        (Self::Raw, "raw", "As the cells of the data are"),
        (
            Self::Standardised,
            "standardised",
            "Column minus mean, divided by the population's deviation",
        ),
    ];
}

/// Parameters for raw cells, as those for standardised ones: with `z = (x - mean) / scale`,
/// `b x = (b scale) z + b mean`, and the constant goes to the intercept. Where the target is standardised, too
/// (E70), its mean comes off there and everything is divided by its deviation (ledger E76).
pub(crate) fn standardise(block: &mut [f64], encoding: &Encoding) -> Result<(), PredictorFault> {
    let features = &encoding.features;
    let mut shift = encoding.target_scale.map_or(0.0, |target| -target.mean);
    for (value, feature) in block.iter_mut().zip(features) {
        if let Feature::Numeric { mean, scale, .. } = feature {
            shift += *value * mean;
            *value *= scale;
        }
    }
    let intercept = features.iter().position(|feature| matches!(feature, Feature::Intercept));
    match intercept {
        Some(at) => block[at] += shift,
        None if shift == 0.0 => {}
        None => {
            return Err(PredictorFault::NoIntercept);
        }
    }
    if let Some(target) = encoding.target_scale {
        for value in block {
            *value /= target.scale;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use corefed_core::TargetScale;

    fn encoding(features: &[Feature], target_scale: Option<TargetScale>) -> Encoding {
        Encoding {
            agent_column: "agent".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: None,
            classes: Vec::new(),
            features: features.to_vec(),
            intake: corefed_core::Intake::default(),
            target_scale,
        }
    }

    #[test]
    fn raw_coefficients_predict_the_same() {
        let numeric = |column: &str, mean, scale| Feature::Numeric {
            column: column.to_owned(),
            mean,
            scale,
            missing: None,
        };
        let features = [numeric("a", 3.0, 2.0), numeric("b", -1.0, 0.5), Feature::Intercept];
        // 0.7 a - 2 b + 0.1 at a = 5, b = 0, where z is (5 - 3)/2 = 1 and (0 + 1)/0.5 = 2.
        let raw = [0.7, -2.0, 0.1];
        let at = |block: [f64; 3]| block[0] + 2.0 * block[1] + block[2];
        let mut block = raw;
        standardise(&mut block, &encoding(&features, None)).unwrap();
        assert!((at(block) - (0.7 * 5.0 + 0.1)).abs() < 1e-12, "{}", at(block));
        // A target with mean 10 and deviation 4: 3.6 is -1.6 deviations from the mean.
        let target = TargetScale { mean: 10.0, scale: 4.0 };
        let mut block = raw;
        standardise(&mut block, &encoding(&features, Some(target))).unwrap();
        assert!((at(block) + 1.6).abs() < 1e-12, "{}", at(block));
        let bare = encoding(&features[..2], None);
        assert!(standardise(&mut [1.0, 1.0], &bare).is_err());
        assert!(standardise(&mut [0.0, 0.0], &bare).is_ok());
    }
}
