mod agents_and_checks;
mod applying;
mod exposure;
mod features;
mod forged_encodings;
mod intake;
mod missing;
mod targets;
mod types;

use super::*;

/// Agent `who`, target `y`, an intercept, nothing waived and no penalty.
fn options(family: Family) -> EncodeOptions {
    EncodeOptions {
        agent_column: "who".to_owned(),
        target_column: "y".to_owned(),
        exposure_column: None,
        family,
        intercept: true,
        raw: false,
        l2: 0.0,
        allow: Checks::default(),
        missing: Missing::Category,
        written: corefed_core::Writing::default(),
        na: Vec::new(),
        types: Vec::new(),
    }
}

fn raw(family: Family) -> EncodeOptions {
    EncodeOptions { raw: true, ..options(family) }
}

fn allowing(checks: &[Check], family: Family) -> EncodeOptions {
    EncodeOptions { allow: checks.iter().copied().collect(), ..options(family) }
}

fn table(text: &str) -> Table {
    Table::parse("t.csv", text.as_bytes()).unwrap()
}

#[track_caller]
fn fitted(text: &str, options: &EncodeOptions) -> Encoded {
    let table = table(text);
    let encoded = fit(&table, options).unwrap();
    let again = apply(&table, &encoded.encoding, options.family).unwrap();
    assert_eq!(again, encoded.federation, "apply reproduces fit");
    encoded
}

/// The message, and the hint, of a table that cannot be fitted.
#[track_caller]
fn refused(text: &str, options: &EncodeOptions) -> (String, String) {
    let error = fit(&table(text), options).unwrap_err();
    (error.to_string(), error.hint().unwrap_or_default())
}
