use corefed_core::Feature;

use super::*;

const TEXT: &str = "who,zip,note,x,y\na,10,n1,1,5\na,20,n2,2,6\nb,10,n3,3,7\nb,20,n4,5,9\n";

fn typed(types: &[(&str, ColumnType)]) -> EncodeOptions {
    let types = types.iter().map(|&(name, kind)| (name.to_owned(), kind)).collect();
    EncodeOptions { types, l2: 1.0, ..options(Family::Linear) }
}

fn names(options: &EncodeOptions) -> Vec<String> {
    fitted(TEXT, options).encoding.features.iter().map(Feature::name).collect()
}

#[test]
fn numbers_can_be_categories_and_columns_can_be_left_out() {
    let options = typed(&[("zip", ColumnType::Text), ("note", ColumnType::Ignore)]);
    assert_eq!(names(&options), ["x", "zip=10", "zip=20", "(intercept)"]);
    let raw = EncodeOptions { raw: true, ..options };
    assert_eq!(names(&raw), ["x", "zip=10", "zip=20", "(intercept)"]);
}

#[test]
fn a_declared_number_must_be_one() {
    let (message, _) = refused(TEXT, &typed(&[("note", ColumnType::Number)]));
    assert_eq!(message, "`t.csv`, line 2, column `note`: `n1` is not a number");
}

#[test]
fn types_of_columns_that_are_not_there_are_refused() {
    let (message, hint) = refused(TEXT, &typed(&[("zap", ColumnType::Text)]));
    assert_eq!(message, "`t.csv` has no column `zap`; it has `who`, `zip`, `note`, `x`, `y`");
    assert_eq!(hint, "did you mean `zip`?");
}

#[test]
fn types_of_agent_and_target_and_second_types_are_refused() {
    for name in ["who", "y"] {
        let (message, _) = refused(TEXT, &typed(&[(name, ColumnType::Text)]));
        let expected =
            format!("`t.csv`: column `{name}` is the agent or the target, and takes no type");
        assert_eq!(message, expected);
    }
    let twice = typed(&[("zip", ColumnType::Text), ("zip", ColumnType::Text)]);
    assert_eq!(refused(TEXT, &twice).0, "`t.csv`: column `zip` is given two types");
}

#[test]
fn names_of_policies_and_types_are_read_back() {
    for policy in Missing::ALL {
        assert_eq!(policy.to_string().parse(), Ok(policy));
    }
    for kind in ColumnType::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
    }
    let error = "mode".parse::<Missing>().unwrap_err().to_string();
    assert_eq!(error, "`mode` is none of `error`, `category`, `mean`, `drop`, `auto`");
}
