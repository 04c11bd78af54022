//! The page of every kind of folder.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Folder, PARABOLAS, PLAIN};

/// The JSON inside a page.
fn embedded(html: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"corefed-data\">";
    let (_, rest) = html.split_once(start).expect("data");
    let (data, _) = rest.split_once("</script>").expect("an end");
    serde_json::from_str(data).expect("JSON")
}

#[test]
fn a_run_ends_with_its_page_and_the_page_with_its_numbers() {
    let folder = Folder::new(&[]);
    let said = folder.run("run --out run");
    assert_eq!(said.out.lines().last(), Some("report: run/report.html"));
    let html = folder.read("run/report.html");
    assert!(html.contains("No group of hospitals can do better by more than its share allows."));
    let data = embedded(&html);
    let core: Value = serde_json::from_str(&folder.read("run/core.predictor.json")).unwrap();
    for (k, agent) in core["agents"].as_array().unwrap().iter().enumerate() {
        assert_eq!(data["agents"][k]["name"], agent["name"]);
        assert_eq!(data["models"][0]["utilities"][k], agent["utility"]);
        assert_eq!(data["models"][0]["alone"][k], agent["alone"]);
    }
    // Five agents: 31 coalitions of each rule, and the best of them is what the audit found.
    let listed: Value = serde_json::from_str(&folder.read("run/coalitions.json")).unwrap();
    for (k, rule) in ["core", "utilitarian", "egalitarian"].into_iter().enumerate() {
        let own = listed["models"][k]["coalitions"].as_array().unwrap();
        assert_eq!((listed["models"][k]["model"].as_str(), own.len()), (Some(rule), 31));
        let reach = |c: &Value| c["share"].as_f64().unwrap() * c["value"]["lo"].as_f64().unwrap();
        let leaves = |c: &&Value| c["members"].as_array().unwrap().len() < 5;
        let most = own.iter().filter(leaves).map(reach).fold(0.0, f64::max);
        let audit: Value =
            serde_json::from_str(&folder.read(&format!("run/{rule}.predictor.json"))).unwrap();
        let [lo, hi] = ["lo", "hi"].map(|end| audit["kappa"][end].as_f64().unwrap());
        assert!(lo <= most * (1.0 + 1e-5) && most <= hi * (1.0 + 1e-5), "{rule}: {most}");
        // A stable model needs no more than a bound, a blocked one is given its best coalition.
        let blocked = audit["verdict"] == "blocked";
        assert!(!blocked || (most - lo).abs() < 1e-5 * lo, "{rule}: {most} and {lo}");
        assert_eq!(data["models"][k]["coalitions"].as_array().unwrap().len(), 31);
    }
    // Made again it is the same.
    assert_eq!(folder.run("report run --out again.html").code, 0);
    assert_eq!(folder.read("again.html"), html);
}

#[test]
fn an_interrupted_training_ends_with_the_same_page() {
    let folder = Folder::new(&[]);
    let spec = "run hospitals-rounds --set train.rounds=3000";
    assert_ne!(folder.run(&format!("{spec} --out whole")).code, 2);
    let mut child = Command::new(env!("CARGO_BIN_EXE_corefed"))
        .args(spec.split(' ').chain(["--out", "cut"]))
        .current_dir(folder.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Whether this is early, late or after the end, the folder must come to the same.
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    let said = folder.run("run --resume cut");
    assert_ne!(said.code, 2, "{}", said.err);
    assert_eq!(said.out.lines().last(), Some("report: cut/report.html"));
    let html = folder.read("whole/report.html");
    assert!(folder.read("cut/report.html") == html, "the pages differ");
    let rounds = &embedded(&html)["tables"]["rounds-log-welfare"]["rows"];
    assert_eq!(rounds.as_array().unwrap().last().unwrap()[0], 3000);
    assert_eq!(folder.run("report whole --out again.html").code, 0);
    assert!(folder.read("again.html") == html, "made again it differs");
}

#[test]
fn comparisons_and_sweeps_have_pages() {
    let folder = Folder::new(&[]);
    let said = folder
        .run("compare hospitals-rounds --rules fedavg,corefed --set train.rounds=30 --out compare");
    assert_eq!(said.out.lines().last(), Some("report: compare/report.html"), "{}", said.err);
    let data = embedded(&folder.read("compare/report.html"));
    assert_eq!(data["models"][0]["name"], "corefed");
    let columns = &data["tables"]["rounds-log-welfare"]["columns"];
    assert_eq!(columns, &json!(["round", "corefed", "fedavg"]));

    let said = folder.run("sweep hospitals --values 0.72,1 --out sweep");
    assert_eq!(said.out.lines().last(), Some("report: sweep/report.html"), "{}", said.err);
    let table = &embedded(&folder.read("sweep/report.html"))["tables"]["sweep"];
    let sweep: Value = serde_json::from_str(&folder.read("sweep/sweep.json")).unwrap();
    for k in 0..2 {
        assert_eq!(table["rows"][k][1], sweep["points"][k]["verdict"]);
        assert_eq!(table["rows"][k][2], sweep["points"][k]["kappa"]["lo"]);
        assert_eq!(table["rows"][k][4], sweep["points"][k]["everybody"]["lo"]);
        assert_eq!(table["rows"][k][8], sweep["points"][k]["utilities"][0]);
    }
    let again = folder.run("sweep sweep/spec.toml --values 0.72,1 --out sweep2");
    assert_eq!(again.code, 0, "{}", again.err);
}

#[test]
fn answers_have_pages_and_names_stay_names() {
    let evil = PARABOLAS.replace("A,", "<script>alert(1)</script>,");
    let folder =
        Folder::new(&[("evil.csv", &evil), ("table.csv", "model,a,b\nfedavg,1,1\nother,4,0.5\n")]);
    let solve = format!("solve evil.csv {PLAIN} --ceiling 0.4 --report page.html");
    let said = folder.run(&solve);
    assert_eq!(
        (said.code, said.out.lines().last()),
        (1, Some("report: page.html")),
        "{}",
        said.err
    );
    let html = folder.read("page.html");
    assert!(!html.contains("<script>alert") && html.contains("&lt;script&gt;alert(1)"));
    // Alone each could have 0.4 instead of 0.15: the closed form of two parabolas.
    let value = embedded(&html)["models"][0]["coalitions"][0][1].as_f64().unwrap();
    assert!((value - 0.4 / 0.15).abs() < 1e-6, "{value}");

    let said = folder.run("audit table.csv --incumbent fedavg --report table.html");
    assert_eq!(said.code, 1, "{}", said.err);
    let html = folder.read("table.html");
    assert!(
        html.contains(
            "With the model `other` it gets x4.00 what it has, and a group of 1 of 2 needs x2."
        ),
        "{html}"
    );
    assert_eq!(embedded(&html)["rivals"][0]["utilities"], json!([4.0, 0.5]));
    let printed = folder.run("audit table.csv --incumbent fedavg --json").out;
    folder.write("audit.json", &printed);
    assert_eq!(folder.run("report audit.json").out, "report: audit.html\n");
    assert!(folder.read("audit.html").contains("SHA-256 of the answer"));
}

#[cfg(feature = "figures")]
#[test]
fn figures_come_in_three_formats() {
    let folder = Folder::hospitals();
    let said = folder.run("report run --figures figures");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.starts_with("figures: 3 in figures, as SVG"), "{}", said.out);
    for name in ["kappa", "agents", "data"] {
        let svg = folder.read(&format!("figures/{name}.svg"));
        assert!(svg.starts_with("<svg xmlns=") && !svg.contains("var("), "{name}");
        // Without any font, pictures with text would lie.
        if said.out.contains("PNG") && !said.out.contains("SVG only") {
            for (ending, magic) in [("png", &b"\x89PNG"[..]), ("pdf", b"%PDF")] {
                let bytes =
                    std::fs::read(folder.path(&format!("figures/{name}.{ending}"))).unwrap();
                assert!(bytes.starts_with(magic), "{name}.{ending}");
            }
        }
    }
}

#[test]
fn what_is_no_run_is_refused_with_a_hint() {
    let folder = Folder::new(&[("notes.txt", "hello")]);
    std::fs::create_dir(folder.path("empty")).unwrap();
    for (what, words) in [
        ("empty", "holds nothing to report"),
        ("absent", "does not exist"),
        ("notes.txt", "is not the JSON of an audit"),
    ] {
        let said = folder.run(&format!("report {what}"));
        assert_eq!(said.code, 2);
        assert!(said.err.contains(words), "{}", said.err);
    }
    assert_eq!(folder.names(), ["empty", "notes.txt"]);
}
