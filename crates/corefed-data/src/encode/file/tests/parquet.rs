//! The CSV file of the same data is the oracle.

use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::parser::parse_message_type;

use super::*;

/// Columns of a small file, all of them optional.
#[derive(Clone, Debug)]
enum Cells {
    Text(Vec<Option<&'static str>>),
    Whole(Vec<Option<i64>>),
    Small(Vec<Option<i32>>),
    Float(Vec<Option<f64>>),
    Truth(Vec<Option<bool>>),
}

impl Cells {
    fn declared(&self) -> &'static str {
        match self {
            Self::Text(_) => "OPTIONAL BYTE_ARRAY NAME (UTF8);",
            Self::Whole(_) => "OPTIONAL INT64 NAME;",
            Self::Small(_) => "OPTIONAL INT32 NAME;",
            Self::Float(_) => "OPTIONAL DOUBLE NAME;",
            Self::Truth(_) => "OPTIONAL BOOLEAN NAME;",
        }
    }

    fn write(&self, writer: &mut SerializedColumnWriter<'_>, rows: std::ops::Range<usize>) {
        macro_rules! write {
            ($kind:ty, $cells:expr, $convert:expr) => {{
                let cells = &$cells[rows];
                let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
                let values: Vec<_> = cells.iter().flatten().map($convert).collect();
                writer.typed::<$kind>().write_batch(&values, Some(&levels), None).unwrap();
            }};
        }
        match self {
            Self::Text(cells) => write!(ByteArrayType, cells, |text| ByteArray::from(*text)),
            Self::Whole(cells) => write!(Int64Type, cells, |value| *value),
            Self::Small(cells) => write!(Int32Type, cells, |value| *value),
            Self::Float(cells) => write!(DoubleType, cells, |value| *value),
            Self::Truth(cells) => write!(BoolType, cells, |value| *value),
        }
    }

    fn text(&self, row: usize) -> String {
        match self {
            Self::Text(cells) => cells[row].unwrap_or_default().to_owned(),
            Self::Whole(cells) => cells[row].map(|value| value.to_string()).unwrap_or_default(),
            Self::Small(cells) => cells[row].map(|value| value.to_string()).unwrap_or_default(),
            Self::Float(cells) => cells[row].map(|value| value.to_string()).unwrap_or_default(),
            Self::Truth(cells) => cells[row].map(|value| value.to_string()).unwrap_or_default(),
        }
    }
}

/// The same rows as Parquet, in two groups, and as CSV.
fn both(columns: &[(&str, Cells)], rows: usize, compression: Compression) -> [Fixture; 2] {
    let fields: Vec<_> = columns.iter().map(|(n, c)| c.declared().replace("NAME", n)).collect();
    let schema = parse_message_type(&format!("message m {{ {} }}", fields.concat())).unwrap();
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut writer =
        SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties)).unwrap();
    for range in [0..rows / 2, rows / 2..rows] {
        let mut group = writer.next_row_group().unwrap();
        for (_, cells) in columns {
            let mut column = group.next_column().unwrap().unwrap();
            cells.write(&mut column, range.clone());
            column.close().unwrap();
        }
        group.close().unwrap();
    }
    let names: Vec<_> = columns.iter().map(|(name, _)| *name).collect();
    let mut csv = format!("{}\n", names.join(","));
    for row in 0..rows {
        let cells: Vec<_> = columns.iter().map(|(_, cells)| cells.text(row)).collect();
        csv.push_str(&cells.join(","));
        csv.push('\n');
    }
    let bytes = writer.into_inner().unwrap();
    [Fixture::named("t.parquet", &bytes), Fixture::new(csv.as_bytes())]
}

fn sample() -> Vec<(&'static str, Cells)> {
    vec![
        ("age", Cells::Small(vec![Some(30), Some(-4), Some(51), Some(7)])),
        ("who", Cells::Whole(vec![Some(9_007_199_254_740_993), Some(2), Some(2), Some(7)])),
        ("city", Cells::Text(vec![Some("rome"), Some("oslo"), None, Some("rome")])),
        ("x", Cells::Float(vec![Some(0.1), Some(1e-3), Some(-2.5e7), Some(3.0)])),
        ("smokes", Cells::Truth(vec![Some(true), Some(false), Some(true), Some(true)])),
        ("y", Cells::Whole(vec![Some(0), Some(1), Some(1), Some(0)])),
    ]
}

/// Result of a fit, without what tells the files apart.
fn fitted(file: &Fixture, options: &EncodeOptions) -> String {
    match fit_file(&file.path, options) {
        Ok(fit) => format!("{:?}", fit.encoded),
        Err(error) => {
            let text = error.to_string();
            let (_, what) = text.split_once(", column").or_else(|| text.split_once(": ")).unwrap();
            what.to_owned()
        }
    }
}

#[test]
fn parquet_encodes_as_csv_of_the_same_data() {
    for compression in [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(::parquet::basic::ZstdLevel::default()),
    ] {
        let [parquet, csv] = both(&sample(), 4, compression);
        for family in [Family::Linear, Family::Logistic, Family::Softmax] {
            let options = options(family);
            let expected = fitted(&csv, &options);
            assert!(expected.starts_with("Encoded"), "{expected}");
            assert_eq!(fitted(&parquet, &options), expected);
            let encoding = fit_file(&csv.path, &options).unwrap().encoded.encoding;
            let [a, b] = [&parquet, &csv]
                .map(|file| apply_file(&file.path, &encoding, family).unwrap().federation);
            assert_eq!(a, b);
        }
        let digest = fit_file(&parquet.path, &options(Family::Linear)).unwrap().digest;
        assert_eq!(digest, crate::digest_file(&parquet.path).unwrap());
    }
}

#[test]
fn nulls_are_missing_cells() {
    let mut columns = sample();
    columns[3].1 = Cells::Float(vec![Some(1.0), None, Some(5.0), None]);
    let [parquet, csv] = both(&columns, 4, Compression::UNCOMPRESSED);
    for missing in Missing::ALL {
        let options = EncodeOptions { missing, ..options(Family::Linear) };
        assert_eq!(fitted(&parquet, &options), fitted(&csv, &options));
    }
    let strict = EncodeOptions { missing: Missing::Category, ..options(Family::Linear) };
    let error = fit_file(&parquet.path, &strict).unwrap_err().to_string();
    assert!(error.ends_with("t.parquet`, row 2, column `x`: the value is missing"), "{error}");
}

#[test]
fn a_parquet_file_is_a_table_of_text_too() {
    let mut columns = sample();
    columns[2].1 = Cells::Text(vec![Some("rome"), Some("oslo"), Some("oslo"), Some("rome")]);
    columns[3].1 = Cells::Float(vec![Some(1.0), None, Some(5.0), None]);
    let [parquet, csv] = both(&columns, 4, Compression::SNAPPY);
    let [a, b] = [&parquet, &csv].map(|file| read_table(&file.path).unwrap());
    assert_eq!(a.columns(), b.columns());
    for row in 0..4 {
        for column in 0..a.columns().len() {
            assert_eq!(a.cell(row, column), b.cell(row, column));
        }
    }
    // Rows are left out by way of that table.
    let drop = EncodeOptions { missing: Missing::Drop, ..options(Family::Linear) };
    let fit = fit_file(&parquet.path, &drop).unwrap();
    assert_eq!(fit.encoded.federation.target().len(), 2);
    let back = apply_file(&parquet.path, &fit.encoded.encoding, Family::Linear).unwrap();
    assert_eq!(back.federation, fit.encoded.federation);
}

#[test]
fn types_can_be_overridden() {
    let [parquet, csv] = both(&sample(), 4, Compression::SNAPPY);
    let types = vec![
        ("age".to_owned(), ColumnType::Text),
        ("x".to_owned(), ColumnType::Ignore),
        ("city".to_owned(), ColumnType::Ignore),
    ];
    let options = EncodeOptions { types, ..options(Family::Linear) };
    assert_eq!(fitted(&parquet, &options), fitted(&csv, &options));
}

#[test]
fn strings_are_text_even_if_they_look_like_numbers() {
    let mut columns = sample();
    columns[2].1 = Cells::Text(vec![Some("1"), Some("2"), Some("2"), Some("1")]);
    let [parquet, csv] = both(&columns, 4, Compression::UNCOMPRESSED);
    let declared =
        |kind| EncodeOptions { types: vec![("city".to_owned(), kind)], ..options(Family::Linear) };
    let text = declared(ColumnType::Text);
    assert_eq!(fitted(&parquet, &options(Family::Linear)), fitted(&csv, &text));
    let number = declared(ColumnType::Number);
    assert_eq!(fitted(&parquet, &number), fitted(&csv, &number));
}

#[test]
fn columns_that_are_neither_numbers_nor_text_are_named_unless_ignored() {
    let schema = "message m { REQUIRED INT32 day (DATE); REQUIRED INT32 who; REQUIRED INT32 y; }";
    let schema = Arc::new(parse_message_type(schema).unwrap());
    let mut writer = SerializedFileWriter::new(Vec::new(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        column.typed::<Int32Type>().write_batch(&[1, 2, 3], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    let file = Fixture::named("t.PARQUET", &writer.into_inner().unwrap());
    let error = fit_file(&file.path, &options(Family::Linear)).unwrap_err();
    assert!(error.to_string().ends_with("column `day` holds `Date`, neither numbers nor text"));
    assert!(error.hint().unwrap().contains("@column NAME=ignore"));
    let types = vec![("day".to_owned(), ColumnType::Ignore)];
    let ignoring = EncodeOptions { types, ..options(Family::Linear) };
    assert!(fit_file(&file.path, &ignoring).is_ok());
}

#[test]
fn damaged_files_are_errors() {
    let [parquet, _] = both(&sample(), 4, Compression::SNAPPY);
    let bytes = std::fs::read(&parquet.path).unwrap();
    for length in 0..bytes.len() {
        let cut = Fixture::named("t.parquet", &bytes[..length]);
        assert!(fit_file(&cut.path, &options(Family::Linear)).is_err(), "{length} bytes");
    }
    let error =
        fit_file(&Fixture::named("t.parquet", b"a,b\n1,2\n").path, &options(Family::Linear));
    assert!(error.unwrap_err().hint().unwrap().contains("rename it"));
}

#[test]
fn more_cells_than_a_small_file_may_hold_are_refused() {
    let schema = Arc::new(parse_message_type("message m { OPTIONAL INT32 x; }").unwrap());
    let written = |rows: usize| {
        let mut writer =
            SerializedFileWriter::new(Vec::new(), schema.clone(), Arc::default()).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int32Type>().write_batch(&[], Some(&vec![0; rows]), None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
        writer.into_inner().unwrap()
    };
    let file = Fixture::named("t.parquet", &written(10_000_001));
    let Err(DataError::Table(error)) = read_table(&file.path) else { panic!("it was read") };
    assert!(matches!(error, crate::TableError::Cells { cells: 10_000_001, .. }), "{error}");
    assert!(error.hint().is_some_and(|hint| hint.contains("CSV")), "{error}");
}

/// What is said of a file that the fuzzer found.
fn said_of(kept: &str) -> String {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/parquet");
    refused(&std::fs::read(corpus.join(kept)).unwrap())
}

/// What is said of a file, down to its cause.
fn refused(bytes: &[u8]) -> String {
    let file = Fixture::named("t.parquet", bytes);
    let error = read_table(&file.path).unwrap_err();
    let mut said = error.to_string();
    let mut source = std::error::Error::source(&error);
    while let Some(error) = source {
        said = format!("{said}: {error}");
        source = error.source();
    }
    said
}

#[test]
fn the_header_of_a_page_is_looked_at_before_it_is_read() {
    let [parquet, _] = both(&sample(), 4, Compression::SNAPPY);
    let mut bytes = std::fs::read(&parquet.path).unwrap();
    // The first page follows the mark of the format; its first field is a number, and now a truth value.
    assert_eq!(&bytes[..5], b"PAR1\x15");
    bytes[4] = 0x11;
    let said = refused(&bytes);
    let told = ["t.parquet", "column `", "a field of a header has another type"];
    assert!(told.iter().all(|part| said.contains(part)), "{said}");
}

#[test]
fn what_the_fuzzer_found_is_told_with_file_and_column() {
    for (kept, part, why) in [
        // The description of the file itself is wrong.
        ("panic-no-dictionary", "Parquet", "a field of a header has another type"),
        ("dictionary-of-cut-texts", "column `", "breaks a rule of the format"),
        ("skips-beyond-the-end", "Parquet", "a field of a header has another type"),
        ("dictionary-of-billions", "column `", "more entries than bytes"),
        ("lists-of-truth-values", "Parquet", "a header holds a list of truth values"),
    ] {
        let said = said_of(kept);
        for part in ["t.parquet", part, why] {
            assert!(said.contains(part), "{kept}: `{part}` is not in: {said}");
        }
    }
}
