use super::*;

const ROW: &str = "39, State-gov, 77516, Bachelors, 13, Never-married, Adm-clerical, \
                   Not-in-family, White, Male, 2174, 0, 40, United-States";

#[track_caller]
fn message(text: &str) -> String {
    parse("adult.data", text.as_bytes()).unwrap_err().to_string()
}

#[test]
fn the_quirks_of_the_test_file_are_undone() {
    let text = format!("|1x3 Cross validator\n{ROW}, <=50K.\n{ROW}, >50K.\n\n");
    let table = parse("adult.test", text.as_bytes()).unwrap();
    assert_eq!((table.rows(), table.columns().len()), (2, 15));
    let income = table.column("income").unwrap();
    assert_eq!([table.cell(0, income), table.cell(1, income)], ["<=50K", ">50K"]);
    assert_eq!(table.cell(0, table.column("workclass").unwrap()), "State-gov");
    // Lines are those of the file, so that messages can be followed.
    assert_eq!([table.line(0), table.line(1)], [2, 3]);
}

#[test]
fn missing_values_stay_and_line_ends_do_not_matter() {
    let row = ROW.replace("State-gov", "?");
    let table = parse("adult.data", format!("{row}, >50K\r\n\r\n").as_bytes()).unwrap();
    assert_eq!(table.cell(0, 1), "?");
    assert_eq!(table.cell(0, 14), ">50K");
}

#[test]
fn bad_rows_are_named_by_line() {
    assert_eq!(
        message(&format!("{ROW}, <=50K\n39, State-gov\n")),
        "`adult.data`, line 2: expected 15 cells but found 2"
    );
    assert_eq!(
        message(&format!("{ROW}, 50K\n")),
        "`adult.data`, line 1, column `income`: expected `<=50K` or `>50K` but found `50K`"
    );
    let bytes = [ROW.as_bytes(), b", >50K\n\xff\n"].concat();
    let error = parse("adult.data", &bytes).unwrap_err();
    assert_eq!(error.to_string(), "`adult.data`, line 2: the text is not UTF-8");
}

#[test]
fn files_without_rows_are_empty() {
    assert_eq!(message(""), "`adult.data` is empty");
    assert_eq!(message("|1x3 Cross validator\n\n"), "`adult.data` is empty");
}

#[test]
fn a_missing_file_can_be_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let error = read(folder.path()).unwrap_err();
    assert!(error.to_string().ends_with("has none of `adult.data`"), "{error}");
    assert!(error.hint().unwrap().starts_with("`corefed data fetch adult`"));
}
