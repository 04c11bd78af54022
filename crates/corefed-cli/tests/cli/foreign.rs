//! Models that are not ours: coefficients by name, predictions of any model, per-row losses.

use std::fmt::Write;

use crate::harness::Folder;

/// Two sites with a text column and a column far from zero.
fn sites() -> String {
    let mut text = String::from("site,dose,sex,ill\n");
    for k in 0..60_u32 {
        let (site, sex) =
            (if k % 2 == 0 { "north" } else { "south" }, if k % 3 == 0 { "f" } else { "m" });
        let dose = 100 + (k * 37) % 50;
        let ill =
            if (dose + k % 7 + if site == "north" { 4 } else { 0 }) % 9 > 4 { "yes" } else { "no" };
        writeln!(text, "{site},{dose},{sex},{ill}").expect("a string");
    }
    text
}

const COLUMNS: &str = "--agent site --target ill --model logistic";

#[test]
fn coefficients_come_in_raw_units_and_for_either_class() {
    let data = sites();
    let folder = Folder::new(&[("d.csv", &data)]);
    let solved = folder.run(&format!("solve d.csv {COLUMNS} --json")).json();
    let features = solved["predictor"]["encoding"]["features"].as_array().unwrap();
    let own = &solved["parameters"];
    let number = |name: &str| own[name].as_f64().unwrap();
    let [mean, scale] = ["mean", "scale"].map(|field| features[0][field].as_f64().unwrap());
    // b x + a = (b scale) z + (a + b mean).
    let slope = number("dose") / scale;
    let lift = number("(intercept)") - slope * mean;
    let (f, m) = (number("sex=f"), number("sex=m"));
    let file = |sign: f64| {
        format!(
            r#"{{"parameters": {{"dose": {}, "sex=f": {}, "sex=m": {}, "(intercept)": {}}}}}"#,
            sign * slope,
            sign * f,
            sign * m,
            sign * lift
        )
    };
    folder.write("yes.json", &file(1.0));
    folder.write("no.json", &file(-1.0));
    for class in ["yes", "no"] {
        let audit = format!(
            "audit d.csv --predictor {class}.json {COLUMNS} --units raw --positive {class}"
        );
        let found = folder.run(&format!("{audit} --json")).json();
        for (ours, theirs) in
            found["agents"].as_array().unwrap().iter().zip(solved["agents"].as_array().unwrap())
        {
            let [ours, theirs] = [ours, theirs].map(|agent| agent["utility"].as_f64().unwrap());
            assert!((ours - theirs).abs() < 1e-9, "{class}: {ours} instead of {theirs}");
        }
        let said = folder.run(&audit).out;
        assert!(said.contains(&format!("raw units, for the class `{class}`")), "{said}");
    }
    let said = folder.run(&format!("audit d.csv --predictor yes.json {COLUMNS} --positive maybe"));
    assert!(said.err.contains("`no`, `yes`"), "{}", said.err);
    // The same numbers in other units are another model.
    let standard =
        folder.run(&format!("audit d.csv --predictor yes.json {COLUMNS} --json --radius 100"));
    assert_ne!(standard.json()["agents"][0]["utility"], solved["agents"][0]["utility"]);
}

/// North has 1 and 3, south has 10 and 14.
const NUMBERS: &str = "site,y\nnorth,1\nsouth,10\nnorth,3\nsouth,14\n";

#[test]
fn models_are_judged_by_their_predictions() {
    let scores = "site,near,far\nnorth,2,4\nsouth,6,10\nnorth,2,8\nsouth,14,14\n";
    let folder = Folder::new(&[("d.csv", NUMBERS), ("p.csv", scores)]);
    let audit = "audit d.csv --predictions p.csv --agent site --target y --loss squared";
    // Losses 1 and 8 with `near`, 17 and 0 with `far`. The best common constant is (2 + 12)/2 = 7: it costs
    // 26 and 29, so ceilings are 39 and 43.5, utilities 38 and 35.5 or 22 and 43.5.
    let found = folder.run(&format!("{audit} --json")).json();
    assert_eq!((&found["incumbent"], &found["verdict"]), (&"near".into(), &"stable".into()));
    let agents = &found["agents"];
    for (k, (loss, ceiling)) in [(1.0, 39.0), (8.0, 43.5)].into_iter().enumerate() {
        assert_eq!(agents[k]["loss"], loss);
        assert_eq!(agents[k]["ceiling"], ceiling);
    }
    // North alone has 38/22 = 1.73 times as much with `near`, and needs twice as much: kappa is half of it.
    let found = folder.run(&format!("{audit} --incumbent far --json")).json();
    assert_eq!(found["verdict"], "stable");
    let kappa = found["kappa"]["lo"].as_f64().unwrap();
    assert!((kappa - 0.5 * 38.0 / 22.0).abs() < 1e-12, "{kappa}");
    // Under a ceiling of 18 `far` leaves north 1, and `near` gives it 17.
    let said = folder.run(&format!("{audit} --incumbent far --ceiling 18"));
    assert_eq!(said.code, 1, "{}", said.err);
    assert!(said.out.contains("north alone would leave"), "{}", said.out);
    // By samples both have the same say here; a file may say otherwise.
    folder.write("w.csv", "agent,weight\nnorth,9\nsouth,1\n");
    let heavy = folder.run(&format!("{audit} --incumbent far --weights w.csv --json")).json();
    assert_eq!(heavy["verdict"], "blocked");
    // A certificate speaks of the table of utilities, which is checked and audited to the same answer.
    let said = folder.run(&format!("{audit} --certificate c.json"));
    assert!(said.code == 2 && said.err.contains("--utilities"), "{}", said.err);
    let said = folder.run(&format!("{audit} --certificate c.json --utilities u.csv"));
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(folder.run("verify c.json --data u.csv").code, 0);
    assert_eq!(folder.run(&format!("{audit} --utilities -")).out, folder.read("u.csv"));
    let said = folder.run(&format!("{audit} --certificate u.csv --utilities u.csv"));
    assert!(said.err.contains("both name `u.csv`"), "{}", said.err);
    assert_eq!(folder.run("audit u.csv --incumbent far --json").json()["kappa"]["lo"], kappa);
}

#[test]
fn per_row_losses_are_taken_as_they_are() {
    let losses = "a,b\n0.5,1\n1,0.5\n1.5,1\n3,0.5\n";
    let folder = Folder::new(&[("d.csv", NUMBERS), ("l.csv", losses)]);
    let audit = "audit d.csv --predictions l.csv --agent site --loss given";
    let found = folder.run(&format!("{audit} --ceiling 4 --json")).json();
    // Means 1 and 2 with `a`, 1 and 0.5 with `b`: everybody is at least as well off, and south better.
    assert_eq!(found["agents"][1]["utility"], 2.0);
    assert_eq!(found["verdict"], "improvable");
    let said = folder.run(audit);
    assert!(said.code == 2 && said.err.contains("--ceiling"), "{}", said.err);
    let said = folder.run(&format!("{audit} --ceiling 4 --target y"));
    assert!(said.code == 2 && said.err.contains("`--target` has no effect"), "{}", said.err);
}

#[test]
fn probabilities_and_classes_have_losses_by_hand() {
    let data = "site,y\nnorth,a\nsouth,b\nnorth,c\nsouth,b\n";
    let shares = "m:a,m:b,m:c,n:a,n:b,n:c\n0.5,0.25,0.25,0.2,0.2,0.6\n0.25,0.5,0.25,0.2,0.6,0.2\n\
                  0.25,0.25,0.5,0.1,0.1,0.8\n0.25,0.5,0.25,0,1,0\n";
    let folder =
        Folder::new(&[("d.csv", data), ("p.csv", shares), ("c.csv", "m,n\na,b\nb,b\nb,c\nd,b\n")]);
    let audit = |rest: &str| {
        folder.run(&format!("audit d.csv --agent site --target y --ceiling 3 --json {rest}"))
    };
    let found = audit("--predictions p.csv --loss log").json();
    let loss = |found: &serde_json::Value, k: usize| found["agents"][k]["loss"].as_f64().unwrap();
    assert!(
        (loss(&found, 0) - 2_f64.ln()).abs() < 1e-12
            && (loss(&found, 1) - 2_f64.ln()).abs() < 1e-12
    );
    let found = audit("--predictions p.csv --loss log --incumbent n").json();
    assert!((loss(&found, 0) + 0.5 * (0.2_f64.ln() + 0.8_f64.ln())).abs() < 1e-12, "{found}");
    // Right, right | wrong, and a class that no row has.
    let found = audit("--predictions c.csv --loss zero-one").json();
    assert_eq!((loss(&found, 0), loss(&found, 1)), (0.5, 0.5));
}

#[test]
fn predictions_that_cannot_be_used_are_named() {
    let scores = "near,far\n2,4\n6,10\n2,8\n14,14\n";
    let cases = [
        (scores.replace("2,8\n", ""), "--loss squared --target y", "3 rows"),
        (scores.replace("2,8", "2,"), "--loss squared --target y", "line 4, column `far`"),
        (
            scores.replace("far", "site").replace(",4", ",north"),
            "--loss squared --target y",
            "`10` where the data have `south`",
        ),
        (scores.replace(",4", ",-4"), "--loss poisson --target y", "`-4` has no poisson loss"),
        (scores.to_owned(), "--loss log --target site --positive north", "not probabilities"),
        (scores.to_owned(), "--loss log --target y --positive 3", "no column `near:1`"),
        (scores.to_owned(), "--loss log --target site", "of which class?"),
        (scores.to_owned(), "--loss squared --target z", "no column `z`"),
        (scores.to_owned(), "--loss squared --target y --incumbent fat", "did you mean `far`"),
        (scores.to_owned(), "--loss squared --target y --ceiling worst", "nobody knows here"),
        (scores.to_owned(), "--loss squared --target y --clip 0.1", "`--clip` has no effect"),
        (scores.to_owned(), "--loss quadratic --target y", "there is no loss `quadratic`"),
        ("one\n1\n2\n3\n4\n".to_owned(), "--loss squared --target y", "one model"),
    ];
    for (scores, flags, fragment) in cases {
        let folder = Folder::new(&[("d.csv", NUMBERS), ("p.csv", &scores)]);
        let said = folder.run(&format!("audit d.csv --predictions p.csv --agent site {flags}"));
        assert_eq!(said.code, 2, "{flags}: {}", said.out);
        assert!(said.err.contains(fragment), "no `{fragment}`: {}", said.err);
    }
}
