use corefed_core::Feature;

use super::*;

const LINEAR: Family = Family::Linear;

fn policy(missing: Missing) -> EncodeOptions {
    EncodeOptions { missing, ..options(LINEAR) }
}

#[test]
fn the_mean_of_the_others_stands_in_for_a_missing_number() {
    // 1 and 5 have mean 3; with 3 in the holes, the squares are 4 + 0 + 4 + 0 over four rows.
    let encoded = fitted("who,x,y\na,1,5\nb,?,6\na,5,7\nb,,9\n", &policy(Missing::Mean));
    let scale = 2.0_f64.sqrt();
    let x = Feature::Numeric { column: "x".to_owned(), mean: 3.0, scale, missing: Some(3.0) };
    assert_eq!(encoded.encoding.features[0], x);
    let design = encoded.federation.design();
    assert_eq!(design.dense_rows(0..4), [-2.0 / scale, 2.0 / scale, 0.0, 0.0]);

    let new = table("who,x,y\na,?,1\na,4,1\n");
    let federation = apply(&new, &encoded.encoding, LINEAR).unwrap();
    assert_eq!(federation.design().dense_rows(0..2), [0.0, 1.0 / scale]);
}

#[test]
fn a_column_without_holes_accepts_none_later() {
    let encoded = fitted("who,x,y\na,1,5\nb,2,6\nb,3,7\n", &allowing(&Check::ALL, LINEAR));
    let new = table("who,x,y\na,?,1\n");
    let error = apply(&new, &encoded.encoding, LINEAR).unwrap_err();
    assert_eq!(error.to_string(), "`t.csv`, line 2, column `x`: the value is missing (`?`)");
    assert!(error.hint().unwrap().contains("@missing mean"), "{:?}", error.hint());
}

#[test]
fn raw_numbers_are_filled_but_not_scaled() {
    let options = EncodeOptions { missing: Missing::Mean, ..raw(LINEAR) };
    let encoded = fitted("who,x,y\na,1,5\nb,?,6\na,5,7\nb,6,9\n", &options);
    assert_eq!(encoded.federation.design().dense_rows(0..4), [1.0, 5.0, 4.0, 6.0]);
}

#[test]
fn a_slip_is_still_a_slip_when_holes_are_filled() {
    let (message, _) = refused("who,x,y\na,?,5\nb,3O,6\nb,3,6\n", &policy(Missing::Mean));
    assert_eq!(
        message,
        "`t.csv`, line 3, column `x`: `3O` is not a number, but 1 of 3 cells of the column are"
    );
}

#[test]
fn texts_may_be_missing_unless_that_is_an_error() {
    let text = "who,t,y\na,p,5\nb,?,6\na,p,7\nb,,9\n";
    for missing in [Missing::Category, Missing::Mean] {
        let names: Vec<_> =
            fitted(text, &policy(missing)).encoding.features.iter().map(Feature::name).collect();
        assert_eq!(names, ["t=", "t=?", "t=p", "(intercept)"]);
    }
    let (message, hint) = refused(text, &policy(Missing::Error));
    assert_eq!(message, "`t.csv`, line 3, column `t`: the value is missing (`?`)");
    assert!(hint.ends_with("fit with `@missing category`"), "{hint}");
}

#[test]
fn missing_numbers_are_refused_with_the_remedy() {
    for missing in [Missing::Error, Missing::Category] {
        let (message, hint) = refused("who,x,y\na,1,5\nb,,6\n", &policy(missing));
        assert_eq!(message, "`t.csv`, line 3, column `x`: the value is missing");
        assert!(hint.ends_with("fit with `@missing mean`"), "{hint}");
    }
}

#[test]
fn a_target_is_never_filled() {
    let (message, hint) = refused("who,x,y\na,1,5\nb,2,\n", &policy(Missing::Mean));
    assert_eq!(message, "`t.csv`, line 3, column `y`: the value is missing");
    assert!(hint.ends_with("with `@missing drop`"), "{hint}");
}
