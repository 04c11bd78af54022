use super::*;
use crate::testing::{agents, full_round};
use crate::{AgentRecord, RoundRecord};

fn rounds() -> Vec<Result<RoundRecord, LogError>> {
    vec![Ok(RoundRecord::default()), Ok(full_round())]
}

#[test]
fn csv_of_agents_is_this_text() {
    let mut out = Vec::new();
    let mut records = agents(3, [0.1, f64::NEG_INFINITY]);
    records[0].agent = "a, \"b\"".to_owned();
    export_csv(records.into_iter().map(Ok), &mut out).unwrap();
    let expected = "round,agent,part,loss,utility,accuracy,held_out_loss,held_out_utility,\
                    held_out_accuracy,reported_loss,weight,update_norm\n\
                    3,\"a, \"\"b\"\"\",trained,,0.1,,,,,,,\n\
                    3,b,trained,,-inf,,,,,,,\n";
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[test]
fn csv_of_rounds_holds_every_cell_of_the_flat_record() {
    let mut out = Vec::new();
    export_csv(rounds(), &mut out).unwrap();
    let mut reader = ::csv::Reader::from_reader(out.as_slice());
    let names: Vec<_> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    for (row, record) in rows.iter().zip(rounds()) {
        for ((name, cell), value) in names.iter().zip(row).zip(flat(&record.unwrap()).unwrap()) {
            assert_eq!(*name, value.0);
            assert_eq!(cell, text(&value.1).unwrap_or_default(), "{name}");
        }
    }
    assert_eq!(rows.len(), 2);
}

#[test]
fn no_records_still_have_names() {
    let mut out = Vec::new();
    export_csv::<AgentRecord>([], &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 1);
}

#[test]
fn an_unreadable_record_stops_an_export() {
    let broken = || [Err(LogError::Name { name: "x".to_owned() })];
    let error = export_csv::<RoundRecord>(broken(), Vec::new()).unwrap_err();
    assert!(matches!(error, LogError::Name { .. }), "{error:?}");
}

#[cfg(feature = "parquet")]
fn on_disk(bytes: &[u8]) -> std::fs::File {
    use std::io::Write;

    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_holds_every_cell_with_its_type_and_its_bits() {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::Field;

    use crate::Kind;

    let mut out = Vec::new();
    export_parquet(rounds(), &mut out).unwrap();
    let mut again = Vec::new();
    export_parquet(rounds(), &mut again).unwrap();
    assert_eq!(out, again);

    let reader = SerializedFileReader::new(on_disk(&out)).unwrap();
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    for (row, record) in rows.iter().zip(rounds()) {
        let record = flat(&record.unwrap()).unwrap();
        let columns = row.get_column_iter().zip(RoundRecord::COLUMNS);
        for ((name, field), column) in columns {
            assert_eq!(name, column.name);
            let value = &record[name];
            match (field, column.kind) {
                (Field::Null, _) => assert!(value.is_null(), "{name}"),
                (Field::Long(found), Kind::Whole) => assert_eq!(Some(*found), value.as_i64()),
                (Field::Bool(found), Kind::Truth) => assert_eq!(Some(*found), value.as_bool()),
                (Field::Double(found), Kind::Float) => {
                    assert_eq!(Some(found.to_bits()), float(value).map(f64::to_bits), "{name}");
                }
                (Field::Str(found), Kind::Text | Kind::Json) => {
                    assert_eq!(Some(found), text(value).as_ref(), "{name}");
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }
}

#[test]
#[cfg(feature = "parquet")]
fn parquet_of_nothing_has_its_columns() {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};

    let mut out = Vec::new();
    export_parquet::<AgentRecord>([], &mut out).unwrap();
    let reader = SerializedFileReader::new(on_disk(&out)).unwrap();
    let metadata = reader.metadata().file_metadata();
    assert_eq!(metadata.schema_descr().num_columns(), AgentRecord::COLUMNS.len());
    assert_eq!(metadata.num_rows(), 0);
}
