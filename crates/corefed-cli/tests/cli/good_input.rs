//! Commands that work: verdicts, exit codes, files, bytes.

use serde_json::Value;

use crate::harness::{Folder, PARABOLAS, PLAIN};

fn close(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|v| (v - expected).abs() < 1e-5)
}

#[test]
fn the_embedded_hospitals_make_the_point_by_themselves() {
    let folder = Folder::new(&[]);
    let said = folder.run("run --out run --json");
    assert_eq!(said.code, 0, "{}", said.err);
    let answer = said.json();
    let rule = |name: &str| {
        let rules = answer["rules"].as_array().expect("rules");
        rules.iter().find(|rule| rule["rule"] == name).expect(name).clone()
    };
    let (core, average, min_max) = (rule("core"), rule("utilitarian"), rule("egalitarian"));
    assert_eq!(core["verdict"], "stable");
    assert_eq!(average["verdict"], "blocked");
    assert_eq!(min_max["verdict"], "blocked");
    // The average sacrifices the small hospital, which leaves alone.
    assert_eq!(average["deviation"]["coalition"], serde_json::json!(["Evora"]));
    // Min-max gives the noisy hospital as much as it could ever have, and the others leave.
    let dresden = min_max["agents"][3].clone();
    assert_eq!(dresden["name"], "Dresden");
    assert!(close(&dresden["utility"], dresden["alone"].as_f64().expect("number")));
    let leaving = min_max["deviation"]["coalition"].as_array().expect("names").clone();
    assert!(leaving.len() >= 3 && !leaving.contains(&"Dresden".into()), "{leaving:?}");
    // Agents stand by name, with what they get.
    let evora = |rule: &Value| rule["agents"][4]["utility"].as_f64().expect("number");
    assert!(evora(&core) > 3.0 * evora(&average));
    for file in ["spec.toml", "federation.csv", "summary.md", "utilities.svg"] {
        assert!(folder.path("run").join(file).exists(), "{file}");
    }
    assert!(folder.read("run/summary.md").contains("| Evora | 60 |"));
}

#[test]
fn the_readme_shows_what_the_command_prints() {
    let readme = include_str!("../../../../README.md");
    let said = Folder::new(&[]).run("run --out run");
    for line in said.out.lines().take(12) {
        let shown = line.split(" (Aachen").next().unwrap_or(line);
        assert!(readme.contains(shown), "README.md lacks: {line}");
    }
}

#[test]
fn a_run_repeats_to_the_byte_at_any_number_of_threads() {
    let folder = Folder::new(&[]);
    for threads in ["1", "2", "8"] {
        let out = format!("run{threads}");
        assert_eq!(folder.run(&format!("run --threads {threads} --out {out}")).code, 0);
        for file in ["core.certificate.json", "core.predictor.json", "summary.md", "spec.toml"] {
            let (one, many) =
                (folder.read(&format!("run1/{file}")), folder.read(&format!("{out}/{file}")));
            assert_eq!(one, many, "{file} at {threads} threads");
        }
    }
}

#[test]
fn the_tolerance_decides_what_counts_and_numbers_stay_strict() {
    let folder = Folder::new(&[("d.csv", PARABOLAS), ("m.json", r#"{"parameters": {"x": 0.51}}"#)]);
    let audit = format!("audit d.csv --predictor m.json {PLAIN} --ceiling 0.5 --json");
    // u = (0.2399, 0.2599): alone, agent A would have 0.5, so kappa = 0.25/0.2399.
    let said = folder.run(&audit);
    let (answer, kappa) = (said.json(), 0.25 / 0.2399);
    assert_eq!((said.code, answer["tolerance"].as_f64()), (1, Some(1e-2)));
    assert!(close(&answer["kappa"]["lo"], kappa), "{}", answer["kappa"]);
    let said = folder.run(&format!("{audit} --tolerance 0.05"));
    let answer = said.json();
    assert_eq!((said.code, answer["verdict"].as_str()), (0, Some("stable")), "{answer}");
    assert!(close(&answer["kappa"]["lo"], kappa), "{}", answer["kappa"]);
    // The JSON of `solve` says that it is an optimum, whose tolerance is smaller.
    let solved = folder.run(&format!("solve d.csv {PLAIN} --ceiling 0.5 --json"));
    assert_eq!(solved.json()["tolerance"], 1e-6);
    folder.write("fit.json", &solved.out);
    assert_eq!(folder.run("audit d.csv --predictor fit.json --json").json()["tolerance"], 1e-6);
}

#[test]
fn what_everybody_prefers_is_an_improvement_and_no_reason_to_leave() {
    let table = "model,a,b,c\nnow,1,1,1\nbetter,1.1,1.05,1.2\n";
    let folder = Folder::new(&[("t.csv", table)]);
    let said = folder.run("audit t.csv --incumbent now --certificate c.json");
    assert_eq!(said.code, 1, "{}", said.out);
    assert!(said.out.starts_with("improvable: no group gains by leaving"), "{}", said.out);
    assert_eq!(folder.run("verify c.json --data t.csv").code, 0);
    let said = folder.run("audit t.csv --incumbent now --tolerance 0.1 --json");
    assert_eq!((said.code, said.json()["verdict"].as_str()), (0, Some("stable")), "{}", said.out);
    assert!(close(&said.json()["everybody"]["lo"], 1.05));
    // Nothing before and after: no reason to leave either.
    let folder = Folder::new(&[("t.csv", "model,a,b\nnow,1,-1\nsame,1,-1\n")]);
    let said = folder.run("audit t.csv --incumbent now");
    assert_eq!(said.code, 0);
    let told = "stable: with the one listed rival no group does better than `now`";
    assert!(said.out.starts_with(told), "{}", said.out);
}

#[test]
fn a_model_outside_the_ball_is_not_certified() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --radius 0.5 --set train.project=false --out a");
    assert_eq!(said.code, 3, "{}{}", said.out, said.err);
    assert!(said.out.contains("undecided: the model lies outside the ball"), "{}", said.out);
    assert!(!folder.path("a/certificate.json").exists());
    assert!(folder.read("a/report.html").contains("The model lies outside the ball"));
}

#[test]
fn what_is_certified_at_extreme_radii_is_accepted_by_the_checker() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.run("data export hospitals --out h.csv").code, 0);
    for (target, model, radius) in [
        ("disease", "logistic", "1e8"),
        ("glucose", "linear", "1e-160"),
        ("disease", "logistic", "1e-160"),
    ] {
        let told = format!("--agent agent --target {target} --model {model} --radius {radius}");
        let said = folder.run(&format!("solve h.csv {told} --time-limit 2 --certificate c.json"));
        assert_ne!(said.code, 2, "{told}: {}", said.err);
        let checked = folder.run("verify c.json --data h.csv");
        assert_eq!(checked.code, 0, "{told}: {}\n{}", said.out, checked.err);
    }
}

#[test]
fn a_low_ceiling_blocks_even_the_core_predictor() {
    let said = Folder::new(&[]).run("run --ceiling 0.72 --out run");
    assert_eq!(said.code, 1, "{}{}", said.out, said.err);
    assert!(said.out.contains("core: blocked"), "{}", said.out);
}

#[test]
fn a_resolved_spec_runs_again_to_the_same_bytes() {
    let folder = Folder::hospitals();
    folder.write("again.toml", &folder.read("run/spec.toml"));
    assert_eq!(folder.run("run again.toml --out again").code, 0);
    assert_eq!(folder.read("run/core.predictor.json"), folder.read("again/core.predictor.json"));
}

#[test]
fn runs_are_numbered_and_never_overwritten() {
    let folder = Folder::new(&[]);
    assert_eq!(folder.run("run").code, 0);
    assert_eq!(folder.run("run").code, 0);
    assert!(folder.path("runs/hospitals-2/summary.md").exists());
    let said = folder.run("run --out runs/hospitals");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("exists already"), "{}", said.err);
}

#[test]
fn two_parabolas_are_blocked_below_one_half_and_stable_from_there_on() {
    let folder = Folder::new(&[("p.csv", PARABOLAS)]);
    // At 1/2 both have M - 1/4, alone one has M, and half of the weight needs twice as much.
    for (ceiling, code, kappa) in [("0.4", 1, 4.0 / 3.0), ("0.5", 0, 1.0), ("0.6", 0, 0.3 / 0.35)] {
        let said = folder.run(&format!("solve p.csv {PLAIN} --ceiling {ceiling} --json"));
        let answer = said.json();
        assert_eq!(said.code, code, "M = {ceiling}");
        assert!(close(&answer["kappa"]["lo"], kappa), "M = {ceiling}: {}", answer["kappa"]);
        assert!(close(&answer["parameters"]["x"], 0.5), "{}", answer["parameters"]);
        assert!(answer["gap"].as_f64().expect("gap") < 1e-9);
        // The premise of the paper's theorem fails here, and the answer says so.
        let premise = &answer["assumptions"][1];
        assert_eq!(premise["status"], "violated", "{premise}");
    }
}

#[test]
fn solving_gives_the_promised_fields() {
    let folder = Folder::hospitals();
    let said = folder.run(
        "solve run/federation.csv --agent hospital --target disease --model logistic --ceiling 1 \
         --radius 10 --weights samples --l2 0.001 --rule core --json",
    );
    let answer = said.json();
    for field in [
        "parameters",
        "agents",
        "log_welfare",
        "iterations",
        "gap",
        "verdict",
        "kappa",
        "assumptions",
        "deviation",
        "headroom",
        "predictor",
    ] {
        assert!(answer.get(field).is_some(), "{field}");
    }
    for field in ["name", "samples", "loss", "utility", "weight", "ceiling", "alone"] {
        assert!(answer["agents"][0].get(field).is_some(), "{field}");
    }
    assert!(answer["parameters"]["sex=male"].is_f64() && answer["parameters"]["age"].is_f64());
    assert_eq!(answer["agents"][0]["weight"], 420.0);
}

#[test]
fn a_solved_predictor_can_be_audited_again_and_on_other_terms() {
    let folder = Folder::new(&[("p.csv", PARABOLAS)]);
    let fit = folder.run(&format!("solve p.csv {PLAIN} --ceiling 0.6 --json"));
    folder.write("fit.json", &fit.out);
    let same = folder.run("audit p.csv --predictor fit.json --json");
    assert_eq!((same.code, &same.json()["kappa"]), (0, &fit.json()["kappa"]));
    assert_eq!(folder.run("audit p.csv --predictor fit.json --ceiling 0.4").code, 1);
    // Somebody else's parameters, by name.
    folder.write("mine.json", r#"{"parameters": {"x": 1.0}}"#);
    let mine =
        folder.run(&format!("audit p.csv --predictor mine.json {PLAIN} --ceiling 0.9 --json"));
    let answer = mine.json();
    assert_eq!((mine.code, &answer["kappa"]["lo"]), (1, &"inf".into()), "{}", mine.err);
    assert_eq!(answer["deviation"]["gains"]["A"], "inf");
}

#[test]
fn tables_are_audited_exactly() {
    let table = "model,a,b,c\nnow,0.7,0.9,0.9\nrival,2.1,0.1,0.1\n";
    let folder = Folder::new(&[("t.csv", table), ("w.csv", "agent,weight\na,2\nb,1\nc,1\n")]);
    // 0.7 * 3 = 2.1: agent a breaks even alone, and nothing is strict.
    let tie = folder.run("audit t.csv --incumbent now --json");
    assert_eq!((tie.code, tie.json()["kappa"]["hi"].as_f64()), (0, Some(1.0)));
    // With half of the weight it gains: (2/4) * 3.
    let heavy = folder.run("audit t.csv --incumbent now --weights w.csv --json");
    let answer = heavy.json();
    assert_eq!((heavy.code, answer["kappa"]["lo"].as_f64()), (1, Some(1.5)));
    assert_eq!(answer["deviation"]["rival"], "rival");
    assert_eq!(answer["deviation"]["coalition"], serde_json::json!(["a"]));
    assert!(close(&answer["deviation"]["gains"]["a"], 3.0));
}

#[test]
fn an_audit_without_time_answers_with_an_interval() {
    let row = |agent: i32| format!("a{agent},1,{}\n", f64::from(agent) / 7.0);
    let rows = format!("agent,x,y\n{}", (0..8).map(row).collect::<String>());
    let folder = Folder::new(&[("p.csv", &rows)]);
    let said = folder.run(&format!("solve p.csv {PLAIN} --ceiling 0.4 --time-limit 0 --json"));
    let answer = said.json();
    assert_eq!((said.code, &answer["verdict"]), (3, &"undecided".into()), "{}", said.out);
    assert!(answer["kappa"]["lo"].as_f64() < answer["kappa"]["hi"].as_f64());
    assert_eq!(answer["search"]["complete"], false);
}

#[test]
fn every_command_has_examples_and_exit_codes_in_its_help() {
    for command in [
        "run",
        "compare",
        "sweep",
        "solve",
        "ceiling",
        "audit",
        "verify",
        "predict",
        "data list",
        "data fetch",
        "data inspect",
        "data partition",
        "data export",
    ] {
        let said = Folder::new(&[]).run(&format!("{command} --help"));
        assert_eq!(said.code, 0);
        assert!(said.out.contains("Examples:") && said.out.contains("Exit codes:"), "{command}");
    }
}
