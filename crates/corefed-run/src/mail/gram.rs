//! Least squares in one file: products of an agent's columns, and its loss in any encoding from these.

use corefed_core::{Encoding, Family, Feature, TargetScale};
use corefed_data::{EncodeOptions, Table, TableSummary, apply};
use corefed_model::{Quadratic, QuadraticLosses};
use serde::{Deserialize, Serialize};

use crate::RunError;

/// Sums of products of an agent's columns, each centred at its own mean so that no digits are lost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct OwnGram {
    /// The columns: those of numbers, levels, a one, and then the target, which is not listed.
    pub features: Vec<Feature>,
    /// The mean of the target, which is centred, too.
    pub target_mean: f64,
    /// The lower triangle of sums of products, row by row.
    pub products: Vec<f64>,
}

impl OwnGram {
    /// `None` where cells are missing: what fills them depends on all agents.
    pub(super) fn of(
        table: &Table,
        told: &TableSummary,
        options: &EncodeOptions,
    ) -> Result<Option<Self>, RunError> {
        let holes = |numbers: &corefed_data::ColumnMoments| numbers.present < numbers.rows;
        if told.columns.iter().filter_map(|column| column.numbers.as_ref()).any(holes) {
            return Ok(None);
        }
        let (mut features, mut levels) = (Vec::new(), Vec::new());
        for column in &told.columns {
            let name = &column.column;
            match column.numbers {
                Some(numbers) => features.push(Feature::Numeric {
                    column: name.clone(),
                    mean: numbers.mean,
                    scale: 1.0,
                    missing: None,
                }),
                None => levels.extend(
                    column
                        .levels
                        .iter()
                        .map(|level| Feature::Level { column: name.clone(), level: level.clone() }),
                ),
            }
        }
        features.append(&mut levels);
        features.push(Feature::Intercept);
        let target_mean = told.target.map_or(0.0, |target| target.mean);
        let encoding = Encoding {
            agent_column: options.agent_column.clone(),
            target_column: options.target_column.clone(),
            exposure_column: None,
            classes: Vec::new(),
            target_scale: Some(TargetScale { mean: target_mean, scale: 1.0 }),
            intake: told.intake.clone(),
            features: features.clone(),
        };
        let rows = apply(table, &encoding, Family::Linear)?;
        let (design, dim) = (rows.design(), features.len() + 1);
        let mut products = vec![0.0; dim * (dim + 1) / 2];
        let mut row = vec![0.0; dim];
        for (k, target) in rows.target().iter().enumerate() {
            row.fill(0.0);
            let dense = design.dense_rows(k..k + 1);
            row[..dense.len()].copy_from_slice(dense);
            for &on in design.hot_rows(k..k + 1) {
                row[on as usize] = 1.0;
            }
            row[dim - 1] = *target;
            let mut sums = products.iter_mut();
            for i in 0..dim {
                // Sums come second: a pair that is not made must not cost one.
                for (other, sum) in row[..=i].iter().zip(&mut sums) {
                    *sum += row[i] * other;
                }
            }
        }
        Ok(Some(Self { features, target_mean, products }))
    }

    /// Whether the numbers fit the columns.
    pub(super) fn is_whole(&self) -> bool {
        let dim = self.features.len() + 1;
        self.products.len() == dim * (dim + 1) / 2
            && self.products.iter().all(|product| product.is_finite())
    }

    /// The mean loss over `rows` rows in an encoding of all agents, with ridge (ledger E94).
    pub(super) fn losses(&self, encoding: &Encoding, rows: usize, l2: f64) -> QuadraticLosses {
        let own = self.features.len() + 1;
        let at = |i: usize, j: usize| {
            let (i, j) = (i.max(j), i.min(j));
            self.products[i * (i + 1) / 2 + j] / rows as f64
        };
        let changes: Vec<Vec<(usize, f64)>> = self.changes(encoding);
        let product = |a: &[(usize, f64)], b: &[(usize, f64)]| -> f64 {
            a.iter().flat_map(|(i, p)| b.iter().map(move |(j, q)| p * q * at(*i, *j))).sum()
        };
        let dim = encoding.features.len();
        debug_assert!(changes.iter().flatten().all(|(place, _)| *place < own));
        let mut matrix = vec![0.0; dim * dim];
        for i in 0..dim {
            for j in 0..=i {
                let value = product(&changes[i], &changes[j]);
                (matrix[i * dim + j], matrix[j * dim + i]) = (value, value);
            }
            matrix[i * dim + i] += 0.5 * l2;
        }
        let target = &changes[dim];
        let linear = changes[..dim].iter().map(|change| product(change, target)).collect();
        let constant = product(target, target);
        QuadraticLosses::new(dim, vec![Quadratic { matrix, linear, constant }], l2)
    }

    /// Every feature of the encoding, and then its target, as sums of multiples of own columns.
    fn changes(&self, encoding: &Encoding) -> Vec<Vec<(usize, f64)>> {
        let (one, target) = (self.features.len() - 1, self.features.len());
        let find = |wanted: &dyn Fn(&Feature) -> bool| self.features.iter().position(wanted);
        let feature = |feature: &Feature| match feature {
            Feature::Intercept => vec![(one, 1.0)],
            Feature::Level { .. } => {
                // A level that does not occur here is zero in every row.
                find(&|own| own == feature).map(|place| (place, 1.0)).into_iter().collect()
            }
            Feature::Numeric { column, mean, scale, .. } => {
                let place = find(
                    &|own| matches!(own, Feature::Numeric { column: name, .. } if name == column),
                );
                let own_mean = |place: usize| match &self.features[place] {
                    Feature::Numeric { mean, .. } => *mean,
                    _ => 0.0,
                };
                place.map_or_else(Vec::new, |place| {
                    vec![(place, 1.0 / scale), (one, (own_mean(place) - mean) / scale)]
                })
            }
        };
        let TargetScale { mean, scale } =
            encoding.target_scale.unwrap_or(TargetScale { mean: 0.0, scale: 1.0 });
        let told = vec![(target, 1.0 / scale), (one, (self.target_mean - mean) / scale)];
        encoding.features.iter().map(feature).chain([told]).collect()
    }
}

#[cfg(test)]
mod tests {
    use corefed_data::{apply_own, own_table};
    use corefed_model::{ConvexLosses, convex_losses};

    use super::*;

    #[test]
    fn products_of_columns_give_the_loss_in_any_encoding() {
        let csv = "x,colour,y\n1,red,10\n2,blue,11.5\n4,red,9\n-3,green,20\n";
        let table = Table::parse("own.csv", csv.as_bytes()).unwrap();
        let options = EncodeOptions::new("who", "y", Family::Linear);
        let own = own_table(&table, "who", Some("north")).unwrap();
        let told = corefed_data::summarise(&own, &options).unwrap();
        let gram = OwnGram::of(&own, &told, &options).unwrap().expect("no holes");
        assert!(gram.is_whole());
        // An encoding of others: another mean and scale, a level that does not occur here, one that is not known.
        let level =
            |level: &str| Feature::Level { column: "colour".to_owned(), level: level.to_owned() };
        let numeric =
            Feature::Numeric { column: "x".to_owned(), mean: 7.0, scale: 3.0, missing: None };
        let encoding = Encoding {
            agent_column: "who".to_owned(),
            target_column: "y".to_owned(),
            exposure_column: None,
            classes: Vec::new(),
            target_scale: Some(TargetScale { mean: 4.0, scale: 2.5 }),
            intake: told.intake.clone(),
            features: vec![
                numeric,
                level("blue"),
                level("green"),
                level("red"),
                level("violet"),
                Feature::Intercept,
            ],
        };
        let rows = apply_own(&table, &encoding, Family::Linear, Some("north")).unwrap();
        let direct = convex_losses(&rows, Family::Linear, 0, 0.3);
        let derived = gram.losses(&encoding, 4, 0.3);
        for params in [[0.0; 6], [0.5, -1.0, 2.0, 0.25, 3.0, 1.0], [-2.0, 0.0, 1.0, 0.0, 0.0, 4.0]]
        {
            let (mut one, mut other) = ([0.0], [0.0]);
            let (mut slope, mut same) = (vec![0.0; 6], vec![0.0; 6]);
            direct.gradients(&params, &[0], &mut one, &mut slope);
            derived.gradients(&params, &[0], &mut other, &mut same);
            assert!((one[0] - other[0]).abs() < 1e-12 * one[0].abs().max(1.0), "{one:?} {other:?}");
            for (a, b) in slope.iter().zip(&same) {
                assert!((a - b).abs() < 1e-11, "{slope:?} {same:?}");
            }
        }
    }
}
