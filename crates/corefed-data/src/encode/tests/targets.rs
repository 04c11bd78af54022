use super::*;

const LOGISTIC: Family = Family::Logistic;
const SOFTMAX: Family = Family::Softmax;

/// Two agents, both with both of the first two classes, one row per class given.
fn labelled(classes: &[&str]) -> String {
    use std::fmt::Write as _;
    let mut text = "who,x,y\n".to_owned();
    let cycle = classes.iter().chain(classes);
    for (i, class) in cycle.enumerate() {
        let who = if i < classes.len() { "a" } else { "b" };
        writeln!(text, "{who},{i},{class}").unwrap();
    }
    text
}

#[test]
fn two_texts_become_zero_and_one_in_byte_order() {
    let encoded = fitted(&labelled(&["yes", "no"]), &options(LOGISTIC));
    assert_eq!(encoded.encoding.classes, ["no", "yes"]);
    assert_eq!(encoded.federation.target(), [1.0, 0.0, 1.0, 0.0]);
}

#[test]
fn numeric_classes_are_sorted_as_numbers() {
    let encoded = fitted(&labelled(&["10", "-1", "9"]), &options(SOFTMAX));
    assert_eq!(encoded.encoding.classes, ["-1", "9", "10"]);
    assert_eq!(encoded.federation.target(), [2.0, 0.0, 1.0, 2.0, 0.0, 1.0]);
    let encoded = fitted(&labelled(&["10", "ten", "9"]), &options(SOFTMAX));
    assert_eq!(encoded.encoding.classes, ["10", "9", "ten"], "one text makes all text");
}

#[test]
fn logistic_needs_exactly_two_classes() {
    let (message, hint) = refused(&labelled(&["c", "a", "b"]), &options(LOGISTIC));
    assert_eq!(message, "`t.csv`: column `y` has 3 classes for a logistic model: `a`, `b`, `c`");
    assert!(hint.contains("`@model softmax`"), "{hint}");
    for family in [LOGISTIC, SOFTMAX] {
        let (message, hint) = refused(&labelled(&["a", "a"]), &options(family));
        assert!(message.starts_with("`t.csv`: column `y` has one class for a "), "{message}");
        assert!(hint.contains("target column"), "{hint}");
    }
}

#[test]
fn one_number_written_twice_is_not_two_classes() {
    let (message, _) = refused(&labelled(&["0", "1", "1.0"]), &options(SOFTMAX));
    assert_eq!(message, "`t.csv`: column `y` has classes `1` and `1.0`, the same number");
    let (message, _) = refused(&labelled(&["0", "-0"]), &options(LOGISTIC));
    assert!(message.contains("the same number"), "{message}");
}

#[test]
fn missing_targets_are_named() {
    for family in [Family::Linear, LOGISTIC, SOFTMAX] {
        for options in [options(family), raw(family)] {
            let (message, _) = refused("who,x,y\na,1,0\na,2,1\nb,4,\nb,3,1\n", &options);
            assert_eq!(message, "`t.csv`, line 4, column `y`: the value is missing");
        }
    }
}

#[test]
fn linear_models_refuse_text() {
    let (message, hint) = refused("who,x,y\na,1,3\nb,2,<=50K\n", &options(Family::Linear));
    assert_eq!(
        message,
        "`t.csv`, line 3, column `y`: `<=50K` is not a number, and a linear model predicts numbers"
    );
    assert!(hint.contains("`@model logistic`"), "{hint}");
    let (message, _) = refused("who,x,y\na,1,inf\nb,2,2\n", &options(Family::Linear));
    assert_eq!(message, "`t.csv`, line 2, column `y`: `inf` is not a finite number within ±1e50");
}

#[test]
fn raw_labels_are_class_indices_however_they_are_printed() {
    let encoded = fitted(&labelled(&["1.000e+00", "0"]), &raw(LOGISTIC));
    assert_eq!(encoded.encoding.classes, ["0", "1"]);
    assert_eq!(encoded.federation.target(), [1.0, 0.0, 1.0, 0.0]);
    let encoded = fitted(&labelled(&["2", "0", "1.0"]), &raw(SOFTMAX));
    assert_eq!(encoded.encoding.classes, ["0", "1", "2"]);
    assert_eq!(encoded.federation.target()[..3], [2.0, 0.0, 1.0]);
}

#[test]
fn raw_labels_out_of_range_are_named() {
    for cell in ["2", "-1", "0.5", "1e30"] {
        let (message, hint) = refused(&labelled(&["0", cell]), &raw(LOGISTIC));
        let expected =
            format!("`t.csv`, line 3, column `y`: `{cell}` is not a raw label of a logistic model");
        assert_eq!(message, expected);
        assert_eq!(hint, "raw labels are 0 and 1");
    }
    let (message, _) = refused(&labelled(&["0", "1e15"]), &raw(SOFTMAX));
    assert!(message.contains("line 3, column `y`: `1e15`"), "{message}");
    let (message, _) = refused(&labelled(&["0", "2"]), &raw(SOFTMAX));
    assert_eq!(message, "`t.csv`: raw labels of column `y` go up to 2 but 1 is absent");
    let (message, _) = refused(&labelled(&["0"]), &raw(SOFTMAX));
    assert!(message.contains("one class"), "{message}");
}
