//! Files whose separator or decimals are recognised wrongly: told, and then read the same by everybody.

use std::fmt::Write as _;

use crate::harness::Folder;

/// Every line has one comma, so that commas look right, and thousands look like decimals.
fn shops(separator: &str) -> String {
    let mut text = ["shop", "size, cm", "price"].join(separator) + "\n";
    for row in 0..40 {
        let (shop, size) = (["A", "B"][row % 2], (row * 7) % 20);
        let price = 100 + 31 * size + (row * 13) % 17;
        let cells = [format!("{shop}, north"), size.to_string(), format!("1.{price}")];
        let _ = writeln!(text, "{}", cells.join(separator));
    }
    text
}

const SOLVE: &str = "solve t.csv --agent shop --target price --model linear";

#[test]
fn a_separator_that_is_told_is_part_of_what_is_certified() {
    let folder = Folder::new(&[("t.csv", &shops(";"))]);
    let wrong = folder.run(SOLVE);
    assert_eq!(wrong.code, 2, "{}", wrong.out);
    assert!(wrong.err.contains("no column `shop`"), "{}", wrong.err);
    assert!(wrong.err.contains("--separator ';'"), "{}", wrong.err);
    let told = format!("{SOLVE} --separator ; --certificate c.json --json");
    let said = folder.run(&told);
    assert_eq!(said.code, 0, "{}", said.err);
    folder.write("fit.json", &said.out);
    assert_eq!(folder.run("verify c.json --data t.csv").code, 0);
    // The predictor knows how its file is written; another file may be written otherwise.
    let audit = folder.run("audit t.csv --predictor fit.json");
    assert_eq!(audit.code, 0, "{}", audit.err);
    let rows = folder.run("predict fit.json t.csv");
    assert_eq!(rows.code, 0, "{}", rows.err);
    folder.write("bars.csv", &shops("|"));
    assert_eq!(folder.run("predict fit.json bars.csv").code, 2);
    assert_eq!(folder.run("predict fit.json bars.csv --separator pipe").out, rows.out);
    let bars =
        folder.run("audit bars.csv --predictor fit.json --separator pipe --certificate b.json");
    assert_eq!(bars.code, 0, "{}", bars.err);
    assert_eq!(folder.run("verify b.json --data bars.csv").code, 0);
    assert_eq!(folder.run("verify b.json --data t.csv").code, 2);
    let columns = folder.run("data inspect t.csv --separator semicolon");
    assert!(columns.out.contains("40 rows") && columns.out.contains("size, cm"), "{}", columns.out);
}

#[test]
fn decimals_that_are_told_change_what_numbers_mean() {
    let folder = Folder::new(&[("t.csv", &shops(";"))]);
    let mean = |flags: &str| {
        let said =
            folder.run(&format!("{SOLVE} --separator ; {flags} --json --certificate c.json"));
        assert_eq!(said.code, 0, "{}", said.err);
        assert_eq!(folder.run("verify c.json --data t.csv").code, 0, "{flags}");
        let encoding = &said.json()["predictor"]["encoding"];
        (encoding["target_scale"]["mean"].as_f64().unwrap(), encoding["intake"]["written"].clone())
    };
    let (points, commas) = (mean(""), mean("--decimal comma"));
    assert!((commas.0 - 1000.0 * points.0).abs() < 1e-9 * commas.0, "{} {}", points.0, commas.0);
    assert_eq!(points.1, serde_json::json!({"separator": "semicolon"}));
    assert_eq!(commas.1, serde_json::json!({"separator": "semicolon", "decimal": "comma"}));
    assert_eq!(mean("--decimal point").0.to_bits(), points.0.to_bits());
}

#[test]
fn specs_are_told_by_keys() {
    let spec = "data = \"t.csv\"\nagent = \"shop\"\ntarget = \"price\"\nmodel = \"linear\"\n\
                separator = \"semicolon\"\ndecimal = \"comma\"\n";
    let folder = Folder::new(&[("t.csv", &shops(";")), ("t.toml", spec)]);
    for (out, set, data) in
        [("whole", "seed=8", "t.csv"), ("part", "held_out=0.2", "part/federation.csv")]
    {
        let said = folder.run(&format!("run t.toml --set {set} --out {out}"));
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
        let said = folder.run(&format!("verify {out}/core.certificate.json --data {data}"));
        assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    }
    // What a run writes itself has commas.
    assert!(folder.read("part/federation.csv").contains("\"size, cm\""));
    let table = "ceiling t.csv --agent shop --target price --model linear --precision 0.5";
    let said = folder.run(&format!("{table} --separator ;"));
    assert!(said.code != 2 && said.out.contains("baseline"), "{}{}", said.out, said.err);
}

#[test]
fn marks_without_an_effect_are_refused() {
    let folder = Folder::new(&[
        ("t.csv", &shops(";")),
        ("u.csv", "model,A,B\nnow,1,2\nthen,2,1\n"),
        ("p.parquet", "PAR1"),
    ]);
    for (command, message, hint) in [
        (format!("{SOLVE} --separator space"), "space", "`semicolon`"),
        (format!("{SOLVE} --decimal dot"), "dot", "`point`"),
        (
            "audit u.csv --incumbent now --separator tab".to_owned(),
            "`--separator` has no effect",
            "--predictor",
        ),
        (
            "audit u.csv --incumbent now --decimal comma".to_owned(),
            "`--decimal` has no effect",
            "--predictor",
        ),
        ("data inspect hospitals --separator tab".to_owned(), "`hospitals` is a known set", "drop"),
        ("run --set separator=tab".to_owned(), "`hospitals` is a known set", "drop"),
        ("ceiling hospitals --separator tab".to_owned(), "a spec says itself", "--set"),
        ("data inspect p.parquet --decimal comma".to_owned(), "is Parquet", "drop"),
    ] {
        let said = folder.run(&command);
        assert_eq!(said.code, 2, "{command}: {}", said.out);
        assert!(said.err.contains(message) && said.err.contains(hint), "{command}: {}", said.err);
    }
}
