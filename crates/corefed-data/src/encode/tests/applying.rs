use super::*;

const TRAIN: &str = "who,x,sex,y\na,1,m,no\na,2,f,yes\nb,3,m,no\nb,4,f,yes\nb,5,f,yes\n";

fn encoding() -> Encoding {
    fitted(TRAIN, &options(Family::Logistic)).encoding
}

#[track_caller]
fn refused(text: &str) -> DataError {
    apply(&table(text), &encoding(), Family::Logistic).unwrap_err()
}

#[test]
fn new_rows_are_encoded_by_the_old_moments_and_levels() {
    let encoded = fitted(TRAIN, &options(Family::Logistic));
    let new = table("extra,y,sex,x,who\n!,yes,f,3,c\n!,no,m,5,a\n");
    let federation = apply(&new, &encoded.encoding, Family::Logistic).unwrap();
    // x of TRAIN has mean 3 and variance 2; order follows the encoding, not the new header.
    assert_eq!(federation.design().dense_rows(0..2), [0.0, 2.0 / 2.0_f64.sqrt()]);
    assert_eq!(federation.design().hot_rows(0..2), [1, 3, 2, 3]);
    assert_eq!(federation.target(), [1.0, 0.0]);
    assert_eq!(federation.agents()[0].name, "c");
}

#[test]
fn numbers_as_classes_match_by_value() {
    let encoded = fitted("who,x,y\na,1,0\na,2,1\nb,3,0\nb,4,1\n", &options(Family::Logistic));
    let new = table("who,x,y\na,1,0.0\na,1,1e0\n");
    let federation = apply(&new, &encoded.encoding, Family::Logistic).unwrap();
    assert_eq!(federation.target(), [0.0, 1.0]);
}

#[test]
fn what_the_encoding_does_not_know_is_named() {
    let error = refused("who,x,sex,y\na,1,m,no\na,1,g,no\n");
    assert_eq!(error.to_string(), "`t.csv`, line 3, column `sex`: the encoding has no level `g`");
    assert!(error.hint().is_some());
    assert_eq!(
        refused("who,x,sex,y\na,1,m,maybe\n").to_string(),
        "`t.csv`, line 2, column `y`: `maybe` is none of the classes `no`, `yes`"
    );
    assert_eq!(
        refused("who,x,y\na,1,no\n").to_string(),
        "`t.csv` has no column `sex`; it has `who`, `x`, `y`"
    );
    assert_eq!(
        refused("whom,x,sex,y\na,1,m,no\n").to_string(),
        "`t.csv` has no column `who`; it has `whom`, `x`, `sex`, `y`"
    );
}

#[test]
fn cells_that_are_no_finite_numbers_are_named() {
    for (cell, problem) in [
        ("one", "`one` is not a number"),
        ("NaN", "the value is missing (`NaN`)"),
        ("inf", "`inf` is not a finite number within ±1e50"),
        ("?", "the value is missing (`?`)"),
    ] {
        let error = refused(&format!("who,x,sex,y\na,{cell},m,no\n"));
        assert_eq!(error.to_string(), format!("`t.csv`, line 2, column `x`: {problem}"));
    }
    let mut tiny = encoding();
    let corefed_core::Feature::Numeric { scale, .. } = &mut tiny.features[0] else { panic!() };
    *scale = 1e-300;
    let error = apply(&table("who,x,sex,y\na,1e30,m,no\n"), &tiny, Family::Logistic).unwrap_err();
    assert!(error.to_string().contains("line 2, column `x`: `1e30` is too large"), "{error}");
}
