use corefed_core::{Feature, TargetScale};

use super::*;

const LINEAR: Family = Family::Linear;

#[test]
fn numeric_columns_are_standardised_over_all_agents() {
    // Column x is 1, 2, 3, 4: mean 2.5, mean square about it (9 + 1 + 1 + 9) / 16 = 1.25.
    let encoded = fitted("who,x,y\na,1,5\nb,2,6\na,3,7\nb,4,9\n", &options(LINEAR));
    let scale = 1.25_f64.sqrt();
    assert_eq!(
        encoded.encoding.features,
        [
            Feature::Numeric { column: "x".to_owned(), mean: 2.5, scale, missing: None },
            Feature::Intercept
        ]
    );
    let federation = &encoded.federation;
    let expected = [1.0, 3.0, 2.0, 4.0].map(|x| (x - 2.5) / scale);
    assert_eq!(federation.design().dense_rows(0..4), expected);
    assert_eq!(federation.design().hot_rows(0..4), [1; 4]);
    // Mean 27/4; squares about it 49/16 + 1/16 + 9/16 + 81/16 = 35/4, over 4.
    let own = TargetScale { mean: 6.75, scale: (35.0_f64 / 16.0).sqrt() };
    assert_eq!(encoded.encoding.target_scale, Some(own));
    let expected = [5.0, 7.0, 6.0, 9.0].map(|y| (y - own.mean) / own.scale);
    assert_eq!(federation.target(), expected);
    let raw = fitted("who,x,y\na,1,5\nb,2,6\na,3,7\nb,4,9\n", &raw(LINEAR));
    assert_eq!(raw.federation.target(), [5.0, 7.0, 6.0, 9.0], "raw targets stay in their unit");
    assert_eq!(raw.encoding.target_scale, None);
}

#[test]
fn numbers_come_first_then_levels_in_byte_order_then_the_intercept() {
    let text = "city,x,who,sex,y,z\n\
                rome,1,a,m,1,4\nOslo,2,a,f,2,5\nrome,3,b,m,3,7\nåre,5,b,f,4,9\nrome,4,b,?,4,9\n\
                rome,1,a,m,1,4\nOslo,2,a,f,2,5\nrome,3,b,m,3,7\nåre,5,b,f,4,9\nrome,4,b,?,4,9\n";
    let encoded = fitted(text, &options(LINEAR));
    let names: Vec<_> = encoded.encoding.features.iter().map(Feature::name).collect();
    assert_eq!(
        names,
        ["x", "z", "city=Oslo", "city=rome", "city=åre", "sex=?", "sex=f", "sex=m", "(intercept)"]
    );
    // First row of agent a: rome and m.
    assert_eq!(encoded.federation.design().hot_rows(0..1), [3, 7, 8]);
}

#[test]
fn without_intercept_there_is_none() {
    let options = EncodeOptions { intercept: false, ..options(LINEAR) };
    let encoded = fitted("who,x,y\na,1,5\na,3,5\nb,2,6\nb,2,7\n", &options);
    assert_eq!(encoded.federation.design().dim(), 1);
    assert_eq!(encoded.federation.design().hot_cols(), 0);
    let (message, hint) = refused("who,y\na,1\nb,2\n", &options);
    assert_eq!(
        message,
        "`t.csv` has no columns besides agent and target, and there is no intercept"
    );
    assert!(hint.contains("intercept"));
}

#[test]
fn raw_numbers_are_taken_as_they_are() {
    let encoded = fitted("who,x,y\na,1,5\nb,-7e3,6\n", &raw(LINEAR));
    assert_eq!(encoded.federation.design().dense_rows(0..2), [1.0, -7e3]);
    let kept = Feature::Numeric { column: "x".to_owned(), mean: 0.0, scale: 1.0, missing: None };
    assert_eq!(encoded.encoding.features[0], kept);
}

#[test]
fn raw_mode_refuses_text() {
    for (cell, problem) in [
        ("red", "`red` is not a number"),
        ("inf", "`inf` is not a finite number within ±1e50"),
        ("nan", "the value is missing (`nan`)"),
        ("", "the value is missing"),
    ] {
        let text = format!("who,x,y\na,1,5\nb,{cell},6\n");
        let (message, _) = refused(&text, &raw(LINEAR));
        assert_eq!(message, format!("`t.csv`, line 3, column `x`: {problem}"));
    }
}

#[test]
fn a_slip_in_a_numeric_column_is_named() {
    let (message, hint) = refused("who,x,y\na,1,5\nb,2,6\nb,3O,6\n", &options(LINEAR));
    assert_eq!(
        message,
        "`t.csv`, line 4, column `x`: `3O` is not a number, but 2 of 3 cells of the column are"
    );
    assert!(hint.starts_with("fix the cell"), "{hint}");
    let (message, hint) = refused("who,x,y\na,1,5\nb,?,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv`, line 3, column `x`: the value is missing (`?`)");
    assert!(hint.starts_with("fill in"), "{hint}");
}

#[test]
fn deviations_beyond_the_range_of_floats_name_the_column() {
    // The square of 1e-200 underflows.
    let (message, _) = refused("who,x,y\na,1e-200,5\nb,2e-200,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv`: mean or deviation of column `x` is beyond the range of `f64`");
}

#[test]
fn encoded_names_must_differ() {
    let clash = "who,sex,sex=m,y\na,m,1,5\na,f,2,6\nb,m,3,7\nb,f,4,8\n";
    let (message, _) = refused(clash, &options(LINEAR));
    assert_eq!(message, "`t.csv`: two encoded columns would be called `sex=m`");
    let (message, _) = refused("who,(intercept),y\na,1,5\nb,2,6\n", &options(LINEAR));
    assert_eq!(message, "`t.csv`: two encoded columns would be called `(intercept)`");
}
