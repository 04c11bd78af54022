//! An encoding that agents agree on without showing rows.
//!
//! Each agent tells, per column, what a common encoding depends on: how many numbers there are with their mean,
//! squares and range, or which texts occur. [`agree`] makes the encoding from these (ledger E93).

use std::collections::BTreeSet;

use corefed_core::{Encoding, Intake, TargetScale, UsedRows};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::columns::{Column, number};
use super::features::Learnt;
use super::moments::{ColumnMoments, MOST_ROWS, Moments};
use super::schema::Schema;
use super::{EncodeOptions, intake, target};
use crate::check::Check;
use crate::error::DataError;
use crate::{FitError, Numbering, Table};

/// What one agent tells about its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TableSummary {
    /// Rows that are used.
    pub rows: usize,
    /// Classes of the target that occur; none for a target that is a number.
    pub classes: Vec<String>,
    /// How many rows each of them has: with it the best common constant is known.
    pub class_rows: Vec<usize>,
    /// A target that is a number.
    pub target: Option<ColumnMoments>,
    /// What is done to cells before they are encoded.
    pub intake: Intake,
    /// Columns that make features, in the order of the file.
    pub columns: Vec<ColumnSummary>,
}

/// What one agent tells about one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ColumnSummary {
    /// Its name.
    pub column: String,
    /// Of a column of numbers.
    pub numbers: Option<ColumnMoments>,
    /// The texts that occur, sorted; none in a column of numbers.
    pub levels: Vec<String>,
}

/// Tells what a common encoding depends on; `given` has a column of agents, see
/// [`own_table`](super::own_table).
pub fn summarise(given: &Table, asked: &EncodeOptions) -> Result<TableSummary, DataError> {
    // What is constant, or of one class, at one agent need not be at another.
    let own = EncodeOptions { allow: Check::ALL.into_iter().collect(), ..asked.clone() };
    let intake::Taken { table, options, intake, .. } = intake::take(given, &own)?;
    let schema = Schema::of(&table, &options)?;
    let classes = target::own(&table, schema.target, &options)?;
    let is_class = options.family.targets().is_class();
    let class_rows = target::count(&table, schema.target, &classes);
    let target = if is_class {
        None
    } else {
        let cells = (0..table.rows()).map(|row| number(&table, row, schema.target));
        Some(ColumnMoments::of(cells.collect::<Result<Vec<f64>, _>>()?.into_iter()))
    };
    let mut columns = Vec::new();
    for index in schema.features() {
        let kind = schema.types[index];
        let (column, tally) = Column::of(&table, index, kind, options.missing)?;
        let name = table.columns()[index].clone();
        let told = match column {
            Column::Numbers(values) => ColumnSummary {
                column: name,
                numbers: Some(ColumnMoments::of(values.into_iter())),
                levels: Vec::new(),
            },
            Column::Levels(texts) => {
                let counts = (tally.holes(kind), tally.present());
                let suspected =
                    Learnt::default().levels(&name, texts.iter().copied(), counts, &options);
                suspected.map_err(|flaw| flaw.error(&table, index))?;
                let levels = texts.iter().map(|text| (*text).to_owned()).collect();
                ColumnSummary { column: name, numbers: None, levels }
            }
            Column::Ignored => continue,
        };
        columns.push(told);
    }
    Ok(TableSummary { rows: table.rows(), classes, class_rows, target, intake, columns })
}

impl TableSummary {
    /// A column whose numbers no rows could have.
    fn impossible(&self, options: &EncodeOptions) -> Option<String> {
        let columns = self.columns.iter().map(|told| (&told.column, told.numbers.as_ref()));
        let target = (&options.target_column, self.target.as_ref());
        let bad = |numbers: Option<&ColumnMoments>| {
            self.rows > MOST_ROWS || numbers.is_some_and(|numbers| !numbers.is_possible())
        };
        let found = columns.chain([target]).find(|(_, numbers)| bad(*numbers));
        found.map(|(column, _)| column.clone())
    }
}

/// Why summaries do not make one encoding.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AgreeError {
    /// There are none.
    #[error("there are no summaries")]
    Nobody,
    /// One has a column that another has not, or not as the same thing.
    #[error("column `{column}` is {first} at `{one}` and {second} at `{other}`")]
    Columns {
        /// The column.
        column: String,
        /// What the first agent has.
        first: &'static str,
        /// Who that is.
        one: String,
        /// What the other has.
        second: &'static str,
        /// Who that is.
        other: String,
    },
    /// Words for missing cells, or columns of dates, differ.
    #[error("`{one}` and `{other}` read cells differently (`@na`, or columns of dates)")]
    Intake {
        /// An agent.
        one: String,
        /// Another.
        other: String,
    },
    /// A summary says what no rows could have.
    #[error("the summary of `{agent}` is impossible: column `{column}`")]
    Impossible {
        /// The agent.
        agent: String,
        /// The column.
        column: String,
    },
    /// All agents together do not make a table that can be encoded.
    #[error(transparent)]
    Fit(#[from] Box<DataError>),
}

/// The encoding of all agents together, whose names are for messages. `options` name columns, family and
/// whether there is an intercept.
pub fn agree(
    summaries: &[(&str, &TableSummary)],
    options: &EncodeOptions,
) -> Result<Encoding, AgreeError> {
    let [(one, first), others @ ..] = summaries else { return Err(AgreeError::Nobody) };
    for (agent, told) in summaries {
        if let Some(column) = told.impossible(options) {
            return Err(AgreeError::Impossible { agent: (*agent).to_owned(), column });
        }
    }
    let mut intake = first.intake.clone();
    for (other, told) in others {
        let same = told.intake.na == intake.na && told.intake.dates == intake.dates;
        if !same {
            return Err(AgreeError::Intake { one: (*one).to_owned(), other: (*other).to_owned() });
        }
        same_columns((one, first), (other, told))?;
        intake.rows = stricter(intake.rows, told.intake.rows);
    }
    let fit = |error: DataError| AgreeError::Fit(Box::new(error));
    let header: Vec<String> = first.columns.iter().map(|column| column.column.clone()).collect();
    let nobody = Table::excerpt("summaries", &header, Numbering::Rows);
    let mut learnt = Learnt::default();
    for (k, column) in first.columns.iter().enumerate() {
        let all = || summaries.iter().map(|(_, told)| &told.columns[k]);
        let flaw = if column.numbers.is_some() {
            let numbers = all().filter_map(|column| column.numbers.as_ref());
            let moments = numbers.fold(ColumnMoments::NONE, ColumnMoments::with);
            let holes = moments.holes();
            learnt.numeric(&column.column, Moments::from(&moments), holes, options)
        } else {
            let texts: BTreeSet<&str> =
                all().flat_map(|column| &column.levels).map(String::as_str).collect();
            let holes = usize::from(texts.contains(""));
            // Looked at by each agent, with the counts that only it has.
            let texts: Vec<&str> = texts.into_iter().collect();
            learnt.levels(&column.column, texts.iter().copied(), (holes, usize::MAX), options)
        };
        flaw.map_err(|flaw| fit(flaw.error(&nobody, k)))?;
    }
    let (features, _) = learnt.features("summaries", options).map_err(|e| fit(e.into()))?;
    let moments = summaries.iter().filter_map(|(_, told)| told.target.as_ref());
    let moments = moments.fold(ColumnMoments::NONE, ColumnMoments::with);
    let quantity = !options.raw && options.family.facts().quadratic;
    let target_scale = match Moments::from(&moments) {
        Moments::Spread { mean, deviation } if quantity => {
            Some(TargetScale { mean, scale: deviation })
        }
        _ => None,
    };
    Ok(Encoding {
        agent_column: options.agent_column.clone(),
        target_column: options.target_column.clone(),
        exposure_column: options.exposure_column.clone(),
        classes: classes(summaries, options).map_err(|error| fit(error.into()))?,
        target_scale,
        intake,
        features,
    })
}

fn classes(
    summaries: &[(&str, &TableSummary)],
    options: &EncodeOptions,
) -> Result<Vec<String>, FitError> {
    let cells = summaries.iter().flat_map(|(_, told)| &told.classes).map(String::as_str);
    let count = cells.clone().count();
    target::classes(cells.enumerate(), count, options).map_err(|refusal| match refusal {
        target::Refusal::Whole(problem) => {
            problem.error("summaries", options.target_column.clone(), options.family)
        }
        // Agents have refused cells that cannot be used as class labels.
        target::Refusal::Cell { .. } => FitError::ClassCount {
            file: "summaries".to_owned(),
            column: options.target_column.clone(),
            family: options.family,
            classes: Vec::new(),
        },
    })
}

fn same_columns(
    (one, first): (&str, &TableSummary),
    (other, told): (&str, &TableSummary),
) -> Result<(), AgreeError> {
    let kind = |summary: &TableSummary, name: &str| {
        let known = summary.columns.iter().find(|column| column.column == name);
        known.map_or("absent", |column| {
            if column.numbers.is_some() { "a column of numbers" } else { "a column of texts" }
        })
    };
    for column in first.columns.iter().chain(&told.columns) {
        let (here, there) = (kind(first, &column.column), kind(told, &column.column));
        if here != there {
            return Err(AgreeError::Columns {
                column: column.column.clone(),
                first: here,
                one: one.to_owned(),
                second: there,
                other: other.to_owned(),
            });
        }
    }
    let order = |summary: &TableSummary| -> Vec<String> {
        summary.columns.iter().map(|column| column.column.clone()).collect()
    };
    if order(first) != order(told) {
        return Err(AgreeError::Columns {
            column: order(told)[0].clone(),
            first: "in another place",
            one: one.to_owned(),
            second: "in another place",
            other: other.to_owned(),
        });
    }
    Ok(())
}

/// What leaves no row out at one agent may leave some out at another.
fn stricter(one: UsedRows, other: UsedRows) -> UsedRows {
    match (one, other) {
        (UsedRows::Complete, _) | (_, UsedRows::Complete) => UsedRows::Complete,
        (UsedRows::Labelled, _) | (_, UsedRows::Labelled) => UsedRows::Labelled,
        (UsedRows::All, UsedRows::All) => UsedRows::All,
    }
}

#[cfg(test)]
mod tests {
    use corefed_core::Family;

    use super::*;
    use crate::{fit, own_table};

    const ROWS: [(&str, &str); 3] = [
        ("north", "1,red,0,yes\n2,blue,,no\n4,red,3,yes\n"),
        ("south", "1e3,red,1,no\n1.5,green,2,no\n"),
        ("west", "7,blue,5,yes\n3,blue,,no\n"),
    ];

    fn options(family: Family, target: &str) -> EncodeOptions {
        EncodeOptions::new("who", target, family)
    }

    fn told(options: &EncodeOptions) -> Vec<(&'static str, TableSummary)> {
        let one = |(name, rows): (&'static str, &str)| {
            let table = Table::parse(name, format!("x,colour,z,y\n{rows}").as_bytes()).unwrap();
            let own = own_table(&table, "who", Some(name)).unwrap();
            (name, summarise(&own, options).unwrap())
        };
        ROWS.into_iter().map(one).collect()
    }

    fn pooled() -> Table {
        let rows = |(name, rows): &(&str, &str)| -> String {
            rows.lines().flat_map(|line| [line, ",", name, "\n"]).collect()
        };
        let all: String = ROWS.iter().map(rows).collect();
        Table::parse("all.csv", format!("x,colour,z,y,who\n{all}").as_bytes()).unwrap()
    }

    #[test]
    fn an_encoding_agreed_on_is_that_of_the_pooled_table() {
        for (family, target) in [(Family::Logistic, "y"), (Family::Linear, "x")] {
            let options = options(family, target);
            let told = told(&options);
            let told: Vec<(&str, &TableSummary)> = told.iter().map(|(n, t)| (*n, t)).collect();
            let agreed = agree(&told, &options).unwrap();
            let allowed = crate::Check::ALL.into_iter().collect();
            let whole = fit(&pooled(), &EncodeOptions { allow: allowed, ..options }).unwrap();
            let whole = whole.encoding;
            assert_eq!(agreed.classes, whole.classes);
            assert_eq!(agreed.features.len(), whole.features.len());
            for (one, other) in agreed.features.iter().zip(&whole.features) {
                use corefed_core::Feature::Numeric;
                let (
                    Numeric { mean, scale, missing, .. },
                    Numeric { mean: m, scale: s, missing: f, .. },
                ) = (one, other)
                else {
                    assert_eq!(one, other);
                    continue;
                };
                assert_eq!((one.name(), missing.is_some()), (other.name(), f.is_some()));
                assert!((mean - m).abs() <= 1e-14 * m.abs() && (scale - s).abs() <= 1e-14 * s);
            }
            let scale = |encoding: &Encoding| encoding.target_scale.map(|scale| scale.scale);
            let (one, other) = (scale(&agreed), scale(&whole));
            assert_eq!(one.is_some(), other.is_some());
            assert!((one.unwrap_or(0.0) - other.unwrap_or(0.0)).abs() < 1e-9);
        }
    }

    #[test]
    fn rows_of_every_class_are_counted() {
        let count = |cells: &str, raw: bool| {
            let table = Table::parse("t.csv", format!("x,y\n{cells}").as_bytes()).unwrap();
            let own = own_table(&table, "who", Some("north")).unwrap();
            let options = EncodeOptions { raw, ..options(Family::Softmax, "y") };
            let told = summarise(&own, &options).unwrap();
            assert_eq!(told.class_rows.iter().sum::<usize>(), told.rows);
            (told.classes, told.class_rows)
        };
        let text = count("1,b\n2,a\n3, b\n4,c\n", false);
        assert_eq!(text, (["a", "b", "c"].map(str::to_owned).to_vec(), vec![1, 2, 1]));
        // Two ways to write a number are one class.
        let (classes, rows) = count("1,0\n2,1\n3,1.0\n4,2\n", true);
        assert_eq!((classes.len(), rows), (3, vec![1, 2, 1]));
    }

    #[test]
    fn agents_that_disagree_are_named_with_the_column() {
        let options = options(Family::Logistic, "y");
        let mut told = told(&options);
        told[2].1.columns[1].column = "color".to_owned();
        let told: Vec<(&str, &TableSummary)> = told.iter().map(|(n, t)| (*n, t)).collect();
        let said = agree(&told, &options).unwrap_err().to_string();
        assert_eq!(said, "column `colour` is a column of texts at `north` and absent at `west`");
        assert!(agree(&[], &options).unwrap_err().to_string().contains("no summaries"));
    }
}
