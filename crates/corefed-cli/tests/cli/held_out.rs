//! Rows that nobody trains on: measured in every document, and the page answers with them first.

use serde_json::Value;

use crate::harness::Folder;

/// Every row of a site is `x = 1` with the same target, so held-out rows are like training rows.
const SPEC: &str = "data = \"sites.csv\"\nagent = \"site\"\ntarget = \"y\"\nmodel = \"linear\"\nraw = true\n\
                    intercept = false\nl2 = 0.5\nceiling = 100\nheld_out = 0.25\n";

fn sites() -> Folder {
    let rows = |name: &str, y: f64| format!("{name},1,{y}\n").repeat(40);
    let table = format!("site,x,y\n{}{}{}", rows("a", 1.0), rows("b", 2.0), rows("c", 6.0));
    Folder::new(&[("sites.csv", &table), ("sites.toml", SPEC)])
}

fn document(folder: &Folder, path: &str) -> Value {
    serde_json::from_str(&folder.read(path)).expect("JSON")
}

fn close(found: &Value, expected: f64) {
    let found = found.as_f64().expect("a number");
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

#[test]
fn an_exact_run_measures_every_rule_and_own_models_on_held_out_rows() {
    let folder = sites();
    let said = folder.run("run sites.toml --out run");
    assert_ne!(said.code, 2, "{}", said.err);
    for rule in ["core", "utilitarian", "egalitarian"] {
        let audit = document(&folder, &format!("run/{rule}.predictor.json"));
        let held_out = &audit["held_out"];
        assert_eq!(held_out["quality"], "r2");
        for (k, target) in [1.0_f64, 2.0, 6.0].into_iter().enumerate() {
            let (trained, found) = (&audit["agents"][k], &held_out["agents"][k]);
            assert_eq!((&found["name"], &found["rows"]), (&trained["name"], &10.into()));
            // Equal rows, so equal losses, ridge included.
            close(&found["model"]["loss"], trained["loss"].as_f64().unwrap());
            close(&found["model"]["utility"], trained["utility"].as_f64().unwrap());
            // The minimum of (t - y)^2 + t^2/4 lies at 4y/5, and is y^2/5.
            close(&found["alone"]["loss"], target * target / 5.0);
            close(&found["alone"]["utility"], 100.0 - target * target / 5.0);
            // Equal targets leave nothing to explain.
            assert_eq!(found["model"]["quality"], Value::Null);
        }
        close(&held_out["log_welfare"], audit["log_welfare"].as_f64().unwrap());
    }
    assert!(said.out.contains("held-out loss (r2)"), "{}", said.out);
    assert!(said.out.contains("On held-out rows 0 of the 3 sites do better"), "{}", said.out);
    let summary = folder.read("run/summary.md");
    assert!(summary.contains("| held-out utility |") && summary.contains("| held-out loss (r2) |"));
    let header = document(&folder, "run/run.json");
    assert_eq!(header["agents"][2]["held_out_samples"], 10);
}

#[test]
fn a_training_says_on_its_page_what_it_has_on_held_out_rows() {
    let folder = Folder::new(&[]);
    let said =
        folder.run("run hospitals-rounds --set held_out=0.25 --set train.rounds=20 --out run");
    assert!(said.out.contains("alone: held-out loss (accuracy)"), "{}", said.out);
    let audit = document(&folder, "run/audit.json");
    let found = &audit["held_out"]["agents"][0];
    let shown = format!("{:.4}", found["alone"]["loss"].as_f64().unwrap());
    let html = folder.read("run/report.html");
    assert!(html.contains("On rows that nobody trained on") && html.contains(&shown), "{shown}");
    assert_eq!(audit["owner"], "hospital");
    assert!(
        html.contains("5 hospitals trained by corefed"),
        "their own word, though rows were split"
    );
}

#[test]
fn a_run_with_held_out_rows_answers_first_whether_it_is_worth_staying() {
    let folder = Folder::new(&[]);
    assert_ne!(folder.run("run --set held_out=0.3 --out run").code, 2);
    let html = folder.read("run/report.html");
    let place = |what: &str| html.find(what).unwrap_or_else(|| panic!("{what}"));
    assert!(place("<section id=\"stay\"") < place("<section id=\"answer\""));
    assert!(place("<section id=\"agents\"") < place("<section id=\"contributions\""));
    // The answer is that of the command on the same rows.
    let told = folder.run("stay --held-out 0.3 --json");
    assert_eq!(folder.read("run/stay.json"), told.out);
}

#[test]
fn staying_can_be_asked_of_a_run() {
    let folder = Folder::hospitals();
    let before = folder.read("run/report.html");
    assert!(before.contains("corefed stay .") && !before.contains("<section id=\"stay\""));
    let said = folder.run("stay run");
    assert_eq!(said.out.lines().last(), Some("report: run/report.html"), "{}", said.err);
    let html = folder.read("run/report.html");
    assert!(html.contains("<section id=\"stay\"") && !html.contains("corefed stay ."));
    for name in ["run/stay.json", "run/stay.md", "run/stay.csv"] {
        assert!(folder.path(name).is_file(), "{name}");
    }
    let alone = folder.run("report run/stay.json --out alone.html");
    assert_eq!(alone.code, 0, "{}", alone.err);
    assert!(folder.read("alone.html").contains("Is it worth staying?"));
    std::fs::create_dir(folder.path("empty")).unwrap();
    let said = folder.run("stay empty");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("`empty` has no `spec.toml`"), "{}", said.err);
}

#[test]
fn a_search_for_a_ceiling_has_a_page() {
    let folder = Folder::new(&[]);
    let said = folder.run("ceiling hospitals --out search");
    assert_eq!(said.out.lines().last(), Some("report: search/report.html"), "{}", said.err);
    let html = folder.read("search/report.html");
    let found = document(&folder, "search/ceiling.json");
    let ceiling = found["recommended"]["ceiling"].as_str().expect("a ceiling");
    assert!(html.contains(&format!("Use --ceiling {ceiling}.")), "{ceiling}");
    assert_eq!(folder.run("report search --out again.html").code, 0);
    assert_eq!(folder.read("again.html"), html);
}

#[test]
fn a_sweep_names_who_leaves_and_shows_losses() {
    let folder = Folder::new(&[]);
    let said = folder.run("sweep hospitals --values 0.5,0.72,1 --out sweep");
    assert_eq!(said.code, 0, "{}", said.err);
    let sweep = document(&folder, "sweep/sweep.json");
    assert_eq!(sweep["owner"], "hospital");
    let leaving: Vec<&str> = sweep["points"][1]["leaving"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(!leaving.is_empty());
    let html = folder.read("sweep/report.html");
    assert!(html.contains("Stable from ceiling = 1 on."), "an answer");
    assert!(html.contains("<b>ceiling = 0.5</b>: Dresden cannot be served."));
    let [first @ .., last] = leaving.as_slice() else { panic!("nobody") };
    assert!(html.contains(&format!("{} and {last} together would leave", first.join(", "))));
    assert!(html.contains("5 hospitals under 3 values") && html.contains("Losses against ceiling"));
}

/// What agent `k` has from its own model on held-out rows.
fn alone(folder: &Folder, run: &str, k: usize) -> Value {
    document(folder, &format!("{run}/audit.json"))["held_out"]["agents"][k]["alone"].clone()
}

const IMAGES: &str = "data = 'shapes'\nseed = 3\nceiling = 3.0\nheld_out = 0.2\nsample = 0.1\n";
const ROUNDS: &str = "[partition]\nmethod = 'iid'\nagents = 3\n[train]\nrounds = 3\n\
                      [train.local]\nepochs = 1\nbatch = 20\nlearning_rate = 0.05\n";
const NETWORK: &str = "[network]\nlayers = ['flatten', 'linear 8', 'relu', 'linear 6']\n\
                       [audit]\nlanczos = 0\nbursts = 0\n";

#[test]
fn own_models_of_images_are_trained_and_measured_beside_the_shared_one() {
    let linear = format!("{IMAGES}model = 'softmax'\n{ROUNDS}");
    let network = format!("{IMAGES}model = 'network'\n{NETWORK}{ROUNDS}");
    let folder = Folder::new(&[("linear.toml", &linear), ("network.toml", &network)]);
    for model in ["linear", "network"] {
        let said = folder.run(&format!("run {model}.toml --out {model}"));
        assert!([0, 1, 3].contains(&said.code), "{}", said.err);
        assert!(said.out.contains("alone: held-out loss (accuracy)"), "{}", said.out);
        let html = folder.read(&format!("{model}/report.html"));
        for k in 0..3 {
            let own = alone(&folder, model, k);
            let loss = own["loss"].as_f64().expect("a loss");
            // By definition of a utility, and not the shared model's.
            close(&own["utility"], 3.0 - loss);
            assert!(html.contains(&format!("{loss:.4}")), "{loss}");
            let document = document(&folder, &format!("{model}/audit.json"));
            assert_ne!(document["held_out"]["agents"][k]["model"]["loss"], own["loss"]);
        }
        // `corefed stay` trains the same models of single agents on the same rows.
        let said = folder.run(&format!("stay {model} --json"));
        let stay: Value = serde_json::from_str(&said.out).expect("JSON");
        for k in 0..3 {
            let found = stay["agents"][k]["alone"]["loss"].as_f64().expect("a loss");
            close(&alone(&folder, model, k)["loss"], found);
        }
        let off = folder.run(&format!("run {model}.toml --set train.alone=off --out {model}-off"));
        assert!(!off.out.contains("alone:"), "{}", off.out);
        assert!(alone(&folder, &format!("{model}-off"), 0).is_null());
    }
}

#[test]
fn a_comparison_trains_own_models_once() {
    let linear = format!("{IMAGES}model = 'softmax'\n{ROUNDS}");
    let folder = Folder::new(&[("linear.toml", &linear)]);
    let said = folder.run("compare linear.toml --rules fedavg,corefed --seeds 2 --out c");
    assert_eq!(said.code, 0, "{}", said.err);
    for seed in 1..=2 {
        assert!(alone(&folder, &format!("c/fedavg-seed-{seed}"), 0)["loss"].is_number());
        assert!(alone(&folder, &format!("c/corefed-seed-{seed}"), 0).is_null());
    }
    let first = alone(&folder, "c/fedavg-seed-1", 0)["loss"].as_f64().expect("a loss");
    let second = alone(&folder, "c/fedavg-seed-2", 0)["loss"].as_f64().expect("a loss");
    let mean = format!("{:.4}", f64::midpoint(first, second));
    assert!(folder.read("c/report.html").contains(&mean), "{mean}");
}
