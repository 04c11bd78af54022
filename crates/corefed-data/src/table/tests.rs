use super::*;

fn parse(text: &str) -> Result<Table, DataError> {
    Table::parse("t.csv", text.as_bytes())
}

#[track_caller]
fn message(bytes: &[u8]) -> String {
    Table::parse("t.csv", bytes).unwrap_err().to_string()
}

#[test]
fn cells_are_trimmed_and_found_by_row_and_column() {
    let table = parse("a, b\n 1 ,\"x, y\"\n2,\n").unwrap();
    assert_eq!(table.columns(), ["a", "b"]);
    assert_eq!(table.rows(), 2);
    assert_eq!([table.cell(0, 0), table.cell(0, 1)], ["1", "x, y"]);
    assert_eq!([table.cell(1, 0), table.cell(1, 1)], ["2", ""]);
    assert_eq!(table.column("b").unwrap(), 1);
}

#[test]
fn byte_order_mark_and_line_ends_do_not_matter() {
    let plain = parse("a,b\n1,2\n3,4\n").unwrap();
    for other in ["\u{feff}a,b\n1,2\n3,4\n", "a,b\r\n1,2\r\n3,4", "a,b\r1,2\r3,4\r"] {
        let table = parse(other).unwrap();
        assert_eq!((&table.columns, &table.text), (&plain.columns, &plain.text), "{other:?}");
        assert_eq!(table.lines, [2, 3], "{other:?}");
    }
}

#[test]
fn rows_know_their_line_past_blank_lines_and_quoted_breaks() {
    let table = parse("a,b\r\n\r\n1,2\r\n\"x\r\ny\",3\r\n\r\n4,5\r\n").unwrap();
    assert_eq!(table.lines, [3, 4, 7]);
}

#[test]
fn digest_is_the_sha_256_of_the_raw_bytes() {
    // NIST's example: SHA-256 of the message "abc"; the mark and the end stay in the digest.
    assert_eq!(
        hex_digest(b"abc"),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    );
    let bytes = b"\xef\xbb\xbfa\r\n1\r\n";
    assert_eq!(Table::parse("t.csv", bytes).unwrap().digest(), hex_digest(bytes));
}

#[test]
fn files_without_rows_are_refused() {
    assert_eq!(message(b""), "`t.csv` is empty");
    assert_eq!(message(b"\xef\xbb\xbf\n\n"), "`t.csv` is empty");
    assert_eq!(message(b"a,b\n"), "`t.csv` has a header but no rows");
}

#[test]
fn headers_need_distinct_names() {
    assert_eq!(message(b"a,,b\n1,2,3\n"), "`t.csv`, line 1: column 2 of the header has no name");
    assert_eq!(message(b"a,b, a\n1,2,3\n"), "`t.csv`, line 1: the header names column `a` twice");
}

#[test]
fn bad_rows_are_named_by_line() {
    assert_eq!(message(b"a,b\n1,2\n3\n"), "`t.csv`, line 3: expected 2 cells but found 1");
    assert_eq!(message(b"a,b\n\n1,2,3\n"), "`t.csv`, line 3: expected 2 cells but found 3");
    assert_eq!(
        message(b"a,b\n1,2\n3,M\xfcnchen\n"),
        "`t.csv`, line 3, column `b`: the text is not UTF-8; in Latin-1 it would be `München`"
    );
    assert_eq!(message(b"a,\xff\n1,2\n"), "`t.csv`, line 1: the text is not UTF-8");
}

#[test]
fn missing_column_lists_the_others_and_guesses() {
    let table = parse("hospital,age\nA,1\n").unwrap();
    let error = table.column("hospitals").unwrap_err();
    assert_eq!(error.to_string(), "`t.csv` has no column `hospitals`; it has `hospital`, `age`");
    assert_eq!(error.hint().unwrap(), "did you mean `hospital`?");
    assert!(table.column("income").unwrap_err().hint().unwrap().contains("data inspect"));
    let headless = parse("West,27\nEast,31\n").unwrap().column("hospital").unwrap_err();
    assert!(headless.hint().unwrap().contains("no header line"), "{headless}");
}

#[test]
fn unreadable_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("absent.csv");
    let error = Table::read(&path).unwrap_err();
    assert!(error.to_string().contains("absent.csv"), "{error}");
    assert!(std::error::Error::source(&error).is_some());
    std::fs::write(&path, "a\n1\n").unwrap();
    assert_eq!(Table::read(&path).unwrap().cell(0, 0), "1");
}
