//! Rules tuned before they are compared: the best by rows to choose by, told on rows that are neither.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Folder, Said};
use crate::reproduce::QUICK;
use crate::run_folder::same;

const ROWS: &str = "--set held_out=0.2 --set validation=0.2";
const COMPARE: &str =
    "compare hospitals-rounds --rules fedavg,qffl --out t --set train.rounds=4 --seeds 3";
const GRID: &str = "--tune train.local.learning_rate=0.1,0.5,1 --tune q=0.1,1";

fn tuned(folder: &Folder, more: &str) -> Said {
    folder.run(&format!("{COMPARE} {ROWS} {GRID} {more}"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

#[test]
fn the_chosen_setting_is_the_best_of_its_folder_on_rows_to_choose_by() {
    let folder = Folder::new(&[]);
    let said = tuned(&folder, "--json");
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    assert_eq!(answer["tuning"]["seeds"], "each");
    for (rule, keys, grid) in [("fedavg", 1, 3), ("qffl", 2, 6)] {
        let lines = list(&answer["tuning"]["rules"]);
        let own = lines.iter().find(|line| line["rule"] == rule).expect(rule);
        assert_eq!(list(&own["keys"]).len(), keys, "{own}");
        assert_eq!((&own["grid"], &own["tried"]), (&grid.into(), &grid.into()));
        assert_eq!(list(&own["tries"]).len(), 3 * grid);
        for seed in 1..=3 {
            // The record of the round that is kept is the largest, because `keep` is `best`.
            let worth = |k: usize| {
                let path = format!("t/{rule}-seed-{seed}-setting-{}/rounds.jsonl", k + 1);
                let rounds = folder.records(&path);
                let worth = rounds.iter().filter_map(|round| round["validation_welfare"].as_f64());
                worth.fold(f64::NEG_INFINITY, f64::max)
            };
            let worths: Vec<f64> = (0..grid).map(worth).collect();
            let most = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let best = worths.iter().position(|worth| *worth == most).expect("one");
            let run = list(&answer["runs"]).iter().find(|r| r["rule"] == rule && r["seed"] == seed);
            let run = run.expect("a run");
            let name = format!("{rule}-seed-{seed}-setting-{}", best + 1);
            assert_eq!(run["folder"], name.as_str());
            let name = format!("t/{name}");
            let spec = folder.read(&format!("{name}/spec.toml"));
            let rate = run["setting"]["train.local.learning_rate"].as_f64().expect("a rate");
            let written = [format!("learning_rate = {rate:?}"), format!("learning_rate = {rate}")];
            assert!(written.iter().any(|line| spec.contains(line)), "{written:?} {spec}");
            assert_eq!(run["setting"]["q"].is_null(), rule == "fedavg", "{run}");
            let own: Vec<&Value> =
                list(&own["tries"]).iter().filter(|tried| tried["seed"] == seed).collect();
            assert!(own.iter().enumerate().all(|(k, t)| t["chosen"] == (k == best)), "{own:?}");
            assert_eq!(own[best]["validation_welfare"].as_f64(), Some(most));
            // What is told of both kinds of rows is what the kept round says.
            let agents = folder.records(&format!("{name}/agents.jsonl"));
            let kept = agents.iter().filter(|agent| agent["round"] == run["round"]);
            for (k, agent) in kept.enumerate() {
                assert_eq!(run["losses"][k], agent["loss"]);
                assert_eq!(run["held_out"]["losses"][k], agent["held_out_loss"]);
                assert_eq!(run["held_out"]["utilities"][k], agent["held_out_utility"]);
            }
        }
    }
    for (file, fragment) in [
        ("compare.md", "fedavg 3 of 3 (train.local.learning_rate); qffl 6 of 6 (q, train.local"),
        ("compare.md", "qffl against fedavg: "),
        ("compare-rows.csv", "held-out floored log-welfare"),
        ("compare-paired.csv", "qffl,log-welfare,held-out,3,"),
        ("compare-chosen.csv", "\"chosen, seed 3\""),
        ("compare-tried.csv", "\"q = 0.1, learning_rate = 0.5\""),
        ("report.html", "Settings tried: fedavg 3 of 3"),
        ("spec.toml", "[compare.tune.grid]"),
    ] {
        let text = folder.read(&format!("t/{file}")).replace("\\_", "_");
        assert!(text.contains(fragment), "{file}: {fragment}\n{text}");
    }
}

#[test]
fn a_budget_is_the_same_for_every_rule_and_the_first_seed_may_choose_for_all() {
    let folder = Folder::new(&[]);
    let first = "--budget 2 --set compare.rules=[\"fedavg\",\"qffl\"] --set compare.tune.seeds=first --set compare.tune.grid.q=[1]";
    let said = tuned(&folder, &format!("{first} --json"));
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    for (own, grid) in list(&answer["tuning"]["rules"]).iter().zip([3, 6]) {
        assert_eq!((&own["grid"], &own["tried"]), (&grid.into(), &2.into()));
        // Two settings from the first seed, and the chosen one from two others.
        assert_eq!(list(&own["tries"]).len(), 4, "{own}");
        let chosen: Vec<&Value> =
            list(&own["tries"]).iter().filter(|t| t["chosen"] == true).collect();
        assert_eq!(chosen.len(), 3);
        assert!(chosen.iter().all(|tried| tried["setting"] == chosen[0]["setting"]), "{own}");
    }
    let told = folder.read("t/compare.md");
    assert!(
        told.contains("2 of 6 drawn at random") && told.contains("The first seed chose for all"),
        "{told}"
    );
}

/// Everything a command writes, without locks and without what a killed one left before it had a name.
fn files(folder: &Folder, at: &str) -> BTreeMap<String, Vec<u8>> {
    let mut files = folder.files(at);
    files.retain(|name, _| !name.ends_with("/.lock") && !name.contains(".partial-"));
    files
}

#[test]
fn any_number_at_a_time_and_a_second_start_give_the_same_bytes() {
    let (one, three) = (Folder::new(&[]), Folder::new(&[]));
    assert_eq!(tuned(&one, "--jobs 1").code, 0);
    let mut child = three.spawn(&format!("{COMPARE} {ROWS} {GRID} --jobs 3"));
    for _ in 0..6000 {
        if three.path("t/fedavg-seed-1-setting-3").exists() {
            break;
        }
        sleep(Duration::from_millis(1));
    }
    child.kill().expect("killed or done");
    child.wait().expect("gone");
    let again = tuned(&three, "--jobs 3");
    assert_eq!(again.code, 2, "{}", again.out);
    let told = ["not finished", "exists already"];
    assert!(told.iter().any(|part| again.err.contains(part)), "{}", again.err);
    let said = tuned(&three, "--jobs 3 --resume");
    assert_eq!(said.code, 0, "{}", said.err);
    same(&files(&one, "t"), &files(&three, "t"));
    // Resuming what is complete changes nothing.
    assert_eq!(tuned(&three, "--resume").code, 0);
    same(&files(&one, "t"), &files(&three, "t"));
    let other = tuned(&three, "--resume --set train.rounds=5");
    assert_eq!(other.code, 2);
    assert!(other.err.contains("was made by other settings"), "{}", other.err);
}

#[test]
fn a_rule_that_explodes_is_listed_and_never_chosen() {
    let folder = Folder::new(&[]);
    let wild = "--tune train.local.learning_rate=1,1e300 --set train.project=false --json";
    let said = folder.run(&format!("{COMPARE} {ROWS} {wild}"));
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    assert_eq!(list(&answer["runs"]).len(), 6);
    for tried in list(&answer["tuning"]["rules"]).iter().flat_map(|rule| list(&rule["tries"])) {
        let calm = tried["setting"]["train.local.learning_rate"] == 1;
        assert_eq!((tried["chosen"] == calm, tried["failure"].is_null()), (true, calm), "{tried}");
    }
    let folder = Folder::new(&[]);
    let all = "--set train.local.learning_rate=1e300 --set train.project=false";
    let said = folder.run(&format!("{COMPARE} {all}"));
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(
        said.err.contains("no rule left a model") && said.err.contains("hint:"),
        "{}",
        said.err
    );
}

#[test]
fn what_cannot_be_tuned_is_said_before_a_folder_is_made() {
    let folder = Folder::new(&[]);
    for (more, fragments) in [
        ("--tune q=1", &["validation", "held_out"][..]),
        ("--set held_out=0.2 --tune q=1", &["needs rows to choose by", "validation = 0.1"]),
        ("--set validation=0.2 --tune q=1", &["needs rows to report on", "held_out = 0.1"]),
        ("ROWS --tune t=1", &["no rule of this comparison has the knob `t`"]),
        ("ROWS --tune train.local.rate=1", &["unknown key `rate`"]),
        ("ROWS --tune q=-1", &["qffl, q = -1", "train.q"]),
        ("ROWS --tune train.rounds=many", &["train.rounds", "many"]),
        ("ROWS --tune q=1 --budget 0", &["compare.tune.budget", "from 1"]),
        ("ROWS --tune q", &["KEY=VALUE", "`q`"]),
        ("ROWS --tune q=1,", &["KEY=VALUE"]),
        ("--base afl", &["compare.base", "label of one of the rules"]),
    ] {
        let said = folder.run(&format!("{COMPARE} {}", more.replace("ROWS", ROWS)));
        assert_eq!(said.code, 2, "{more}: {}", said.out);
        for fragment in fragments {
            assert!(said.err.contains(fragment), "{more}: {}", said.err);
        }
        assert!(folder.names().is_empty(), "{more}: {:?}", folder.names());
    }
}

#[test]
fn an_experiment_is_tuned_with_as_many_settings_for_every_rule() {
    let folder = Folder::new(&[]);
    let said = folder.run(&format!("{QUICK} --rounds 2 --seeds 1 --tuned"));
    assert_eq!(said.code, 0, "{}", said.err);
    let results: Value =
        serde_json::from_str(&folder.read("r/table1-cifar10-tuned/results.json")).expect("JSON");
    let rules = list(&results["tuning"]["rules"]);
    assert_eq!(rules.len(), 6);
    assert!(rules.iter().all(|rule| rule["tried"] == 3), "{rules:?}");
    let text = folder.read("r/table1-cifar10-tuned/README.md");
    for fragment in ["tuned", "A first look", "too few seeds to say", "qffl 3 of 6 drawn at random"]
    {
        assert!(text.contains(fragment), "{fragment}\n{text}");
    }
    assert!(!folder.path("r/table1-cifar10").exists());
    // The same command continues, and finds everything done.
    let before = files(&folder, "r");
    assert_eq!(folder.run(&format!("{QUICK} --rounds 2 --seeds 1 --tuned")).code, 0);
    same(&before, &files(&folder, "r"));
}
