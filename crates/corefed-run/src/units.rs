//! Units of coefficients: of cells as they are, or of standardised columns.

use corefed_core::Feature;

/// Which columns parameters by name multiply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Units {
    /// Cells as they are.
    Raw,
    /// Cells minus the column's mean, divided by its deviation.
    Standardised,
}

/// Parameters for raw cells, as those for standardised ones: with `z = (x - mean) / scale`,
/// `b x = (b scale) z + b mean`, and the constant goes to the intercept (ledger E76).
pub(crate) fn standardise(block: &mut [f64], features: &[Feature]) -> Result<(), String> {
    let mut shift = 0.0;
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
            return Err(
                "parameters in raw units need an intercept, because columns are centred".to_owned()
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let mut block = [0.7, -2.0, 0.1];
        standardise(&mut block, &features).unwrap();
        let at = block[0] + 2.0 * block[1] + block[2];
        assert!((at - (0.7 * 5.0 + 0.1)).abs() < 1e-12, "{at}");
        assert!(standardise(&mut [1.0, 1.0], &features[..2]).is_err());
        assert!(standardise(&mut [0.0, 0.0], &features[..2]).is_ok());
    }
}
