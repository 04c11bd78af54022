//! The paper's tables, on images drawn by code so that nothing has to be downloaded.

use serde_json::Value;

use crate::harness::{Folder, Said};

/// A table in a second or two.
pub(crate) const QUICK: &str = "reproduce cifar10 --quick --out r --set data=shapes --set test=false \
     --set sample=0.05 --set model=mlp --set train.local.epochs=1";

pub(crate) fn quick(folder: &Folder, more: &[&str]) -> Said {
    folder.run(&format!("{QUICK} --rounds 2 {}", more.join(" ")))
}

#[test]
fn a_table_has_every_rule_under_every_ceiling_with_witness_and_intervals() {
    let folder = Folder::new(&[]);
    let said = quick(&folder, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    let results: Value =
        serde_json::from_str(&folder.read("r/table1-cifar10/results.json")).expect("JSON");
    let rows = results["rows"].as_array().expect("rows");
    // Six rules, three ceilings, one seed.
    assert_eq!(rows.len(), 18);
    let mut above = 0;
    for row in rows {
        let ceiling = row["ceiling"].as_f64().expect("a ceiling");
        let utilities = row["utilities"].as_array().expect("utilities");
        assert_eq!(utilities.len(), 3);
        // An agent that has nothing leaves for anything, and then kappa is infinite.
        let number = |value: &Value| value.as_f64().unwrap_or(f64::INFINITY);
        let (lo, hi) = (number(&row["kappa"]["lo"]), number(&row["kappa"]["hi"]));
        let stays = number(&row["everybody"]["lo"]);
        assert!(lo >= 0.0 && hi >= lo, "{row}");
        let served = utilities.iter().all(|u| number(u) > 0.0);
        assert!(!served || lo >= 2.0 / 3.0 && stays >= 1.0, "{row}");
        for own in row["held_out"].as_array().expect("held out").iter().filter(|o| !o.is_null()) {
            let interval = &own["truncated"];
            assert!(interval["lo"].as_f64() >= Some(0.0), "{row}");
            assert!(interval["hi"].as_f64() <= Some(ceiling + 1e-9), "{row}");
        }
        // Above the floor, floored log-welfare is the sum of logs.
        if utilities.iter().all(|u| number(u) > 0.3 * ceiling) {
            let logs: f64 = utilities.iter().map(|u| number(u).ln()).sum();
            assert!((number(&row["floored_log_welfare"]) - logs).abs() < 1e-12, "{row}");
            above += 1;
        }
        if !row["witness"].is_null() {
            assert_eq!(number(&row["witness"]["kappa"]), lo, "{row}");
        }
    }
    assert!(above > 0);
    let text = folder.read("r/table1-cifar10/README.md");
    for said in [
        "held-out product",
        "Every rule less FedAvg of the same seed",
        "too few seeds to say",
        "A first look",
        "2 rounds instead of 50",
        "Ceiling 3, as printed",
        "corefed-dynamic",
        "The paper's inequality",
        "2.62",
    ] {
        assert!(text.contains(said), "{said} is missing in\n{text}");
    }
    assert!(folder.path("r/table1-cifar10/report.html").exists());
}

#[test]
fn a_second_call_goes_on_instead_of_starting_over() {
    let folder = Folder::new(&[]);
    assert_eq!(quick(&folder, &[]).code, 0);
    let before = folder.read("r/table1-cifar10/results.json");
    std::fs::remove_file(folder.path("r/table1-cifar10/results.json")).expect("removed");
    let said = quick(&folder, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(timeless(&before), timeless(&folder.read("r/table1-cifar10/results.json")));
}

/// Results without the time that they took.
pub(crate) fn timeless(text: &str) -> Value {
    let mut results: Value = serde_json::from_str(text).expect("JSON");
    for row in results["rows"].as_array_mut().expect("rows") {
        row["seconds"] = Value::Null;
    }
    results
}

#[test]
fn a_table_that_does_not_exist_is_refused_with_those_that_do() {
    let said = Folder::new(&[]).run("reproduce table5");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("table4"), "{}", said.err);
}

#[test]
fn one_precision_is_asked_for_at_a_time() {
    let said = Folder::new(&[]).run("reproduce table2 --device cuda --tf32 --bf16");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("'--tf32' cannot be used with '--bf16'"), "{}", said.err);
}

#[test]
fn a_precision_of_gpus_needs_one() {
    // Adult has no network, and would have ignored it.
    for asked in ["table2 --tf32", "adult --bf16", "table1 --device cpu --bf16"] {
        let folder = Folder::new(&[]);
        let said = folder.run(&format!("reproduce {asked} --out r"));
        assert_eq!(said.code, 2, "{asked}");
        let flag = asked.rsplit(' ').next().unwrap_or_default();
        let wanted = format!("`{flag}` is for GPUs, and `--device` is `cpu`");
        assert!(said.err.contains(&wanted), "{}", said.err);
        let wanted = format!("add `--device cuda`, or leave out `{flag}`");
        assert!(said.err.contains(&wanted), "{}", said.err);
        assert!(!folder.path("r").exists());
    }
}
