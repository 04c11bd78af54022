//! Quantities as targets: free of unit and zero, and loud where a model is of no use.

use crate::harness::Folder;

/// Stations with a common slope and levels of their own, `a y + b` instead of `y`.
fn stations(a: f64, b: f64) -> String {
    let mut text = "station,x,y\n".to_owned();
    for row in 0..48_u32 {
        let (station, step) = (row % 4, row / 4);
        let x = f64::from((step * 5) % 12);
        let y = 3.0 * x + f64::from(station) + f64::from((row * 7) % 5) / 2.0;
        let line = format!("s{station},{x},{}\n", a * y + b);
        text.push_str(&line);
    }
    text
}

const FLAGS: &str = "--agent station --target y --model linear";

/// A number of a document by its path, rounded to what survives another unit.
fn close(a: &serde_json::Value, b: &serde_json::Value) -> bool {
    let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
    (a - b).abs() <= 1e-6 * (1.0 + a.abs())
}

#[test]
fn stretching_and_moving_the_target_changes_predictions_only() {
    let folder =
        Folder::new(&[("y.csv", &stations(1.0, 0.0)), ("moved.csv", &stations(250.0, 1e5))]);
    let [own, moved] = ["y", "moved"].map(|name| {
        let said =
            folder.run(&format!("solve {name}.csv {FLAGS} --json --certificate {name}.c.json"));
        assert_eq!(said.code, 0, "{}", said.err);
        folder.write(&format!("{name}.json"), &said.out);
        let checked = folder.run(&format!("verify {name}.c.json --data {name}.csv"));
        assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
        said.json()
    });
    for (before, after) in
        own["agents"].as_array().unwrap().iter().zip(moved["agents"].as_array().unwrap())
    {
        for field in ["ceiling", "loss", "utility", "alone"] {
            assert!(close(&before[field], &after[field]), "{field}: {before} {after}");
        }
    }
    for name in ["x", "(intercept)"] {
        assert!(close(&own["parameters"][name], &moved["parameters"][name]), "{name}");
    }
    assert_eq!(own["verdict"], moved["verdict"]);
    // An error in the unit of the target is 250 times as large.
    let error = |document: &serde_json::Value| document["target"]["errors"][0].as_f64().unwrap();
    assert!((error(&moved) / error(&own) - 250.0).abs() < 1e-4);
    let [p, q] = ["y", "moved"].map(|name| {
        let said = folder.run(&format!("predict {name}.json y.csv"));
        assert_eq!(said.code, 0, "{}", said.err);
        said.out.lines().nth(1).unwrap().parse::<f64>().unwrap()
    });
    assert!((250.0 * p + 1e5 - q).abs() < 1e-4 * q, "{p} {q}");
    // A line through twelve points each: close to 3 x, and not to the mean of all.
    assert!(own["agents"][0]["loss"].as_f64().unwrap() < 0.05, "{own}");
    assert!(own.get("warnings").is_none(), "{own}");
}

#[test]
fn a_model_that_is_worse_than_the_mean_is_said_to_be() {
    let folder =
        Folder::new(&[("y.csv", &stations(1.0, 0.0)), ("raw.csv", &stations(1.0, 1000.0))]);
    // In a ball of radius 10 about zero no prediction is near 1000.
    let said = folder.run(&format!("solve raw.csv {FLAGS} --raw"));
    for words in ["WARNING: the ball holds the model back", "worse than the mean", "4 of 4 agents"]
    {
        assert!(said.out.contains(words), "{words}: {}{}", said.out, said.err);
    }
    // Standardised, the same ball is large enough.
    let said = folder.run(&format!("solve raw.csv {FLAGS}"));
    assert!(said.code == 0 && !said.out.contains("WARNING"), "{}", said.out);
    let said = folder.run(&format!("solve y.csv {FLAGS} --radius 0.01 --json"));
    let warnings = said.json()["warnings"].to_string();
    assert!(
        warnings.contains("sphere of radius 0.01") && !warnings.contains("worse than the mean"),
        "{warnings}"
    );
}
