//! Small federations for the unit tests.

use corefed_core::{Encoding, Family, Feature, Predictor};
use corefed_data::{Agent, Design, Federation};

/// One agent per row.
pub(crate) fn federation(rows: &[(&[f64], f64)]) -> Federation {
    let values = rows.iter().flat_map(|(x, _)| x.iter().copied()).collect();
    let design = Design::dense(rows.len(), rows[0].0.len(), values).unwrap();
    let agents = (0..rows.len()).map(|i| Agent { name: format!("agent-{i}"), rows: i..i + 1 });
    Federation::new(design, rows.iter().map(|(_, y)| *y).collect(), agents.collect())
}

/// A predictor with radius 2 and without a penalty.
pub(crate) fn predictor(family: Family, classes: usize, parameters: &[f64]) -> Predictor {
    let columns = parameters.len() / family.blocks(classes).max(1);
    Predictor {
        family,
        l2: 0.0,
        radius: 2.0,
        encoding: Encoding {
            agent_column: "agent".to_owned(),
            target_column: "y".to_owned(),
            classes: (0..classes).map(|k| k.to_string()).collect(),
            features: vec![Feature::Intercept; columns.max(1)],
        },
        parameters: parameters.to_vec(),
    }
}
