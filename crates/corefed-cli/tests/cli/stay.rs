//! Is the shared model worth staying for? On tables whose models can be worked out by hand.

use std::fmt::Write;

use serde_json::Value;

use crate::harness::{Folder, Said};

/// Flags under which the best model of rows `x = 1` is the mean of their targets.
pub(crate) const MEANS: &str = "--agent site --target y --model linear --raw --no-intercept --radius 50 \
                     --ceiling 1000 --rule utilitarian --split time:day";

/// `y` of an agent on a day: spread about its own level by a fixed pattern.
fn target(level: f64, day: usize) -> f64 {
    level + ((day * 37) % 11) as f64 / 10.0 - 0.5
}

/// 100 days of each site.
pub(crate) fn table(sites: &[(&str, f64)]) -> String {
    let mut text = "site,day,x,y\n".to_owned();
    for day in 0..100 {
        for (name, level) in sites {
            writeln!(text, "{name},{day},1,{}", target(*level, day)).expect("a string");
        }
    }
    text
}

/// Mean squared error on the last 30 days of a site under the mean of the first 70 of several.
fn loss(level: f64, trained: &[f64]) -> f64 {
    let days = || trained.iter().flat_map(|level| (0..70).map(move |day| target(*level, day)));
    let model = days().sum::<f64>() / days().count() as f64;
    (70..100).map(|day| (target(level, day) - model).powi(2)).sum::<f64>() / 30.0
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn close(value: &Value, expected: f64) {
    assert!((number(value) - expected).abs() < 1e-6, "{value} {expected}");
}

pub(crate) fn found(said: &Said) -> Value {
    assert!([0, 1, 3].contains(&said.code), "{}\n{}", said.err, said.out);
    said.json()
}

pub(crate) const NEAR: &[(&str, f64)] = &[("a", 0.0), ("b", 0.1), ("c", 4.0)];

#[test]
fn losses_are_those_of_models_that_are_known() {
    let folder = Folder::new(&[("sites.csv", &table(NEAR))]);
    let said = folder.run(&format!("stay sites.csv {MEANS} --json --without c"));
    // The site that is unlike the others does better alone, and so do the others without it.
    assert_eq!(said.code, 1, "{}", said.err);
    let answer = found(&said);
    assert_eq!((&answer["kind"], &answer["verdict"]), (&"stay".into(), &"leave".into()));
    assert_eq!(answer["models"]["owner"], "site");
    assert_eq!(answer["models"]["quality"], "r2");
    for (k, (name, level)) in NEAR.iter().enumerate() {
        let agent = &answer["agents"][k];
        assert_eq!(agent["name"], *name);
        assert_eq!((&agent["rows"], &agent["held_out"]), (&70.into(), &30.into()));
        let (shared, alone) = (loss(*level, &[0.0, 0.1, 4.0]), loss(*level, &[*level]));
        close(&agent["shared"]["loss"], shared);
        close(&agent["alone"]["loss"], alone);
        close(&agent["alone_gain"]["mean"], shared - alone);
        let gain = &agent["alone_gain"];
        assert!(number(&gain["lo"]) < shared - alone && shared - alone < number(&gain["hi"]));
        // R2 is what the model explains of the held-out rows' own variance.
        let mean = (70..100).map(|day| target(*level, day)).sum::<f64>() / 30.0;
        let variance =
            (70..100).map(|day| (target(*level, day) - mean).powi(2)).sum::<f64>() / 30.0;
        close(&agent["shared"]["quality"], 1.0 - shared / variance);
    }
    let groups = answer["groups"].as_array().expect("groups");
    assert_eq!(groups.len(), 7);
    let pair = groups.iter().find(|group| group["members"] == serde_json::json!([0, 1])).unwrap();
    close(&pair["loss"][0], loss(0.0, &[0.0, 0.1]));
    close(&pair["loss"][2], loss(4.0, &[0.0, 0.1]));
    let without = &answer["what_if"][0];
    assert_eq!((&without["question"], &without["about"][0]), (&"without".into(), &"c".into()));
    close(&without["lines"][0]["after"]["loss"], loss(0.0, &[0.0, 0.1]));
    close(&without["lines"][2]["after"]["loss"], loss(4.0, &[4.0]));
    // v(N) is what all save together over training alone.
    let saved = |level: f64| loss(level, &[level]) - loss(level, &[0.0, 0.1, 4.0]);
    close(&answer["contributions"]["everybody"], saved(0.0) + saved(0.1) + saved(4.0));
    let shapley: f64 = answer["contributions"]["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| number(&line["shapley"]["value"]))
        .sum();
    assert!((shapley - saved(0.0) - saved(0.1) - saved(4.0)).abs() < 1e-6);
    assert!(number(&answer["contributions"]["excess"]) > 0.0, "no payments keep everybody");
}

#[test]
fn the_first_line_answers_and_files_say_the_same() {
    let folder = Folder::new(&[("sites.csv", &table(NEAR))]);
    let said = folder.run(&format!("stay sites.csv {MEANS} --out answer"));
    let first = said.out.lines().next().expect("a line");
    assert!(first.contains("would leave") && first.ends_with("(90 % sure)."), "{first}");
    for name in ["a", "b", "c"] {
        assert!(said.out.lines().any(|line| line.trim_start().starts_with(&format!("{name} "))));
    }
    let markdown = folder.read("answer/stay.md");
    assert!(markdown.starts_with("# Is it worth staying?") && markdown.contains(first));
    let json = folder.run(&format!("stay sites.csv {MEANS} --json"));
    assert_eq!(folder.read("answer/stay.json"), json.out);
    let csv = folder.read("answer/stay.csv");
    assert_eq!(csv.lines().count(), 1 + 7 * 3, "one line per group and site");
    assert!(csv.starts_with("group,size,agent,member,loss,r2,gain,error\n"), "{csv}");
    let again = folder.run(&format!("stay sites.csv {MEANS} --out answer"));
    assert_eq!(again.code, 2, "{}", again.out);
}

#[test]
fn sites_that_are_alike_are_said_to_stay() {
    let alike = [("a", 0.0), ("b", 0.0), ("c", 0.0)];
    let folder = Folder::new(&[("sites.csv", &table(&alike))]);
    let said = folder.run(&format!("stay sites.csv {MEANS}"));
    assert_eq!(said.code, 0, "{}", said.out);
    assert!(said.out.starts_with("Nobody would leave: every group of sites"), "{}", said.out);
    // Without a margin, models that are the same leave the question open: equality cannot be shown.
    let strict = folder.run(&format!("stay sites.csv {MEANS} --margin 0"));
    assert_eq!(strict.code, 3, "{}", strict.out);
    assert!(strict.out.starts_with("The held-out rows cannot say"), "{}", strict.out);
}

#[test]
fn a_group_trains_as_if_the_others_did_not_exist() {
    let others: Vec<(&str, f64)> = NEAR[..2].to_vec();
    let folder =
        Folder::new(&[("all.csv", &table(NEAR)), ("two.csv", &table(&others)), ("x.toml", "")]);
    let rounds = |data: &str| {
        format!(
            "name = \"x\"\ndata = \"{data}\"\nagent = \"site\"\ntarget = \"y\"\nmodel = \"linear\"\n\
             raw = true\nintercept = false\nradius = 50\nceiling = 1000\n[train]\n\
             rule = \"corefed\"\nrounds = 5\nlocal = {{ learning_rate = 0.1, steps = 2, batch = 16 }}\n"
        )
    };
    folder.write("all.toml", &rounds("all.csv"));
    folder.write("two.toml", &rounds("two.csv"));
    let core = MEANS.replace("utilitarian", "core");
    let asked = [
        (format!("stay all.csv {core} --json"), format!("stay two.csv {core} --json"), 1e-6),
        // Trained by rounds, to the same bits.
        (
            "stay all.toml --split time:day --json".to_owned(),
            "stay two.toml --split time:day --json".to_owned(),
            0.0,
        ),
    ];
    for (all, two, tolerance) in asked {
        let (all, two) = (found(&folder.run(&all)), found(&folder.run(&two)));
        let groups = all["groups"].as_array().unwrap();
        let pair = groups.iter().find(|g| g["members"] == serde_json::json!([0, 1])).unwrap();
        for k in 0..2 {
            let (within, alone) = (number(&pair["loss"][k]), &two["agents"][k]["shared"]["loss"]);
            assert!((within - number(alone)).abs() <= tolerance, "{within} {alone}");
        }
    }
}

#[test]
fn rounds_of_everybody_are_those_of_a_run() {
    let folder = Folder::new(&[]);
    let settings = "--set train.rounds=3 --set held_out=0.3";
    let stay = found(&folder.run(&format!("stay hospitals-rounds {settings} --json")));
    assert_eq!(
        (&stay["models"]["exact"], &stay["models"]["rule"]),
        (&false.into(), &"corefed".into())
    );
    assert_eq!(stay["price"]["plain"], "fedavg");
    let run = folder.run(&format!("run hospitals-rounds {settings} --out run"));
    assert_ne!(run.code, 2, "{}", run.err);
    let lines = crate::run_folder::lines(&folder.read("run/agents.jsonl"));
    for agent in stay["agents"].as_array().unwrap() {
        let last = lines.iter().rfind(|line| line["agent"] == agent["name"]).expect("a record");
        close(&agent["shared"]["loss"], number(&last["held_out_loss"]));
    }
}

#[test]
fn the_answer_does_not_depend_on_threads() {
    let folder = Folder::new(&[]);
    let one = folder.run("--threads 1 stay --repeats 2 --json");
    let three = folder.run("--threads 3 stay --repeats 2 --json");
    assert_eq!(one.out, three.out);
    assert_eq!(found(&one)["repeats"]["splits"], 2);
}

#[test]
fn many_agents_are_asked_about_some_groups() {
    let names: Vec<String> = (0..13).map(|k| format!("s{k:02}")).collect();
    let sites: Vec<(&str, f64)> =
        names.iter().zip(0..).map(|(name, k)| (name.as_str(), f64::from(k % 3))).collect();
    let folder = Folder::new(&[("sites.csv", &table(&sites))]);
    let refused = folder.run(&format!("stay sites.csv {MEANS} --all"));
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("13 agents have 8191 groups"), "{}", refused.err);
    assert!(refused.err.contains("--coalitions"), "{}", refused.err);
    let usual = found(&folder.run(&format!("stay sites.csv {MEANS} --json")));
    assert_eq!(usual["groups"].as_array().unwrap().len(), 13 + 78 + 13 + 1);
    assert_eq!(usual["kept"]["all"], false);
    assert!(usual["partitions"].is_null());
    let drawn = format!("stay sites.csv {MEANS} --coalitions 40 --with s00,s01 --json");
    let drawn = found(&folder.run(&drawn));
    let first = &drawn["contributions"]["agents"][0]["shapley"];
    let (lo, hi) = (number(&first["interval"][0]), number(&first["interval"][1]));
    assert!(lo < number(&first["value"]) && number(&first["value"]) < hi);
    // Splits ask the same groups, so that they can be averaged.
    let rows = MEANS.replace("time:day", "rows");
    let repeated = format!("stay sites.csv {rows} --coalitions 40 --repeats 3 --json");
    assert_eq!(found(&folder.run(&repeated))["repeats"]["splits"], 3);
    let with = &drawn["what_if"][0];
    assert_eq!(with["lines"].as_array().unwrap().len(), 13);
    assert!(!with["lines"][0]["before"].is_null());
}

#[test]
fn images_and_networks_are_asked_too() {
    for model in ["softmax", "mlp"] {
        let spec = format!(
            "name = \"x\"\ndata = \"shapes\"\nmodel = \"{model}\"\nsample = 0.1\n[partition]\nmethod = \"iid\"\n\
             agents = 3\n[train]\nrule = \"corefed\"\nrounds = 1\n\
             local = {{ learning_rate = 0.05, batch = 32 }}\n"
        );
        let folder = Folder::new(&[("x.toml", &spec)]);
        let answer = found(&folder.run("stay x.toml --json"));
        assert_eq!(answer["groups"].as_array().unwrap().len(), 7, "{model}");
        assert_eq!(answer["models"]["quality"], "accuracy");
        assert!(number(&answer["agents"][0]["shared"]["quality"]) > 0.0, "{model}");
    }
}

#[test]
fn a_table_is_the_same_question_as_its_spec() {
    let folder = Folder::hospitals();
    let federation = folder.read("run/federation.csv");
    let target = federation.lines().next().and_then(|line| line.rsplit(',').next());
    let target = target.expect("a column");
    // Quantities and classes have different ceilings unless told.
    for (model, column) in [("logistic", target), ("linear", "age")] {
        let spec = format!(
            "data = \"run/federation.csv\"\nagent = \"hospital\"\ntarget = \"{column}\"\nmodel = \"{model}\"\n"
        );
        folder.write("spec.toml", &spec);
        let columns = format!("--agent hospital --target {column} --model {model}");
        let table = found(&folder.run(&format!("stay run/federation.csv {columns} --json")));
        let spec = found(&folder.run("stay spec.toml --json"));
        assert!(number(&table["agents"][0]["ceiling"]) > 0.0);
        assert_eq!(table["agents"], spec["agents"], "{model}");
        assert_eq!(table["price"], spec["price"], "{model}");
    }
}
