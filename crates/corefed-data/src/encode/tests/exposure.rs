use corefed_core::Feature;

use super::*;
use crate::{apply_exposure, corrupt, decode, fit_file};
use corefed_core::Seed;

const POISSON: Family = Family::Poisson;
const CLAIMS: &str = "who,age,years,y\na,1,0.5,0\nb,2,2,3\na,4,1.25,1\nb,8,1,2.5\n";

fn exposed() -> EncodeOptions {
    EncodeOptions { exposure_column: Some("years".to_owned()), ..options(POISSON) }
}

#[test]
fn exposures_go_with_their_rows_and_are_no_features() {
    let encoded = fitted(CLAIMS, &exposed());
    assert_eq!(encoded.federation.exposure(0..4), [0.5, 1.25, 2.0, 1.0]);
    assert_eq!(encoded.federation.target(), [0.0, 1.0, 3.0, 2.5]);
    let names: Vec<String> = encoded.encoding.features.iter().map(Feature::name).collect();
    assert_eq!(names, ["age", "(intercept)"]);
    let table = table(CLAIMS);
    assert_eq!(apply_exposure(&table, &encoded.encoding).unwrap(), [0.5, 2.0, 1.25, 1.0]);
    let plain = fitted(CLAIMS, &options(POISSON));
    assert!(plain.federation.exposure(0..4).is_empty());
    assert!(apply_exposure(&table, &plain.encoding).unwrap().is_empty());
}

#[test]
fn a_file_gives_what_its_table_gives() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.csv");
    let cases = [
        CLAIMS.to_owned(),
        CLAIMS.replace("0.5", "0"),
        CLAIMS.replace(",3\n", ",-3\n"),
        CLAIMS.replace("1.25", "-1").replace(",3\n", ",x\n"),
        CLAIMS.replace("1.25", "many"),
    ];
    for text in cases {
        std::fs::write(&path, &text).unwrap();
        let name = path.display().to_string();
        let expected = fit(&Table::parse(&name, text.as_bytes()).unwrap(), &exposed());
        let found = fit_file(&path, &exposed()).map(|file| file.encoded);
        let told =
            |result: Result<Encoded, _>| result.map_err(|error: DataError| error.to_string());
        assert_eq!(told(found), told(expected), "{text}");
    }
}

#[test]
fn exposures_survive_decoding_and_corruption() {
    let Encoded { encoding, federation, .. } = fitted(CLAIMS, &exposed());
    let sorted = "who,age,years,y\na,1,0.5,0\na,4,1.25,1\nb,2,2,3\nb,8,1,2.5\n";
    assert_eq!(decode(&encoding, &federation), sorted);
    let mut corruptions = crate::Corruptions::default();
    corruptions.add_text("b=duplicate:1").unwrap();
    let kind = crate::TargetKind::of(&encoding);
    let doubled = corrupt(&federation, kind, &corruptions, Seed(1)).unwrap();
    assert_eq!(doubled.exposure(0..6), [0.5, 1.25, 2.0, 2.0, 1.0, 1.0]);
}

#[test]
fn counts_below_zero_and_exposures_of_nothing_name_row_and_agent() {
    let (message, _) = refused(&CLAIMS.replace(",3\n", ",-3\n"), &exposed());
    assert_eq!(
        message,
        "`t.csv`, line 3, column `y`: `-3` of agent `b` is not a count, zero or more, as a poisson \
         model predicts"
    );
    for bad in ["0", "-2", "1e-60"] {
        let (message, hint) = refused(&CLAIMS.replace("1.25", bad), &exposed());
        let expected = format!("column `years`: the exposure of agent `a` is `{bad}`");
        assert!(message.contains("line 4") && message.ends_with(&expected), "{message}");
        assert!(hint.contains("positive and finite"), "{hint}");
    }
    let (message, _) = refused(&CLAIMS.replace("1.25", "inf"), &exposed());
    assert!(message.contains("`inf` is not a finite number"), "{message}");
}

#[test]
fn a_column_of_exposures_has_no_other_role() {
    let other = EncodeOptions { family: Family::Linear, ..exposed() };
    let (message, _) = refused(CLAIMS, &other);
    assert!(message.ends_with("is given as exposure, and a linear model takes none"), "{message}");
    for role in ["who", "y"] {
        let both = EncodeOptions { exposure_column: Some(role.to_owned()), ..options(POISSON) };
        assert!(refused(CLAIMS, &both).0.contains("as exposure, and for agents or as target"));
    }
    let typed = vec![("years".to_owned(), ColumnType::Number)];
    let (message, _) = refused(CLAIMS, &EncodeOptions { types: typed, ..exposed() });
    assert!(message.contains("takes no type"), "{message}");
    let honest = fitted(CLAIMS, &exposed()).encoding;
    for column in ["who", "y", "age"] {
        let forged = Encoding { exposure_column: Some(column.to_owned()), ..honest.clone() };
        assert!(apply(&table(CLAIMS), &forged, POISSON).is_err(), "{column}");
    }
    assert!(apply(&table(CLAIMS), &honest, Family::Linear).is_err());
}
