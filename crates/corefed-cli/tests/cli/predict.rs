//! `corefed predict`: run folders, cells that nobody knows, intervals.

use std::fmt::Write;

use crate::harness::Folder;

/// `y = 2 x + wiggle` at two sites.
fn rows(range: std::ops::Range<u32>) -> String {
    let mut text = String::from("site,x,kind,y\n");
    for k in range {
        let (site, kind) = (if k % 2 == 0 { "a" } else { "b" }, if k % 3 == 0 { "p" } else { "q" });
        let y = 2 * (k % 11) + (k * 7) % 5;
        writeln!(text, "{site},{},{kind},{y}", k % 11).expect("a string");
    }
    text
}

fn fitted() -> Folder {
    let (train, held) = (rows(0..60), rows(60..99));
    let folder = Folder::new(&[("d.csv", &train), ("held.csv", &held)]);
    let solve = "solve d.csv --agent site --target y --model linear --radius 100 --json";
    folder.write("fit.json", &folder.run(solve).out);
    folder
}

fn cells(csv: &str) -> Vec<Vec<f64>> {
    let line = |line: &str| line.split(',').map(|cell| cell.parse().unwrap_or(f64::NAN)).collect();
    csv.lines().skip(1).map(line).collect()
}

#[test]
fn a_run_folder_knows_its_predictor() {
    let folder = Folder::hospitals();
    folder.write("new.csv", &folder.read("run/federation.csv"));
    let by_file = folder.run("predict run/core.predictor.json new.csv");
    assert_eq!(by_file.code, 0, "{}", by_file.err);
    assert_eq!(folder.run("predict run new.csv").out, by_file.out);
    let other = folder.run("predict run new.csv --rule egalitarian").out;
    assert_eq!(other, folder.run("predict run/egalitarian.predictor.json new.csv").out);
    assert_ne!(other, by_file.out);
    let trained = folder.run("run hospitals-rounds --out trained --set train.rounds=3");
    assert!(trained.code < 2, "{}", trained.err);
    let audited = folder.run("predict trained/audit.json new.csv");
    assert_eq!(audited.code, 0, "{}", audited.err);
    for what in ["trained", "trained/model.safetensors"] {
        assert_eq!(folder.run(&format!("predict {what} new.csv")).out, audited.out);
    }
}

#[test]
fn cells_that_nobody_knows_go_by_policy() {
    let folder = fitted();
    folder.write("new.csv", "x,kind\n3,p\n4,other\n,q\n5,q\n");
    let refused = folder.run("predict fit.json new.csv");
    assert!(refused.code == 2 && refused.err.contains("line 3"), "{}", refused.err);

    let blank = folder.run("predict fit.json new.csv --unknown blank");
    assert_eq!(blank.code, 0, "{}", blank.err);
    for note in
        ["column `kind`: 1 unknown cell, first `other` on line 3", "column `x`: 1 unknown cell"]
    {
        assert!(blank.err.contains(note), "{}", blank.err);
    }
    let found = cells(&blank.out);
    assert!(found[1][0].is_nan() && found[2][0].is_nan() && found.len() == 4, "{}", blank.out);
    folder.write("good.csv", "x,kind\n3,p\n5,q\n");
    let good = cells(&folder.run("predict fit.json good.csv").out);
    assert_eq!([&found[0], &found[3]], [&good[0], &good[1]]);

    // By hand: an unknown level adds nothing, a hole is the mean, which is zero when standardised.
    let fit: serde_json::Value = serde_json::from_str(&folder.read("fit.json")).unwrap();
    let own = |name: &str| fit["parameters"][name].as_f64().unwrap();
    let feature = &fit["predictor"]["encoding"]["features"][0];
    let [mean, scale] = ["mean", "scale"].map(|field| feature[field].as_f64().unwrap());
    let found = cells(&folder.run("predict fit.json new.csv --unknown neutral").out);
    let target = &fit["predictor"]["encoding"]["target_scale"];
    let [centre, unit] = ["mean", "scale"].map(|field| target[field].as_f64().unwrap());
    let wanted =
        [(4.0 - mean) / scale * own("x") + own("(intercept)"), own("kind=q") + own("(intercept)")]
            .map(|standardised| centre + unit * standardised);
    for (found, wanted) in [found[1][0], found[2][0]].into_iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
    }
    // A column that is not there is not a cell.
    folder.write("none.csv", "x\n3\n");
    let said = folder.run("predict fit.json none.csv --unknown neutral");
    assert!(said.code == 2 && said.err.contains("`kind`"), "{}", said.err);
}

#[test]
fn intervals_are_the_ranked_errors_of_held_out_rows() {
    let folder = fitted();
    let predicted = cells(&folder.run("predict fit.json held.csv").out);
    let targets = folder.read("held.csv");
    let targets = cells(&targets).into_iter().map(|row| row[3]);
    let mut errors: Vec<f64> = targets.zip(&predicted).map(|(y, p)| (y - p[0]).abs()).collect();
    errors.sort_by(f64::total_cmp);
    // 39 rows: ceil(40 * 0.9) = 36.
    let said = folder.run("predict fit.json d.csv --calibrate held.csv");
    assert!(said.out.starts_with("y,lower,upper\n"), "{}", said.out);
    for row in cells(&said.out) {
        assert!(
            (row[0] - row[1] - errors[35]).abs() < 1e-9
                && (row[2] - row[0] - errors[35]).abs() < 1e-9
        );
    }
    let said = folder.run("predict fit.json d.csv --calibrate held.csv --level 0.99");
    assert!(said.code == 2 && said.err.contains("calibrate on 99 rows or more"), "{}", said.err);
}
