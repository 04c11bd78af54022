//! Poisson regression with exposures, by every command.

use std::fmt::Write as _;

use crate::harness::Folder;

/// Insurers with claims in some years; the rates differ by age.
fn claims() -> String {
    let mut text = "insurer,age,years,claims\n".to_owned();
    for k in 0_u32..60 {
        let (insurer, age, years) = (["a", "b", "c"][k as usize % 3], k % 7, 1 + k % 4);
        let claims = years * (1 + age / 2) / 2 + (k * 5) % 3;
        writeln!(text, "{insurer},{age},{years}.5,{claims}").expect("a string");
    }
    text
}

const COLUMNS: &str = "--agent insurer --target claims --model poisson --exposure years";

#[test]
fn solved_verified_and_predicted() {
    let folder = Folder::new(&[("claims.csv", &claims())]);
    let said = folder.run(&format!("solve claims.csv {COLUMNS} --certificate c.json --json"));
    assert_eq!(said.code, 0, "{}", said.err);
    folder.write("fit.json", &said.out);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["predictor"]["family"], "poisson");
    assert_eq!(answer["predictor"]["encoding"]["exposure_column"], "years");
    let said = folder.run("verify c.json --data claims.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    let said = folder.run("audit claims.csv --predictor fit.json");
    assert_eq!(said.code, 0, "{}", said.err);
    // Twice the exposure, twice the mean; agent and target are not needed.
    folder.write("new.csv", "age,years\n3,1\n3,2\n");
    let said = folder.run("predict fit.json new.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    let means: Vec<f64> = said.out.lines().skip(1).map(|line| line.parse().unwrap()).collect();
    assert!((means[1] / means[0] - 2.0).abs() < 1e-12 && means[0] > 0.0, "{means:?}");
    let tampered = folder.read("c.json").replace("\"exposure_column\": \"years\",", "");
    folder.write("t.json", &tampered);
    let said = folder.run("verify t.json --data claims.csv");
    assert_eq!(said.code, 2, "{}", said.out);
}

#[test]
fn run_exactly_and_by_rounds() {
    let spec = "data = \"claims.csv\"\nagent = \"insurer\"\ntarget = \"claims\"\nexposure = \"years\"\n\
                model = \"poisson\"\n";
    let rounds = format!(
        "{spec}held_out = 0.2\n[train]\nrounds = 40\nrule = \"corefed\"\n[train.local]\nlearning_rate = 0.1\n"
    );
    let folder =
        Folder::new(&[("claims.csv", &claims()), ("exact.toml", spec), ("rounds.toml", &rounds)]);
    let said = folder.run("run exact.toml --out exact");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(folder.read("exact/spec.toml").contains("exposure = \"years\""));
    assert!(folder.read("exact/report.html").contains("poisson"));
    let said = folder.run("verify exact/core.certificate.json --data claims.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    let said = folder.run("run rounds.toml --out rounds");
    assert!(matches!(said.code, 0 | 1 | 3), "{}", said.err);
    let rows = folder.read("rounds/federation.csv");
    assert!(rows.starts_with("agent,age,years,claims\n"), "{}", &rows[..40]);
    let said = folder.run("verify rounds/certificate.json --data rounds/federation.csv");
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn what_cannot_be_counted_is_refused() {
    let folder = Folder::new(&[
        ("claims.csv", &claims()),
        ("negative.csv", &claims().replacen("b,1,2.5,3", "b,1,2.5,-2", 1)),
    ]);
    let said = folder.run(&format!("solve negative.csv {COLUMNS}"));
    assert_eq!(said.code, 2);
    assert!(said.err.contains("`-2` of agent `b`"), "{}", said.err);
    let said = folder.run(&format!("solve claims.csv {COLUMNS} --radius 500"));
    assert_eq!(said.code, 2);
    assert!(said.err.contains("in the ball of radius 500"), "{}", said.err);
    let other = COLUMNS.replace("poisson", "linear");
    let said = folder.run(&format!("solve claims.csv {other}"));
    assert_eq!(said.code, 2);
    assert!(said.err.contains("a linear model takes none"), "{}", said.err);
}
