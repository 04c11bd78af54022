//! Encoded rows written back as a table that anybody can read.
//!
//! Corruptions act on encoded rows; written back, a corrupted federation is an ordinary file that can
//! be solved, audited and certified like any other.

use corefed_core::{Encoding, Feature};

use crate::{Federation, TargetKind};

/// The rows of a federation as CSV text: the agent column, the raw columns behind the features, the
/// exposure where there is one, and the target.
///
/// Numbers are rounded to twelve digits of the size of their column: standardising and undoing it
/// costs a few of the last bits, and `39` should not come back as `38.99999999999999`.
#[must_use]
pub fn decode(encoding: &Encoding, federation: &Federation) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let columns = columns(encoding);
    let mut record = vec![encoding.agent_column.clone()];
    record.extend(columns.iter().map(|column| column.name.to_owned()));
    record.extend(encoding.exposure_column.clone());
    record.push(encoding.target_column.clone());
    write(&mut writer, &record);
    let design = federation.design();
    for agent in federation.agents() {
        for row in agent.rows.clone() {
            let dense = design.dense_rows(row..row + 1);
            let hot = design.hot_rows(row..row + 1);
            record.clear();
            record.push(agent.name.clone());
            record.extend(columns.iter().map(|column| column.cell(encoding, dense, hot)));
            let exposure = federation.exposure(row..row + 1).first();
            record.extend(exposure.map(f64::to_string));
            record.push(target(encoding, federation.target()[row]));
            write(&mut writer, &record);
        }
    }
    // Writing to memory cannot fail, and cells are UTF-8.
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn write(writer: &mut csv::Writer<Vec<u8>>, record: &[String]) {
    // Writing to memory cannot fail, and all records have one length.
    let _ = writer.write_record(record);
}

/// A raw column behind one numeric feature or one group of levels.
struct Column<'a> {
    name: &'a str,
    source: Source,
}

enum Source {
    Dense(usize),
    Hot(usize),
}

fn columns(encoding: &Encoding) -> Vec<Column<'_>> {
    let mut columns: Vec<Column<'_>> = Vec::new();
    let (mut dense, mut hot) = (0, 0);
    for feature in &encoding.features {
        match feature {
            Feature::Numeric { column, .. } => {
                columns.push(Column { name: column, source: Source::Dense(dense) });
                dense += 1;
            }
            Feature::Level { column, .. } => {
                let seen = columns.last().is_some_and(|last| last.name == column);
                if !seen {
                    columns.push(Column { name: column, source: Source::Hot(hot) });
                    hot += 1;
                }
            }
            Feature::Intercept => {}
        }
    }
    columns
}

impl Column<'_> {
    fn cell(&self, encoding: &Encoding, dense: &[f64], hot: &[u32]) -> String {
        match self.source {
            Source::Dense(k) => match &encoding.features[k] {
                Feature::Numeric { mean, scale, .. } => {
                    number(dense[k] * scale + mean, mean.abs().max(*scale))
                }
                Feature::Level { .. } | Feature::Intercept => String::new(),
            },
            Source::Hot(k) => match &encoding.features[hot[k] as usize] {
                Feature::Level { level, .. } => level.clone(),
                Feature::Numeric { .. } | Feature::Intercept => String::new(),
            },
        }
    }
}

fn target(encoding: &Encoding, value: f64) -> String {
    match TargetKind::of(encoding) {
        TargetKind::Number => match encoding.target_scale {
            Some(scale) => number(scale.restore(value), scale.mean.abs().max(scale.scale)),
            None => value.to_string(),
        },
        TargetKind::Class { .. } => {
            let class = encoding.classes.iter().enumerate().find(|(k, _)| *k as f64 == value);
            class.map(|(_, text)| text.clone()).unwrap_or_default()
        }
    }
}

/// A number of a column of this size.
#[expect(clippy::cast_possible_truncation, reason = "the exponent is clamped")]
fn number(value: f64, size: f64) -> String {
    let step =
        10_f64.powi(size.abs().max(value.abs()).log10().ceil().clamp(-280.0, 280.0) as i32 - 12);
    let rounded = (value / step).round() * step;
    // The shortest text within half a step.
    (0..=17)
        .map(|digits| format!("{rounded:.digits$e}").parse::<f64>().unwrap_or(value))
        .find(|shorter| (shorter - rounded).abs() <= 0.5 * step)
        .unwrap_or(value)
        .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EncodeOptions, Table, fit};
    use corefed_core::Family;

    #[test]
    fn decoding_undoes_encoding() {
        let text = "who,age,\"a,b\",sex,y\nA,39,0.1,m,yes\nA,50,0.2,f,no\nB,38,-7.25,f,yes\nB,1e9,3,m,no\n";
        let table = Table::parse("t.csv", text.as_bytes()).unwrap();
        let options = EncodeOptions {
            agent_column: "who".into(),
            target_column: "y".into(),
            exposure_column: None,
            family: Family::Logistic,
            intercept: true,
            raw: false,
            l2: 1.0,
            allow: crate::Checks::default(),
            missing: crate::Missing::Error,
            written: corefed_core::Writing::default(),
            na: Vec::new(),
            types: Vec::new(),
        };
        let encoded = fit(&table, &options).unwrap();
        let back = decode(&encoded.encoding, &encoded.federation);
        assert_eq!(back, text.replace("1e9", "1000000000"));
    }
}
