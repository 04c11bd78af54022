//! Commands that must refuse: exit code 2, a message that names the place, a hint, nothing written.

use crate::harness::{Folder, PARABOLAS, PLAIN};

const GOOD: &str = "agent,x,z,y\nA,1,2,0\nA,2,1,1\nA,3,2,0\nB,4,1,1\nB,5,2,0\nB,6,1,1\n";

/// Solves a table with the default encoding and expects a refusal that says all of `fragments`.
fn refused(table: &str, flags: &str, fragments: &[&str]) {
    let folder = Folder::new(&[("d.csv", table)]);
    let said = folder.run(&format!(
        "solve d.csv --agent agent --target y --model logistic --certificate c.json {flags}"
    ));
    let context = format!("table {table:?}, flags `{flags}`\n{}{}", said.out, said.err);
    assert_eq!(said.code, 2, "{context}");
    for fragment in fragments {
        assert!(said.err.contains(fragment), "no `{fragment}`: {context}");
    }
    assert!(said.err.contains("hint: ") || said.err.contains("--help"), "no hint: {context}");
    assert!(!said.err.contains("panic") && !said.err.contains("internal error"), "{context}");
    assert!(said.out.is_empty(), "{context}");
    assert_eq!(folder.names(), ["d.csv"], "{context}");
}

#[test]
fn good_input_is_not_refused() {
    let folder = Folder::new(&[("d.csv", GOOD)]);
    let said = folder.run("solve d.csv --agent agent --target y --model logistic --ceiling 2");
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn tables_that_are_not_tables() {
    refused("", "", &["d.csv", "empty"]);
    refused("agent,x,y\n", "", &["d.csv"]);
    refused("agent,x,x,y\nA,1,2,0\n", "", &["d.csv", "`x`", "twice"]);
    refused("agent,x,y\nA,1,0\nA,1\n", "", &["d.csv", "line 3"]);
    refused("agent,x,label\nA,1,0\nB,2,1\n", "", &["d.csv", "no column `y`"]);
}

#[test]
fn agents_that_are_no_federation() {
    refused("agent,x,y\nA,1,0\nA,2,1\n", "", &["d.csv", "`A`", "single agent"]);
    refused("agent,x,y\nA,1,0\nA,2,1\nB,2,1\n", "", &["d.csv", "`B`", "single row"]);
    refused("agent,x,y\nA,1,0\nA,2,1\nB,2,1\nB,3,1\n", "", &["d.csv", "`B`", "class"]);
}

#[test]
fn an_identifier_is_not_an_agent() {
    let row = |k: usize| format!("a{},{},{}\n", k / 2, k % 7, k % 2);
    let rows: String = (0..24_000).map(row).collect();
    refused(&format!("agent,x,y\n{rows}"), "", &["d.csv", "`agent`", "12000 agents"]);
}

#[test]
fn quotes_that_do_not_close() {
    refused("agent,x,y\nA,\"1,0\nB,2,1\n", "", &["d.csv", "line 2"]);
}

#[test]
fn cells_that_are_not_numbers() {
    let with = |cell: &str| GOOD.replace("A,3,", &format!("A,{cell},"));
    refused(&with("three"), "", &["d.csv", "line 4", "column `x`", "three"]);
    refused(&with("NaN"), "--missing error", &["d.csv", "line 4", "column `x`", "NaN"]);
    refused(&with("inf"), "", &["d.csv", "line 4", "column `x`", "inf"]);
    refused(&with("1e300"), "", &["d.csv", "line 4", "column `x`", "1e300"]);
    refused(&with(""), "--missing error", &["d.csv", "line 4", "column `x`", "missing"]);
    refused(&GOOD.replace("A,3,2,0", "A,3,2,2"), "", &["d.csv", "`y`"]);
}

#[test]
fn features_that_cannot_be_used() {
    refused(
        "agent,x,z,w,v,y\nA,1,2,3,4,1\nA,2,1,3,1,0\nB,0,1,4,4,1\nB,3,2,2,1,0\n",
        "",
        &["d.csv"],
    );
}

#[test]
fn terms_that_make_no_sense() {
    refused(GOOD, "--radius 0", &["radius", "`0`"]);
    refused(GOOD, "--radius -3", &["radius", "`-3`"]);
    refused(GOOD, "--radius nan", &["radius"]);
    refused(GOOD, "--l2 -1", &["l2"]);
    refused(GOOD, "--ceiling 0", &["ceiling", "0"]);
    refused(GOOD, "--ceiling -2", &["ceiling"]);
    refused(GOOD, "--ceiling wurst", &["ceiling", "wurst"]);
    refused(GOOD, "--ceiling none.csv", &["none.csv"]);
    refused(GOOD, "--ceiling 0.01 --radius 0.1", &["`A` cannot have a positive utility"]);
    refused(GOOD, "--tolerance 0", &["`--tolerance` is `0`", "(0, 0.1]"]);
    refused(GOOD, "--tolerance 0.2", &["`--tolerance` is `0.2`"]);
    refused(GOOD, "--epsilon 1e-6", &["epsilon"]);
    refused(GOOD, "--time-limit -1", &["`--time-limit` is `-1`", "zero or more"]);
    refused(GOOD, "--threads 0", &["threads"]);
    refused(GOOD, "--allow everything", &["everything"]);
}

#[test]
fn weights_that_make_no_sense() {
    let cases = [
        ("agent,weight\nA,1\nB,-1\n", "`B`"),
        ("agent,weight\nA,1\nB,nan\n", "`B`"),
        ("agent,weight\nA,1\n", "`B`"),
        ("agent,weight\nA,1\nB,1\nC,1\n", "`C`"),
        ("agent,weight\nA,1\nB,1\nB,2\n", "`B`"),
        ("agent,wait\nA,1\nB,1\n", "`weight`"),
        ("agent,weight\nA,1\nB,1e200\n", "`B`"),
    ];
    for (weights, fragment) in cases {
        let folder = Folder::new(&[("d.csv", GOOD), ("w.csv", weights)]);
        let said =
            folder.run("solve d.csv --agent agent --target y --model logistic --weights w.csv");
        assert_eq!(said.code, 2, "{weights}");
        assert!(said.err.contains(fragment), "{weights}: {}", said.err);
    }
}

#[test]
fn tables_of_utilities_that_cannot_be_audited() {
    let cases = [
        ("model,a,b\nx,1,2\ny,nan,3\n", "x", "`nan`"),
        ("model,a,b\nx,1,2\ny,inf,3\n", "x", "`inf`"),
        ("model,a,b\nx,1,2\ny,,3\n", "x", "line 3"),
        ("model,a,b\nx,1,2\ny,2,3\n", "z", "no model `z`"),
        ("model,a,b\nx,1,2\n", "x", "no rivals"),
        ("model,a,b\nx,1,2\nx,2,3\n", "x", "`x`"),
        ("name,a,b\nx,1,2\ny,2,3\n", "x", "model"),
        ("model,a,a\nx,1,2\ny,2,3\n", "x", "`a`"),
        ("model,a,b\nx,1,2\ny,1e999999999,3\n", "x", "line 3"),
    ];
    for (table, incumbent, fragment) in cases {
        let folder = Folder::new(&[("t.csv", table)]);
        let said = folder.run(&format!("audit t.csv --incumbent {incumbent}"));
        assert_eq!(said.code, 2, "{table}: {}", said.err);
        assert!(said.err.contains(fragment) && said.err.contains("t.csv"), "{table}: {}", said.err);
    }
}

#[test]
fn predictors_that_do_not_fit_the_data() {
    let cases = [
        ("[]", "holds no predictor"),
        ("{", "not JSON"),
        (r#"{"parameters": {"x": 1, "q": 2}}"#, "`q`"),
        (r#"{"parameters": {}}"#, "`x`"),
        (r#"{"parameters": {"x": 50}}"#, "outside the ball"),
        (r#"{"predictor": {"family": "linear"}}"#, "`predictor`"),
    ];
    for (predictor, fragment) in cases {
        let folder = Folder::new(&[("p.csv", PARABOLAS), ("m.json", predictor)]);
        let said = folder.run(&format!("audit p.csv --predictor m.json {PLAIN} --ceiling 1"));
        assert_eq!(said.code, 2, "{predictor}: {}", said.out);
        assert!(said.err.contains(fragment), "{predictor}: {}", said.err);
    }
}

#[test]
fn specs_and_folders_that_cannot_be_used() {
    let minimal = "data = 'd.csv'\nagent = 'agent'\ntarget = 'y'\nmodel = 'logistic'\n";
    let folder = Folder::new(&[
        ("typo.toml", &format!("{minimal}cieling = 1\n")),
        ("missing.toml", "data = 'd.csv'\n"),
        ("nowhere.toml", &minimal.replace("d.csv", "absent.csv")),
        ("rounds.toml", &format!("{minimal}[train]\n")),
        ("syntax.toml", "data = d.csv\n"),
    ]);
    for (arguments, fragment) in [
        ("run nothing", "neither a preset nor"),
        ("run absent.toml", "absent.toml"),
        (
            "run typo.toml",
            "`typo.toml`, line 5, `cieling`: unknown key `cieling`; did you mean `ceiling`?",
        ),
        ("run missing.toml", "`missing.toml`: `agent`: is missing"),
        ("run missing.toml", "`missing.toml`: `model`: is missing"),
        ("run syntax.toml", "`syntax.toml`, line 1, column 8"),
        ("run rounds.toml", "d.csv"),
        ("run nowhere.toml", "absent.csv"),
        ("run --out typo.toml/run", "typo.toml"),
    ] {
        let before = folder.names();
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}");
        assert!(said.err.contains(fragment), "{arguments}: {}", said.err);
        assert_eq!(folder.names(), before, "{arguments} left something behind");
    }
}
