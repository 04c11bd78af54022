//! FLARE's cross-site evaluation, audited as it is.

use crate::harness::Folder;

/// North alone would have 0.425 of a ceiling of 0.55, and has 0.05.
const RESULTS: &str = r#"{
    "south": {"SRV_server": {"loss": 0.5}, "north": {"loss": 2.0}, "south": {"loss": 0.25}},
    "north": {"SRV_server": {"loss": 0.5}, "north": {"loss": 0.125}, "south": {"loss": 1.5}}
}"#;

fn folder() -> Folder {
    let folder = Folder::new(&[]);
    folder.write("results.json", RESULTS);
    folder
}

#[test]
fn it_is_a_table_of_utilities_with_a_ceiling() {
    let folder = folder();
    let asked = "audit results.json --incumbent SRV_server --ceiling 0.55 --utilities u.csv \
                 --certificate c.json --json";
    let said = folder.run(asked);
    assert_eq!(said.code, 1, "{}", said.err);
    let answer = said.json();
    assert_eq!(answer["verdict"], "blocked");
    assert!((answer["kappa"]["lo"].as_f64().expect("a number") - 4.25).abs() < 1e-12);
    assert!(said.out.contains("a utility is the ceiling minus `loss`, which sites reported"));
    // Anybody repeats it from the table that was written.
    assert_eq!(folder.run("verify c.json --data u.csv").code, 0);
    let again = folder.run("audit u.csv --incumbent SRV_server --json").json();
    assert_eq!(again["kappa"], answer["kappa"]);
    folder.write("ceilings.csv", "agent,ceiling\nsouth,2\nnorth,1\n");
    let said =
        folder.run("audit results.json --incumbent SRV_server --ceiling ceilings.csv --json");
    assert_eq!(said.json()["agents"][1]["utility"], 1.5, "{}", said.err);
}

#[test]
fn what_cannot_be_judged_is_refused_with_what_to_do() {
    let folder = folder();
    folder
        .write("half.json", r#"{"a": {"x": {"auc": 1}, "y": {"auc": 1}}, "b": {"x": {"auc": 1}}}"#);
    folder.write("other.json", "[1, 2]");
    for (asked, why, hint) in [
        ("results.json --incumbent SRV_server", "is a loss by its name", "`--ceiling NUMBER`"),
        (
            "results.json --incumbent SRV_server --ceiling initial:1.5",
            "follows from rows",
            "a number",
        ),
        ("results.json --incumbent best --ceiling 1", "has no model `best`", ""),
        (
            "results.json --incumbent north --ceiling 1 --certificate c.json",
            "speaks of",
            "--utilities",
        ),
        ("results.json --incumbent north --ceiling 1 --model linear", "has no effect", "drop"),
        (
            "half.json --incumbent x --target auc",
            "site `b` has no `auc` of model `y`",
            "evaluate again",
        ),
        (
            "other.json --incumbent x --ceiling 1",
            "is not a cross-site evaluation",
            "expected FLARE's",
        ),
        ("none.json --incumbent x --ceiling 1", "cannot read `none.json`", ""),
    ] {
        let said = folder.run(&format!("audit {asked}"));
        assert_eq!(said.code, 2, "{asked}: {}", said.out);
        assert!(said.err.contains(why), "{asked}: {}", said.err);
        assert!(said.err.contains(hint), "{asked}: {}", said.err);
    }
}
