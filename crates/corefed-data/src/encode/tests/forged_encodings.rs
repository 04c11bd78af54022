use corefed_core::Feature;

use super::*;

fn numeric(column: &str) -> Feature {
    Feature::Numeric { column: column.to_owned(), mean: 0.0, scale: 1.0, missing: None }
}

fn level(column: &str, level: &str) -> Feature {
    Feature::Level { column: column.to_owned(), level: level.to_owned() }
}

fn encoding(features: Vec<Feature>) -> Encoding {
    Encoding {
        agent_column: "who".to_owned(),
        target_column: "y".to_owned(),
        exposure_column: None,
        classes: vec![],
        target_scale: None,
        intake: corefed_core::Intake::default(),
        features,
    }
}

#[track_caller]
fn message(encoding: &Encoding, family: Family) -> String {
    let table = table("who,x,z,sex,y\na,1,2,m,0\nb,2,3,f,1\n");
    let error = apply(&table, encoding, family).unwrap_err();
    assert!(matches!(error, DataError::Encoding(_)), "{error:?}");
    assert!(error.hint().is_some());
    error.to_string()
}

#[test]
fn features_must_be_in_order_and_unique() {
    use Feature::Intercept;
    for (features, expected) in [
        (vec![], "the encoding has no features"),
        (vec![level("sex", "m"), numeric("x")], "the encoding has feature `x` in the wrong place"),
        (vec![Intercept, level("sex", "m")], "the encoding has feature `sex=m` in the wrong place"),
        (vec![Intercept, numeric("x")], "the encoding has feature `x` in the wrong place"),
        (vec![Intercept, Intercept], "the encoding has two features called `(intercept)`"),
        (vec![numeric("x"), numeric("x")], "the encoding has two features called `x`"),
        (
            vec![level("sex", "m"), level("sex", "m")],
            "the encoding has two features called `sex=m`",
        ),
        (
            vec![level("sex", "m"), level("z", "2"), level("sex", "f")],
            "the encoding uses column `sex` in two places",
        ),
        (vec![numeric("z"), level("z", "2")], "the encoding uses column `z` in two places"),
        (vec![numeric("who")], "the encoding makes a feature of `who`, its agent or target column"),
        (vec![level("y", "0")], "the encoding makes a feature of `y`, its agent or target column"),
    ] {
        assert_eq!(message(&encoding(features), Family::Linear), expected);
    }
}

#[test]
fn moments_must_be_finite_and_the_scale_positive() {
    for (mean, scale) in
        [(f64::NAN, 1.0), (f64::INFINITY, 1.0), (0.0, 0.0), (0.0, -1.0), (0.0, f64::NAN)]
    {
        let feature = Feature::Numeric { column: "x".to_owned(), mean, scale, missing: None };
        assert_eq!(
            message(&encoding(vec![feature]), Family::Linear),
            format!("the encoding standardises column `x` with mean `{mean}` and scale `{scale}`")
        );
    }
}

#[test]
fn classes_must_fit_the_family_and_differ() {
    for (family, classes, expected) in [
        (
            Family::Linear,
            &["0", "1"][..],
            "the encoding lists 2 classes, which does not fit a linear model",
        ),
        (
            Family::Logistic,
            &["0", "1", "2"],
            "the encoding lists 3 classes, which does not fit a logistic model",
        ),
        (
            Family::Softmax,
            &["0"],
            "the encoding lists 1 classes, which does not fit a softmax model",
        ),
        (
            Family::Softmax,
            &["b", "a", "b"],
            "the encoding lists classes `b` and `b`, which are the same",
        ),
        (
            Family::Logistic,
            &["1", "1.0"],
            "the encoding lists classes `1` and `1.0`, which are the same",
        ),
    ] {
        let classes = classes.iter().copied().map(ToOwned::to_owned).collect();
        let forged = Encoding { classes, ..encoding(vec![numeric("x")]) };
        assert_eq!(message(&forged, family), expected);
    }
}

#[test]
fn agent_and_target_must_differ() {
    let forged = Encoding { target_column: "who".to_owned(), ..encoding(vec![numeric("x")]) };
    let expected = "the encoding uses column `who` both for agents and as target";
    assert_eq!(message(&forged, Family::Linear), expected);
}
