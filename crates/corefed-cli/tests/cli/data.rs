//! `corefed data` and `corefed predict`.

use serde_json::{Value, json};

use crate::harness::Folder;

fn parse(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

#[test]
fn known_sets_are_listed_with_their_state() {
    let folder = Folder::new(&[]);
    let sets = folder.run("data list --data-dir none --json").json();
    let state = |name: &str| {
        let all = sets.as_array().expect("a list");
        all.iter().find(|set| set["name"] == name).expect(name)["state"].clone()
    };
    assert_eq!((state("hospitals"), state("adult")), (json!("generated"), json!("absent")));
}

#[test]
fn inspecting_counts_labels_by_agent() {
    let folder = Folder::new(&[]);
    let said = folder.run("data inspect hospitals --seed 8 --picture map.svg --json");
    let set = said.json();
    assert_eq!((&set["rows"], &set["agents"][4]["name"]), (&json!(1560), &json!("Evora")));
    let labels = set["agents"][4]["labels"].as_object().expect("labels");
    assert_eq!(labels.values().filter_map(Value::as_u64).sum::<u64>(), 60);
    let picture = folder.read("map.svg");
    assert!(picture.starts_with("<svg") && picture.contains("Evora"), "{picture}");
}

#[test]
fn a_partition_is_reproducible_and_bound_to_its_data() {
    let folder = Folder::new(&[]);
    let draw = |out: &str, seed: u32| {
        let said = folder.run(&format!(
            "data partition shapes --method label-dirichlet --agents 5 --seed {seed} --out {out}"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
        folder.read(out)
    };
    assert_eq!(draw("a.json", 3), draw("b.json", 3));
    assert_ne!(parse(&draw("a.json", 3))["agents"], parse(&draw("c.json", 4))["agents"]);
    // The same images, drawn from the same seed, belong to it; others do not.
    assert_eq!(folder.run("data inspect shapes --seed 3 --partition a.json").code, 0);
    let stale = folder.run("data inspect shapes --seed 5 --partition a.json");
    assert_eq!(stale.code, 2);
    assert!(stale.err.contains("a.json") && stale.err.contains("hint"), "{}", stale.err);
}

#[test]
fn every_method_divides_every_row_once() {
    let folder = Folder::new(&[]);
    for method in [
        "iid --agents 7",
        "label-dirichlet --agents 4 --alpha 1",
        "shards --agents 5 --shards 2",
        "quantity-skew --agents 4 --alpha 2",
        "column --column hospital",
    ] {
        let said =
            folder.run(&format!("data partition hospitals --method {method} --out p.json --json"));
        assert_eq!(said.code, 0, "{method}: {}", said.err);
        let agents = said.json()["agents"].as_array().expect("agents").clone();
        let rows: u64 = agents.iter().filter_map(|agent| agent["rows"].as_u64()).sum();
        assert_eq!(rows, 1560, "{method}");
    }
}

#[test]
fn exported_rows_are_the_rows_and_corruption_touches_only_whom_it_names() {
    let folder = Folder::hospitals();
    let export = |extra: &[&str], out: &str| {
        let fixed = ["data", "export", "run/federation.csv", "--agent", "hospital"];
        let said =
            folder.run_with(&[&fixed[..], &["--target", "disease", "--out", out], extra].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        folder.read(out)
    };
    let of = |text: &str, name: &str| {
        text.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect::<Vec<_>>()
    };
    // A set that names its owners itself does not repeat them as a feature.
    assert_eq!(folder.run("data export hospitals --out own.csv").code, 0);
    assert!(folder.read("own.csv").starts_with("agent,age,"));
    let plain = export(&[], "plain.csv");
    let original = folder.read("run/federation.csv");
    assert_eq!(of(&plain, "Evora"), of(&original, "Evora"));
    let noisy = export(&["--corrupt", "Evora=noise:1,drop:0.5"], "noisy.csv");
    assert_eq!(of(&noisy, "Aachen").len(), 420);
    assert_eq!(of(&noisy, "Evora").len(), 30);
    assert!(!of(&plain, "Evora").contains(&of(&noisy, "Evora")[0]));
    let held = export(&["--test-share", "0.25"], "train.csv");
    let test = folder.read("train.test.csv");
    assert_eq!((of(&held, "Evora").len(), of(&test, "Evora").len()), (45, 15));
}

#[test]
fn a_predictor_fitted_on_some_rows_predicts_others() {
    let folder = Folder::hospitals();
    let rows = "age,blood_pressure,cholesterol,heart_rate,glucose,sex\n70,160,8.0,60,8.0,male\n";
    folder.write("new.csv", rows);
    let said = folder.run("predict run/core.predictor.json new.csv");
    assert_eq!(said.code, 0, "{}", said.err);
    let fields: Vec<&str> = said.out.lines().nth(1).expect("a row").split(',').collect();
    // The margin by hand, from the parameters and the encoding in the predictor file.
    let answer = parse(&folder.read("run/core.predictor.json"));
    let mut margin = answer["parameters"]["(intercept)"].as_f64().expect("number")
        + answer["parameters"]["sex=male"].as_f64().expect("number");
    for (name, value) in [
        ("age", 70.0),
        ("blood_pressure", 160.0),
        ("cholesterol", 8.0),
        ("heart_rate", 60.0),
        ("glucose", 8.0),
    ] {
        let features = answer["predictor"]["encoding"]["features"].as_array().expect("features");
        let feature = features.iter().find(|f| f["column"] == name).expect(name);
        let number = |field: &str| feature[field].as_f64().expect("number");
        let parameter = answer["parameters"][name].as_f64().expect("number");
        margin += parameter * (value - number("mean")) / number("scale");
    }
    let expected = 1.0 / (1.0 + (-margin).exp());
    let stated: f64 = fields[2].parse().expect("a probability");
    assert!((stated - expected).abs() < 1e-12, "{stated} != {expected}");
    assert_eq!(fields[0], if expected > 0.5 { "1" } else { "0" });
}

#[test]
fn holes_are_filled_and_columns_typed_as_asked() {
    let table = "who,x,code,y\nA,1,1,0\nA,?,2,1\nA,3,1,0\nB,4,2,1\nB,6,1,0\nB,2,2,1\n";
    let folder = Folder::new(&[("d.csv", table)]);
    let solve = |flags: &str| {
        folder.run(&format!(
            "solve d.csv --agent who --target y --model logistic --ceiling 2 --json {flags}"
        ))
    };
    let refused = solve("--missing category");
    assert_eq!(refused.code, 2);
    assert!(
        refused.err.contains("line 3") && refused.err.contains("--missing mean"),
        "{}",
        refused.err
    );
    let filled = solve("--missing mean --column code=text");
    assert_eq!(filled.code, 0, "{}", filled.err);
    let answer = filled.json();
    // (1 + 3 + 4 + 6 + 2) / 5, kept so that later rows with holes can be predicted.
    let feature = &answer["predictor"]["encoding"]["features"][0];
    assert_eq!((feature["column"].as_str(), feature["missing"].as_f64()), (Some("x"), Some(3.2)));
    assert!(answer["parameters"]["code=1"].is_f64(), "{}", answer["parameters"]);
    folder.write("fit.json", &filled.out);
    folder.write("new.csv", "x,code\n?,1\n3.2,1\n");
    let rows = folder.run("predict fit.json new.csv").out;
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(rows[0], rows[1], "a hole is the mean");
}

#[test]
fn bad_requests_are_refused_with_a_hint() {
    let folder = Folder::hospitals();
    folder.write(
        "odd.csv",
        "age,blood_pressure,cholesterol,heart_rate,glucose,sex\n1,1,1,1,1,other\n",
    );
    for (arguments, fragment) in [
        ("data inspect nothing", "no data set is called"),
        ("data inspect adult --data-dir none", "adult"),
        ("data inspect run/federation.csv --target age --agent nobody", "nobody"),
        ("data partition shapes --method label-dirichlet --alpha 0", "alpha"),
        ("data partition shapes --method label-dirichlet --alpha -1", "alpha"),
        ("data partition shapes --method iid --agents 0", "agents"),
        ("data partition shapes --method iid --agents 7000", "7000"),
        ("data partition shapes --method label-dirichlet --agents 3000", "3000"),
        ("data export shapes --out x.csv", "images"),
        ("data export hospitals --out x.csv --test-share 1.5", "1.5"),
        ("data export hospitals --out x.csv --corrupt Nobody=noise:1", "Nobody"),
        ("data export hospitals --out x.csv --corrupt Evora=fog:1", "fog"),
        #[cfg(feature = "download")]
        ("data fetch hospitals --data-dir none", "hospitals"),
        #[cfg(feature = "download")]
        ("data fetch adult --data-dir none --mirror http://127.0.0.1:9/", "127.0.0.1"),
        ("predict run/core.predictor.json odd.csv", "`other`"),
        ("predict run/spec.toml odd.csv", "not JSON"),
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}: {}", said.out);
        assert!(said.err.contains(fragment), "{arguments}: {}", said.err);
        assert!(!said.err.contains("internal error"), "{arguments}: {}", said.err);
    }
    assert!(!folder.path("x.csv").exists());
}
