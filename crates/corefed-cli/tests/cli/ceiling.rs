//! Ceilings: by policy, searched by `corefed ceiling`, and swept past what can be served.

use std::fmt::Write as _;

use serde_json::Value;

use crate::harness::{Folder, PLAIN};

/// Losses `(t - 1)^2 + 1/4` and `(t + 1)^2 + 1/4`.
const NOISY: &str = "agent,x,y\na,1,0.5\na,1,1.5\nb,1,-0.5\nb,1,-1.5\n";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is not a number"))
}

/// A threshold lies where it is expected, between two scales that are close.
fn assert_bracket(threshold: &Value, expected: f64) {
    let (not_at, from) = (number(&threshold["not_at"]), number(&threshold["from"]));
    assert!(not_at < expected && expected <= from, "{threshold} does not hold {expected}");
    assert!(from - not_at <= 0.01 * from, "{threshold}");
}

#[test]
fn two_parabolas_have_thresholds_by_hand() {
    // By symmetry the core predictor is t = 0, where everybody loses 5/4 and has F - 5/4: served above 5/4. Alone an
    // agent has F - 1/4, so kappa is (F - 1/4)/(2 (F - 5/4)), at most one from F = 9/4 on; headroom is
    // F/(2 (F - 5/4)), at most one from F = 5/2 on. Proven: F (F + 3/4) <= 2 (F - 5/4)(F - 1/4), from
    // F = (15/4 + sqrt(185/16))/2 = 3.5752 on.
    let folder = Folder::new(&[("p.csv", NOISY)]);
    let said = folder.run(&format!("ceiling p.csv {PLAIN} --policy number --out c --json"));
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    assert_eq!((&answer["kind"], &answer["policy"]), (&"ceiling-search".into(), &"number".into()));
    let served = &answer["served"];
    assert!(number(&served["not_up_to"]) <= 1.25 && 1.25 <= number(&served["above"]));
    assert!(number(&served["above"]) - number(&served["not_up_to"]) < 1e-6, "{served}");
    assert_eq!(served["together"], serde_json::json!(["a", "b"]));
    assert_bracket(&answer["stable"], 2.25);
    assert_bracket(&answer["empty"], 2.5);
    for threshold in ["stable", "empty"] {
        let proven = number(&answer[threshold]["proven_from"]);
        assert!((3.5752..3.5800).contains(&proven), "{proven}");
    }
    let points = answer["points"].as_array().unwrap();
    for point in points {
        let scale = number(&point["scale"]);
        let kappa = (scale - 0.25) / (2.0 * (scale - 1.25));
        assert!(number(&point["kappa"]["lo"]) <= kappa + 1e-6, "{point}");
        assert!(number(&point["kappa"]["hi"]) >= kappa - 1e-6, "{point}");
        assert!((number(&point["least"]) - (scale - 1.25)).abs() < 1e-6, "{point}");
        assert!((number(&point["headroom"]) - scale / (2.0 * (scale - 1.25))).abs() < 1e-5);
        assert_eq!(point["verdict"] == "stable", scale >= 2.25, "{point}");
    }
    assert!(points.windows(2).all(|w| number(&w[0]["scale"]) < number(&w[1]["scale"])));
    // Half-way between, at a scale that was tried, and written as a spec takes it.
    let scale = number(&answer["recommended"]["scale"]);
    assert!((2.25..2.5).contains(&scale), "{scale}");
    assert_eq!(answer["recommended"]["ceiling"], scale.to_string());
    assert!(points.iter().any(|point| number(&point["scale"]) == scale));

    assert_eq!(serde_json::from_str::<Value>(&folder.read("c/ceiling.json")).unwrap(), answer);
    assert!(folder.read("c/ceiling.md").contains("both proven"));
    assert!(folder.read("c/ceiling.svg").starts_with("<svg xmlns="));
    let again = folder.run(&format!("ceiling p.csv {PLAIN} --policy number --out c"));
    assert!(again.code == 2 && again.err.contains("exists already"), "{}", again.err);
}

#[test]
fn thresholds_of_the_hospitals_are_those_of_single_runs() {
    let folder = Folder::hospitals();
    for policy in ["initial", "pooled-constant"] {
        let answer = folder.run(&format!("ceiling hospitals --policy {policy} --json")).json();
        let code = |scale: f64| {
            let run = format!("run hospitals --ceiling {policy}:{scale} --out {policy}-{scale}");
            let said = folder.run(&run);
            (said.code, said.err)
        };
        let (below, above) = (&answer["served"]["not_up_to"], &answer["served"]["above"]);
        let (refused, why) = code(number(below) * 0.9999);
        assert!(refused == 2 && why.contains("positive utility"), "{policy}: {why}");
        for name in answer["served"]["together"].as_array().unwrap() {
            assert!(why.contains(name.as_str().unwrap()), "{policy}: {why}");
        }
        assert_eq!(code(number(above) * 1.0001).0, 1, "{policy}");
        assert_eq!(code(number(&answer["stable"]["not_at"])).0, 1, "{policy}");
        assert_eq!(code(number(&answer["stable"]["from"])).0, 0, "{policy}");
        assert_eq!(code(number(&answer["recommended"]["scale"])).0, 0, "{policy}");
    }
}

/// Prices of three banks, by size, with an offset.
fn prices(offset: f64) -> String {
    let mut text = "bank,size,price\n".to_owned();
    for k in 0..30_u32 {
        let (bank, size) = (["a", "b", "c"][k as usize % 3], f64::from(k % 7));
        let slope = [1.0, 1.5, -0.5][k as usize % 3];
        let price = offset + slope * size + f64::from((k * 5) % 4);
        writeln!(text, "{bank},{size},{price}").expect("a string");
    }
    text
}

#[test]
fn a_shift_of_the_target_changes_no_ceiling_of_the_common_constant() {
    let folder = Folder::new(&[("a.csv", &prices(0.0)), ("b.csv", &prices(100.0))]);
    let found = |file: &str, policy: &str| {
        let options = "--agent bank --target price --model linear --raw --radius 1000 --json";
        let said = folder.run(&format!("ceiling {file} {options} --policy {policy}"));
        assert_eq!(said.code, 0, "{}", said.err);
        said.json()
    };
    let (plain, shifted) = (found("a.csv", "pooled-constant"), found("b.csv", "pooled-constant"));
    for (key, place) in [("served", "above"), ("stable", "from"), ("empty", "from")] {
        let (a, b) = (number(&plain[key][place]), number(&shifted[key][place]));
        assert!((a - b).abs() <= 1e-6 * a, "{key}: {a} {b}");
    }
    assert_eq!(plain["recommended"]["ceiling"], shifted["recommended"]["ceiling"]);
    // Against a zero a hundred away everything looks good: the question is empty far below one.
    let (plain, shifted) = (found("a.csv", "initial"), found("b.csv", "initial"));
    assert!(number(&shifted["empty"]["from"]) < 0.1 * number(&plain["empty"]["from"]));
}

#[test]
fn own_models_are_ceilings_on_rows_held_out_and_the_audit_says_so() {
    let folder = Folder::hospitals();
    let refused = folder.run("run hospitals --ceiling alone --out no");
    assert_eq!(refused.code, 2);
    for fragment in ["alone:1", "no rows are held out", "hint: hold rows out"] {
        assert!(refused.err.contains(fragment), "{}", refused.err);
    }
    for (options, rows) in [
        ("--ceiling alone:3", "on the rows it was fitted to"),
        ("--ceiling alone:2 --set held_out=0.3", "on held-out rows"),
    ] {
        let out = rows.replace(' ', "-");
        let said = folder.run(&format!("run hospitals {options} --out {out} --json"));
        assert_eq!(said.code, 0, "{}", said.err);
        let core = &said.json()["rules"][0];
        let stated = core["assumptions"].as_array().unwrap().last().unwrap();
        assert!(stated["detail"].as_str().unwrap().contains(rows), "{stated}");
        let verified =
            folder.run(&format!("verify {out}/core.certificate.json --data {out}/federation.csv"));
        assert_eq!(verified.code, 0, "{}", verified.err);
    }
}

#[test]
fn a_sweep_goes_on_where_nobody_can_be_served() {
    let folder = Folder::hospitals();
    let said = folder.run("sweep hospitals --values 0.5,1.0 --out s --json");
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    assert_eq!(answer["version"], 2);
    let none = &answer["points"][0];
    assert_eq!((&none["verdict"], &none["kappa"]), (&Value::Null, &Value::Null));
    let who: Vec<&str> =
        none["infeasible"]["agents"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(!who.is_empty() && none["infeasible"]["reason"].as_str().unwrap().contains(who[0]));
    assert_eq!(answer["points"][1]["verdict"], "stable");
    let row = format!("infeasible: {}", who.join(", "));
    assert!(folder.read("s/sweep.md").contains(&row), "{}", folder.read("s/sweep.md"));
    let csv = folder.read("s/sweep.csv");
    assert!(csv.lines().nth(1).unwrap().contains(&row), "{csv}");
    let page = folder.read("s/report.html");
    assert!(page.contains("cannot be served") || page.contains("cannot all be served"));
}

#[test]
fn headroom_has_words_on_the_console() {
    let folder = Folder::new(&[("p.csv", NOISY)]);
    // Headroom is M/(2 (M - 5/4)).
    for (ceiling, words) in [
        ("2.3", "1.0952: what perfection would give a group: how much the question is worth"),
        (
            "2.4",
            "1.0435: what perfection would give a group: so little that the question is almost empty",
        ),
        (
            "3",
            "0.8571: what perfection would give a group: not enough to leave, so the question is empty",
        ),
    ] {
        let said = folder.run(&format!("solve p.csv {PLAIN} --ceiling {ceiling}"));
        let line = said.out.lines().find(|line| line.starts_with("headroom")).unwrap_or_default();
        assert!(line.contains(words), "{ceiling}: {}", said.out);
    }
}

#[test]
fn a_table_may_have_a_name_that_no_folder_may() {
    let folder = Folder::new(&[(".p.csv", NOISY)]);
    let said = folder.run(&format!("ceiling .p.csv {PLAIN} --policy number --precision 0.5"));
    assert_eq!(said.code, 0, "{}", said.err);
}

#[test]
fn a_search_that_makes_no_sense_is_refused_with_a_hint() {
    let folder = Folder::new(&[("p.csv", NOISY)]);
    for (arguments, fragments) in [
        ("ceiling hospitals --precision 2", &["--precision", "2", "hint:"][..]),
        ("ceiling hospitals --precision 0", &["--precision", "hint:"]),
        ("ceiling hospitals --policy initial:2", &["initial:2", "searched for"]),
        ("ceiling hospitals --policy 0.7", &["0.7", "`number`"]),
        ("ceiling p.csv --target y --model linear", &["p.csv", "--agent", "hint:"]),
        ("ceiling hospitals --agent ward", &["hospitals", "spec", "hint:"]),
        ("ceiling hospitals --held-out 1.5", &["held_out", "1.5"]),
        ("ceiling nothing", &["nothing", "hint:"]),
    ] {
        let said = folder.run(arguments);
        assert_eq!(said.code, 2, "{arguments}: {}", said.out);
        for fragment in fragments {
            assert!(said.err.contains(fragment), "{arguments}: {}", said.err);
        }
    }
}

#[test]
fn the_guide_shows_what_the_command_says() {
    let guide = include_str!("../../../../docs/ceilings.md");
    let said = Folder::hospitals().run("ceiling hospitals --policy pooled-constant");
    let sentences: Vec<&str> = said.out.trim_end().rsplit("\n\n").next().unwrap().lines().collect();
    assert_eq!(sentences.len(), 4, "{}", said.out);
    for sentence in sentences {
        assert!(guide.contains(sentence), "docs/ceilings.md does not say: {sentence}");
    }
}

#[test]
fn every_policy_is_named_where_users_look_and_said_in_words() {
    let folder = Folder::new(&[("p.csv", NOISY)]);
    let help =
        ["ceiling", "solve", "audit"].map(|command| folder.run(&format!("{command} --help")).out);
    for known in corefed_spec::CEILING_WORDS {
        for text in &help {
            assert!(text.contains(&format!("`{}", known.word)), "{} is not in {text}", known.word);
        }
        let said = folder.run(&format!("ceiling p.csv {PLAIN} --policy {}", known.word));
        let title = format!("ceilings of F times {}", known.multiplies);
        assert!(said.out.contains(&title), "{}: {}{}", known.word, said.out, said.err);
    }
}
