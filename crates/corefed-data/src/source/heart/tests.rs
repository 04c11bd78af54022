use super::*;

const ROW: &[u8] = b"63.0,1.0,1.0,145.0,233.0,1.0,2.0,150.0,0.0,2.3,3.0,0.0,6.0,0\n";

/// The table of four hospitals, of which Switzerland has the rows given.
fn with(swiss: &[u8]) -> Result<Table, SourceError> {
    parse("heart", [("c", ROW), ("h", ROW), ("s", swiss), ("v", ROW)])
}

#[track_caller]
fn message(swiss: &[u8]) -> String {
    with(swiss).unwrap_err().to_string()
}

fn row(table: &Table, row: usize) -> Vec<&str> {
    (0..table.columns().len()).map(|column| table.cell(row, column)).collect()
}

#[test]
fn hospitals_are_a_column_and_numbers_have_one_form() {
    let table = with(b"32,1,1,95,200,?,0,127,0,.7,1,?,-0.0,3\n").unwrap();
    assert_eq!(
        row(&table, 0),
        [
            "cleveland",
            "63",
            "1",
            "1",
            "145",
            "233",
            "1",
            "2",
            "150",
            "0",
            "2.3",
            "3",
            "0",
            "6",
            "0"
        ]
    );
    assert_eq!(
        row(&table, 2),
        [
            "switzerland",
            "32",
            "1",
            "1",
            "95",
            "200",
            "?",
            "0",
            "127",
            "0",
            "0.7",
            "1",
            "?",
            "0",
            "1"
        ]
    );
}

#[test]
fn impossible_zeros_are_missing_values() {
    let table = with(b"32,0,1,0,0,0,0,127,0,0,1,0,0,0\n").unwrap();
    assert_eq!(
        row(&table, 2),
        ["switzerland", "32", "0", "1", "?", "?", "0", "0", "127", "0", "0", "1", "0", "0", "0"]
    );
}

#[test]
fn any_degree_of_disease_counts() {
    for (degree, disease) in [("0", "0"), ("1", "1"), ("2", "1"), ("3", "1"), ("4", "1")] {
        let text = format!("32,1,1,95,0,?,0,127,0,.7,1,?,?,{degree}\n");
        assert_eq!(with(text.as_bytes()).unwrap().cell(2, 14), disease);
    }
}

#[test]
fn bad_cells_are_named_by_file_line_and_column() {
    assert_eq!(
        message(b"32,1,1,95,0,?,0,127,0,.7,1,?,?,1\n32,1,x,95,0,?,0,127,0,.7,1,?,?,1\n"),
        "`s`, line 2, column `cp`: expected a number or `?` but found `x`"
    );
    assert_eq!(
        message(b"32,1,1,95,0,?,0,127,0,.7,1,?,?,5\n"),
        "`s`, line 1, column `disease`: expected a degree of disease from 0 to 4 but found `5`"
    );
    for odd in ["inf", "nan", "1e9", "", "-", "1-2", "."] {
        let text = format!("{odd},1,1,95,0,?,0,127,0,.7,1,?,?,1\n");
        assert!(message(text.as_bytes()).contains("column `age`"), "{odd}");
    }
    assert_eq!(message(b"1,2\n"), "`s`, line 1: expected 14 cells but found 2");
    assert_eq!(message(b"\xff\n"), "`s`, line 1: the text is not UTF-8");
}

#[test]
fn a_hospital_without_patients_is_refused() {
    assert_eq!(message(b"\n\n"), "`s` is empty");
}
