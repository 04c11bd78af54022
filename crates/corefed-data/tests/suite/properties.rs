//! What must hold for every file, well-formed or not.

use corefed_core::{Family, Feature};
use corefed_data::{
    Check, Checks, EncodeOptions, LARGEST, Missing, Sign, Table, UtilityTable, agent_values, apply,
    exact_agent_values, fit,
};
use proptest::prelude::*;

fn options(family: Family, raw: bool) -> EncodeOptions {
    EncodeOptions {
        agent_column: "who".to_owned(),
        target_column: "y".to_owned(),
        exposure_column: None,
        family,
        intercept: true,
        raw,
        l2: 1.0,
        allow: Check::ALL.into_iter().collect::<Checks>(),
        missing: Missing::default(),
        written: corefed_core::Writing::default(),
        na: Vec::new(),
        types: Vec::new(),
    }
}

/// Tries everything that reads a file; nothing may panic.
fn try_all(bytes: &[u8]) {
    let _ = UtilityTable::parse("t.csv", bytes).map(|table| table.incumbent("x").is_ok());
    let Ok(table) = Table::parse("t.csv", bytes) else { return };
    for sign in [Sign::Any, Sign::Positive] {
        let _ = agent_values(&table, "weight", ["a", "b"], sign);
        let _ = exact_agent_values(&table, "weight", ["a", "b"], sign);
    }
    for family in [Family::Linear, Family::Logistic, Family::Softmax] {
        for raw in [false, true] {
            if let Ok(encoded) = fit(&table, &options(family, raw)) {
                let again = apply(&table, &encoded.encoding, family);
                assert_eq!(again.ok(), Some(encoded.federation));
            }
        }
    }
}

/// Cells that have broken parsers before, among plain ones.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab01]",
        2 => (-9_i32..9).prop_map(|n| n.to_string()),
        1 => any::<f64>().prop_map(|x| x.to_string()),
        1 => prop::sample::select(vec![
            "", "?", "nan", "-inf", "1e308", "-1e308", "1e-320", "1e999", "-0", "\"", "\"\"",
            "\"a\nb\"", "a,b", "\r", "é", "\u{feff}", "model", "x=1", "(intercept)",
        ]).prop_map(ToOwned::to_owned),
    ]
}

/// A file with the columns the readers look for, and whatever below them.
fn file() -> impl Strategy<Value = String> {
    let header = prop::sample::select(vec![
        "who,x,y",
        "who,y",
        "model,a,b",
        "agent,weight,y",
        "who,x,x=1,y",
        "who,(intercept),y",
    ]);
    (header, prop::collection::vec(prop::collection::vec(cell(), 2..4), 0..8)).prop_map(
        |(header, rows)| {
            let width = header.split(',').count();
            let mut text = header.to_owned();
            for mut row in rows {
                row.resize(width, "1".to_owned());
                text.push('\n');
                text.push_str(&row.join(","));
            }
            text
        },
    )
}

/// Rows of a well-formed table: agent, two numbers, two texts.
type Row = (usize, f64, i32, usize, usize);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_usize..4, -1e6..1e6_f64, -50..50_i32, 0_usize..3, 0_usize..5);
    prop::collection::vec(row, 2..40)
        .prop_filter("two agents", |rows| rows.iter().any(|row| row.0 != rows[0].0))
}

fn written(rows: &[Row]) -> String {
    let line = |(who, x, y, p, q): &Row| format!("{x},p{p},agent {who},{y},q{q}");
    let lines: Vec<_> = rows.iter().map(line).collect();
    format!("x,p,who,y,q\n{}\n", lines.join("\n"))
}

/// Any number that a cell may hold, most exponents included.
fn number() -> impl Strategy<Value = f64> {
    prop::num::f64::NORMAL.prop_filter("too large for a cell", |x| x.abs() <= LARGEST)
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        try_all(&bytes);
        try_all(&[b"who,x,y\n", &bytes[..]].concat());
        try_all(&[b"model,a,b\n", &bytes[..]].concat());
    }

    #[test]
    fn hostile_files_never_panic(text in file()) {
        try_all(text.as_bytes());
    }

    /// Shortest decimal text reads back to the same bits, so raw mode loses nothing.
    #[test]
    fn numbers_survive_the_round_trip_through_csv(
        rows in prop::collection::vec([number(), number()], 2..30),
    ) {
        let lines: Vec<_> = rows.iter().map(|[x, y]| format!("{x},{y:e}")).collect();
        let text = format!("who,x,y\na,{}\n", lines.join("\nb,"));
        let table = Table::parse("t.csv", text.as_bytes()).unwrap();
        let federation = fit(&table, &options(Family::Linear, true)).unwrap().federation;
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let [xs, ys]: [Vec<f64>; 2] = [0, 1].map(|i| rows.iter().map(|row| row[i]).collect());
        prop_assert_eq!(bits(federation.design().dense_rows(0..rows.len())), bits(&xs));
        prop_assert_eq!(bits(federation.target()), bits(&ys));
    }

    #[test]
    fn every_text_column_has_exactly_one_level_on(rows in rows()) {
        let table = Table::parse("t.csv", written(&rows).as_bytes()).unwrap();
        let encoded = fit(&table, &options(Family::Linear, false)).unwrap();
        let (features, design) = (&encoded.encoding.features, encoded.federation.design());
        for row in 0..table.rows() {
            let on: Vec<_> = design
                .hot_rows(row..row + 1)
                .iter()
                .map(|&h| match &features[h as usize] {
                    Feature::Level { column, .. } => column.as_str(),
                    Feature::Intercept => "(intercept)",
                    Feature::Numeric { column, .. } => panic!("`{column}` is not an indicator"),
                })
                .collect();
            prop_assert_eq!(on, ["p", "q", "(intercept)"]);
        }
    }

    /// Rows are neither lost, doubled, nor given to another agent.
    #[test]
    fn every_row_belongs_to_exactly_one_agent(rows in rows()) {
        let table = Table::parse("t.csv", written(&rows).as_bytes()).unwrap();
        let encoded = fit(&table, &options(Family::Linear, false)).unwrap();
        let federation = &encoded.federation;
        let mut covered = 0;
        for agent in federation.agents() {
            prop_assert_eq!(agent.rows.start, covered);
            covered = agent.rows.end;
            let own = rows.iter().filter(|row| format!("agent {}", row.0) == agent.name);
            let targets: Vec<f64> = own.map(|row| f64::from(row.2)).collect();
            let scale = encoded.encoding.target_scale;
            let restored = federation.target()[agent.rows.clone()]
                .iter()
                .map(|target| scale.map_or(*target, |scale| scale.restore(*target)));
            prop_assert_eq!(restored.clone().count(), targets.len());
            for (restored, target) in restored.zip(&targets) {
                prop_assert!((restored - target).abs() <= 1e-9 * (1.0 + target.abs()), "{}", restored);
            }
        }
        prop_assert_eq!(covered, rows.len());
    }

    /// Moments assembled agent by agent agree with those of the pooled column.
    #[test]
    fn standardised_columns_have_mean_zero_and_variance_one(rows in rows()) {
        let table = Table::parse("t.csv", written(&rows).as_bytes()).unwrap();
        let encoded = fit(&table, &options(Family::Linear, false)).unwrap();
        let dense = encoded.federation.design().dense_rows(0..rows.len());
        let n = rows.len() as f64;
        let mean = dense.iter().sum::<f64>() / n;
        let variance = dense.iter().map(|z| z * z).sum::<f64>() / n - mean * mean;
        prop_assert!(mean.abs() < 1e-6, "{mean}");
        prop_assert!((variance - 1.0).abs() < 1e-6, "{variance}");
    }
}
