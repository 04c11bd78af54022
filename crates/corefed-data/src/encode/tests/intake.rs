use corefed_core::{DateUse, Feature, Intake, UsedRows};
use proptest::prelude::*;

use super::*;
use crate::FitError;

const LINEAR: Family = Family::Linear;

fn auto() -> EncodeOptions {
    EncodeOptions { missing: Missing::Auto, l2: 1.0, ..options(LINEAR) }
}

/// Some agent's targets as they were.
fn targets(encoded: &Encoded) -> Vec<f64> {
    let scale = encoded.encoding.target_scale.unwrap();
    encoded.federation.target().iter().map(|y| (scale.restore(*y) * 1e9).round() / 1e9).collect()
}

const HOLES: &str =
    "who,x,t,y\na,1,p,5\na,NA,q,6\na,3,p,NA\nb,4,,8\nb,5,q,9\nb,.,p,11\nb,7,NA,10\n";

#[test]
fn by_default_numbers_are_filled_and_rows_without_target_left_out() {
    let encoded = fitted(HOLES, &auto());
    assert_eq!(targets(&encoded), [5.0, 6.0, 8.0, 9.0, 11.0, 10.0]);
    assert_eq!(encoded.encoding.intake.rows, UsedRows::Labelled);
    // The mean of 1, 4, 5 and 7.
    let Feature::Numeric { missing, .. } = &encoded.encoding.features[0] else { panic!() };
    assert_eq!(*missing, Some(4.25));
    let one = |column: &str, count| vec![(column.to_owned(), count)];
    assert_eq!(
        encoded.notes,
        [
            Note::RowsLeftOut { rows: 1, of: 7, holes: one("y", 1) },
            Note::Filled { columns: one("x", 2) },
            Note::Levels { columns: one("t", 2) },
        ]
    );
    let said = encoded.notes[0].to_string();
    assert_eq!(said, "1 of 7 rows are left out, because cells are missing: 1 in `y`");
}

#[test]
fn dropping_leaves_complete_rows() {
    let options =
        EncodeOptions { missing: Missing::Drop, allow: Check::ALL.into_iter().collect(), ..auto() };
    let encoded = fitted(HOLES, &options);
    assert_eq!(targets(&encoded), [5.0, 9.0]);
    assert_eq!(encoded.encoding.intake.rows, UsedRows::Complete);
    // A column that was declared to be text may say NA.
    let typed = vec![("t".to_owned(), ColumnType::Text)];
    let encoded = fitted(HOLES, &EncodeOptions { types: typed, ..options.clone() });
    assert_eq!(targets(&encoded), [5.0, 9.0, 10.0]);
    let back = apply(&table(HOLES), &encoded.encoding, LINEAR).unwrap();
    assert_eq!(back, encoded.federation);
    // A column without any value does not justify dropping everything.
    let empty = HOLES.replace('\n', ",NA\n").replace("y,NA", "y,z");
    let allow = [Check::OneSample].into_iter().collect();
    let encoded = fitted(&empty, &EncodeOptions { allow, ..options.clone() });
    assert_eq!(encoded.federation.target().len(), 2);
    let all = refused("who,x,y\na,NA,1\nb,1,NA\na,.,2\n", &options);
    assert!(all.0.contains("all 3 rows have a hole"), "{}", all.0);
}

#[test]
fn own_words_are_holes_however_a_number_is_written() {
    let text = "who,x,t,y\na,1,p,5\nb,-9999,q,6\na,-9999.0,p,7\nb,2,unknown,8\n";
    let na = vec!["-9999".to_owned(), "unknown".to_owned()];
    let encoded = fitted(text, &EncodeOptions { na: na.clone(), ..auto() });
    let Feature::Numeric { mean, missing, .. } = &encoded.encoding.features[0] else { panic!() };
    assert_eq!((*mean, *missing), (1.5, Some(1.5)));
    assert!(encoded.encoding.features.iter().any(|feature| feature.name() == "t="));
    assert_eq!(encoded.encoding.intake, Intake { na, ..Intake::default() });
    let back = apply(&table(text), &encoded.encoding, LINEAR).unwrap();
    assert_eq!(back, encoded.federation);
    // Without the word, the number is used, and said to look like a code.
    let strange = fitted(text, &auto()).notes;
    assert!(
        strange.contains(&Note::Sentinel { column: "x".to_owned(), value: -9999.0, cells: 2 }),
        "{strange:?}"
    );
}

fn dated() -> String {
    let line =
        |i: usize| format!("{},2024-{:02}-01 {:02}:00,{i}\n", ["a", "b"][i % 2], 1 + i % 12, i);
    let lines: String = (0..24).map(line).collect();
    format!("who,when,y\n{lines}")
}

#[test]
fn dates_are_days_or_parts() {
    let encoded = fitted(&dated(), &auto());
    let becomes = DateUse::Days;
    assert_eq!(encoded.notes[0], Note::Dates { column: "when".to_owned(), becomes });
    let names: Vec<String> = encoded.encoding.features.iter().map(Feature::name).collect();
    assert_eq!(names, ["when", "(intercept)"]);
    // Agent a has rows 0, 2, ...: January 1, March 1 at two o'clock: 31 + 29 days and 2 hours later.
    let Feature::Numeric { mean, scale, .. } = &encoded.encoding.features[0] else { panic!() };
    let days: Vec<f64> =
        encoded.federation.design().dense_rows(0..2).iter().map(|x| x * scale + mean).collect();
    assert!(
        (days[0] - 19_723.0).abs() < 1e-6 && (days[1] - days[0] - 60.0 - 2.0 / 24.0).abs() < 1e-6
    );

    let types = vec![("when".to_owned(), ColumnType::Parts)];
    let options = EncodeOptions { types, l2: 1.0, ..auto() };
    let encoded = fitted(&dated(), &options);
    let names: Vec<String> = encoded.encoding.features.iter().map(Feature::name).collect();
    for name in ["when", "when.month=Jan", "when.weekday=Mon", "when.hour=07h"] {
        assert!(names.contains(&name.to_owned()), "{name} in {names:?}");
    }
    let back = apply(&table(&dated()), &encoded.encoding, LINEAR).unwrap();
    assert_eq!(back, encoded.federation);

    for kind in [ColumnType::Ignore, ColumnType::Text] {
        let types = vec![("when".to_owned(), kind)];
        let encoded = fitted(&dated(), &EncodeOptions { types, l2: 1.0, ..auto() });
        assert!(encoded.encoding.intake.is_nothing());
    }
    let types = vec![("y".to_owned(), ColumnType::Date)];
    refused(&dated(), &EncodeOptions { types, ..auto() });
    let types = vec![("x".to_owned(), ColumnType::Date)];
    let (message, _) =
        refused("who,x,y\na,2024-01-01,1\nb,soon,2\n", &EncodeOptions { types, ..auto() });
    assert_eq!(message, "`t.csv`, line 3, column `x`: `soon` is not a time");
}

#[test]
fn disguised_numbers_are_refused_and_identifiers_left_out() {
    let with = |cell: &dyn Fn(usize) -> String| {
        let line = |i: usize| format!("{},{},{i}\n", ["a", "b"][i % 2], cell(i));
        let lines = (0..80).map(line).collect::<Vec<_>>().concat();
        format!("who,x,y\n{lines}")
    };
    let (message, hint) = refused(&with(&|i| format!("{} mmHg", 90 + i)), &auto());
    assert_eq!(message, "`t.csv`: column `x` holds numbers with a unit: `100 mmHg`");
    assert!(hint.contains("@column x=ignore"), "{hint}");
    let (message, _) = refused(&with(&|i| format!("\"1,{i:03}.5\"")), &auto());
    assert!(message.contains("thousands separators: `1,000.5`"), "{message}");
    let (message, hint) =
        refused(&with(&|i| format!("{}/{}/2024", 1 + i % 12, 1 + i % 28)), &auto());
    assert!(message.contains("day and month cannot be told apart"), "{message}");
    assert!(hint.contains("2024-03-01"), "{hint}");
    let encoded = fitted(&with(&|i| format!("id-{i}")), &auto());
    let expected = Note::Identifier { column: "x".to_owned(), texts: 80, rows: 80 };
    assert_eq!(encoded.notes, [expected]);
    assert_eq!(encoded.federation.design().dim(), 1);
    let error = fit(&table("who,x,y\na,1,2\nb,\"1,500\",3\nb,7,3\n"), &auto()).unwrap_err();
    assert_eq!(error.hint().unwrap(), "`1,500` has a thousands separator: write 1500");
    assert!(!matches!(error, DataError::Fit(FitError::Suspect { .. })));
}

proptest! {
    /// What an encoding says of itself is enough to read the table again, whatever was decided.
    #[test]
    fn applying_an_encoding_to_its_own_table_gives_its_own_rows(
        rows in prop::collection::vec(
            ("[ab]", "([0-9]|NA|-9|)", "(p|q|NA|-|)", "2024-0[1-9]-[12][0-9]", "([0-9]|NA)"),
            4..60,
        ),
        policy in prop::sample::select(Missing::ALL.to_vec()),
        flags in any::<[bool; 2]>(),
        kind in prop::sample::select(vec![None, Some(ColumnType::Parts), Some(ColumnType::Date)]),
    ) {
        let line = |(who, x, t, d, y): &(String, String, String, String, String)| format!("{who},{x},{t},{d},{y}\n");
        let text = format!("who,x,t,d,y\n{}", rows.iter().map(line).collect::<String>());
        let [own, strict] = flags;
        let options = EncodeOptions {
            missing: policy,
            na: if own { vec!["-9".to_owned()] } else { Vec::new() },
            types: kind.map(|kind| ("d".to_owned(), kind)).into_iter().collect(),
            allow: if strict { Checks::default() } else { Check::ALL.into_iter().collect() },
            l2: 1.0,
            ..options(LINEAR)
        };
        let table = table(&text);
        if let Ok(encoded) = fit(&table, &options) {
            let back = apply(&table, &encoded.encoding, LINEAR).unwrap();
            prop_assert_eq!(back, encoded.federation);
        }
    }
}
