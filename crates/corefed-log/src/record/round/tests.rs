use proptest::prelude::*;

use super::*;
use crate::{Row, testing};

fn line(record: &RoundRecord) -> String {
    serde_json::to_string(record).unwrap()
}

#[test]
fn a_line_is_flat_and_its_columns_do_not_depend_on_what_was_measured() {
    let columns: Vec<_> = RoundRecord::COLUMNS.iter().map(|column| column.name).collect();
    for record in [RoundRecord::default(), testing::full_round()] {
        let value: Value = serde_json::from_str(&line(&record)).unwrap();
        let names: Vec<_> = value.as_object().unwrap().keys().cloned().collect();
        assert_eq!(names, columns);
        for (name, value) in value.as_object().unwrap() {
            let column = RoundRecord::COLUMNS.iter().find(|c| c.name == name).unwrap();
            assert_eq!(value.is_array() || value.is_object(), column.kind == Kind::Json, "{name}");
        }
    }
}

#[test]
fn the_line_of_an_empty_round_starts_and_ends_like_this() {
    let line = line(&RoundRecord { round: 7, cohort: 2, ..RoundRecord::default() });
    let start = "{\"round\":7,\"cohort\":2,\"trained\":0,\"dropped\":0,\"stragglers\":0,\
                 \"rejected\":0,\"rejections\":[],\"learning_rate\":null,\"step_norm\":null,\
                 \"warm_up\":false,\"floored\":[],\"raised\":{},\"capped\":[],\"clipped\":[],\
                 \"contradicted\":[],";
    assert!(line.starts_with(start), "{line}");
    let end = "\"held_out_utility_entropy\":null,\"held_out_utility_cos1\":null,\
               \"validation_welfare\":null,\"test_loss\":null,\"test_accuracy\":null}";
    assert!(line.ends_with(end), "{line}");
}

#[test]
fn everything_measured_reads_back() {
    let record = testing::full_round();
    assert_eq!(RoundRecord::parse(line(&record).as_bytes()).unwrap(), record);
}

#[test]
fn infinities_are_texts_and_what_is_not_a_number_is_null() {
    let record = RoundRecord {
        loss: Some(f64::INFINITY),
        log_welfare: Some(f64::NEG_INFINITY),
        kappa: Some(f64::NAN),
        ..RoundRecord::default()
    };
    let line = line(&record);
    assert!(line.contains("\"loss\":\"inf\""), "{line}");
    assert!(line.contains("\"log_welfare\":\"-inf\",\"kappa\":null"), "{line}");
    let read = RoundRecord::parse(line.as_bytes()).unwrap();
    assert_eq!(read, RoundRecord { kappa: None, ..record });
}

#[test]
fn a_raised_ceiling_that_is_not_a_number_is_an_error() {
    let raised = BTreeMap::from([("a".to_owned(), f64::NAN)]);
    let record = RoundRecord { raised, ..RoundRecord::default() };
    assert!(serde_json::to_string(&record).is_err());
}

#[test]
fn a_missing_or_unknown_column_is_refused_by_name() {
    let line = line(&testing::full_round());
    for (from, to, reason) in [
        ("\"worst_agent\":\"b\",", "", "column `worst_agent` is missing"),
        ("{\"round\"", "{\"extra\":1,\"round\"", "column `extra` is unknown"),
        ("\"utility_std\":", "\"utility_sd\":", "column `utility_std` is missing"),
    ] {
        let altered = line.replacen(from, to, 1);
        assert_ne!(altered, line);
        let error = RoundRecord::parse(altered.as_bytes()).unwrap_err().to_string();
        assert_eq!(error, reason);
    }
}

#[test]
fn a_line_of_version_3_has_no_contradictions() {
    let record = RoundRecord { contradicted: Vec::new(), ..testing::full_round() };
    let older = line(&record).replacen("\"contradicted\":[],", "", 1);
    assert!(!older.contains("contradicted"));
    assert_eq!(RoundRecord::parse(older.as_bytes()).unwrap(), record);
}

#[test]
fn half_a_spread_is_refused() {
    let mut value = serde_json::to_value(testing::full_round()).unwrap();
    value["accuracy_min"] = Value::Null;
    let error = RoundRecord::parse(value.to_string().as_bytes()).unwrap_err().to_string();
    assert_eq!(error, "column `accuracy_min` is null");
}

proptest! {
    #[test]
    fn floats_read_back_to_the_same_bits(bits in any::<[u64; 3]>()) {
        let [a, b, c] = bits.map(f64::from_bits).map(|v| if v.is_nan() { -0.0 } else { v });
        let record = RoundRecord {
            loss: Some(a),
            raised: BTreeMap::from([("x".to_owned(), b)]),
            utility_spread: Some(Spread {
                mean: a, std: b, min: c, max: a, worst10: b, best10: c, entropy: Some(a), cos1: None
            }),
            ..RoundRecord::default()
        };
        let read = RoundRecord::parse(line(&record).as_bytes()).unwrap();
        prop_assert_eq!(read.loss.unwrap().to_bits(), a.to_bits());
        prop_assert_eq!(read.raised["x"].to_bits(), b.to_bits());
        prop_assert_eq!(read.utility_spread.unwrap().min.to_bits(), c.to_bits());
    }
}
