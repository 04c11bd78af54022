//! Trainings that work: every rule, every kind of data, and what the folder is good for.

use serde_json::Value;

use crate::harness::Folder;
use crate::run_folder::same;

const FILES: [&str; 13] = [
    "agents.jsonl",
    "audit.json",
    "certificate.json",
    "checkpoints/00000200.checkpoint",
    "coalitions.json",
    "digests.sha256",
    "federation.csv",
    "model.safetensors",
    "report.html",
    "rounds.jsonl",
    "run.json",
    "spec.toml",
    "summary.md",
];

/// The last line of `rounds.jsonl`.
fn last(folder: &Folder, run: &str) -> Value {
    folder.records(&format!("{run}/rounds.jsonl")).pop().expect("a round")
}

#[test]
fn the_hospitals_train_to_a_folder_that_can_be_verified_and_audited() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --out a");
    let files: Vec<String> = folder.files("a").into_keys().collect();
    assert_eq!(files, FILES, "{}", said.err);
    let audit: Value = serde_json::from_str(&folder.read("a/audit.json")).expect("JSON");
    let code = match audit["verdict"].as_str() {
        Some("stable") => 0,
        Some("blocked") => 1,
        _ => 3,
    };
    assert_eq!(said.code, code, "{}{}", said.out, said.err);
    // The certificate convinces a checker that has no model, solver or training code.
    let checked = folder.run("verify a/certificate.json --data a/federation.csv");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    // The audit holds the predictor, which can be audited again and applied.
    let again = folder.run("audit a/federation.csv --predictor a/audit.json --json");
    assert_eq!(again.code, code, "{}", again.err);
    let (before, after) = (&audit["kappa"]["lo"], &again.json()["kappa"]["lo"]);
    let difference = before.as_f64().expect("number") - after.as_f64().expect("number");
    assert!(difference.abs() < 1e-6, "{before} and {after}");
    let predicted = folder.run("predict a/audit.json a/federation.csv");
    assert_eq!(predicted.code, 0, "{}", predicted.err);
    let rows = folder.read("a/federation.csv").lines().count();
    assert_eq!(predicted.out.lines().count(), rows);
}

#[test]
fn records_summary_and_audit_tell_one_story() {
    let folder = Folder::new(&[]);
    let said = folder.run("run hospitals-rounds --out a");
    let rounds = folder.records("a/rounds.jsonl");
    assert_eq!(rounds.len(), 201);
    assert_eq!(folder.records("a/agents.jsonl").len(), 5 * 201);
    let welfare = |record: &Value| record["log_welfare"].as_f64().expect("number");
    // A full-batch step on log-welfare rises it, and 200 of them end near the exact optimum.
    assert!(rounds.windows(2).all(|pair| welfare(&pair[1]) >= welfare(&pair[0]) - 1e-12));
    let exact = folder.run("run hospitals --out exact --json").json();
    let optimum = exact["rules"][0]["log_welfare"].as_f64().expect("number");
    let reached = welfare(&rounds[200]);
    assert!(reached <= optimum + 1e-9 && reached > optimum - 1e-3, "{reached} and {optimum}");
    let audit: Value = serde_json::from_str(&folder.read("a/audit.json")).expect("JSON");
    assert!((audit["log_welfare"].as_f64().expect("number") - reached).abs() < 1e-9);
    for text in [&said.out, &folder.read("a/summary.md")] {
        assert!(text.contains(&format!("log-welfare {reached:.6}")), "{text}");
        assert!(text.contains(audit["verdict"].as_str().expect("verdict")), "{text}");
        for name in ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"] {
            assert!(text.contains(name), "{name}: {text}");
        }
    }
}

#[test]
fn every_rule_trains() {
    let folder = Folder::new(&[]);
    for (k, rule) in [
        "train.rule=fedavg",
        "train.step_length=printed",
        "train.step_length=normalised",
        "train.step_length=dynamic",
        "train.rule=propfair",
        "train.rule=afl",
        "train.rule=qffl",
        "train.rule=term",
        "train.rule=fedmgda",
        "train.rule=newton",
    ]
    .into_iter()
    .enumerate()
    {
        let said = folder
            .run(&format!("run hospitals-rounds --set {rule} --set train.rounds=5 --out {k}"));
        assert_ne!(said.code, 2, "{rule}: {}", said.err);
        let rounds = folder.records(&format!("{k}/rounds.jsonl"));
        assert_eq!(rounds.len(), 6, "{rule}");
        for record in &rounds {
            for column in ["loss", "log_welfare", "headroom", "utility_min", "accuracy_mean"] {
                assert!(record[column].as_f64().is_some(), "{rule}: {column} of {record}");
            }
        }
        let moved = |r: &Value| r["step_norm"].as_f64().is_some_and(|norm| norm > 0.0);
        assert!(rounds[1..].iter().all(moved), "{rule}");
        // Whatever a rule is after, five rounds from zero make the mean loss smaller.
        let loss = |k: usize| rounds[k]["loss"].as_f64().expect("number");
        assert!(loss(5) < loss(0), "{rule}: {} and {}", loss(0), loss(5));
        for agent in folder.records(&format!("{k}/agents.jsonl")) {
            assert!(agent["utility"].as_f64().is_some(), "{rule}: {agent}");
        }
    }
}

#[test]
fn newton_reaches_a_certificate_in_a_dozen_rounds_and_stops_there() {
    let folder = Folder::new(&[]);
    let said = folder.run(
        "run hospitals-rounds --ceiling worst --set train.rule=newton \
         --set train.stop.certificate=1e-9 --out a",
    );
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let record = last(&folder, "a");
    let (round, bound) = (record["round"].as_u64(), record["bound"].as_f64());
    assert!(round.is_some_and(|round| round <= 12), "{record}");
    assert!(bound.is_some_and(|bound| bound <= 1.0 + 1e-9), "{record}");
    let checked = folder.run("verify a/certificate.json --data a/federation.csv");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
}

#[test]
fn a_certificate_ends_a_training_of_gradients_early() {
    let folder = Folder::new(&[]);
    let run = "run hospitals-rounds --ceiling worst --json";
    let stopped = folder.run(&format!("{run} --set train.stop.certificate=0.3 --out a"));
    let end = crate::run_folder::lines(&stopped.out).pop().expect("an event");
    assert_eq!((&end["event"], &end["certified"]), (&"end".into(), &true.into()), "{end}");
    let record = last(&folder, "a");
    assert_eq!(end["rounds"], record["round"]);
    assert!(record["round"].as_u64() < Some(200), "{record}");
    assert!(record["bound"].as_f64().is_some_and(|bound| bound <= 1.3), "{record}");
    // Without a premise there is no bound, and nothing to stop for.
    let on = folder.run(
        "run hospitals-rounds --set train.stop.certificate=0.3 --set train.rounds=3 --json --out b",
    );
    let end = crate::run_folder::lines(&on.out).pop().expect("an event");
    assert_eq!((&end["rounds"], &end["certified"]), (&3.into(), &false.into()), "{end}");
    assert_eq!(last(&folder, "b")["bound"], Value::Null);
}

#[test]
fn images_and_generated_devices_train() {
    let shapes = "data = \"shapes\"\nmodel = \"softmax\"\nheld_out = 0.2\n[partition]\n\
                  method = \"label-dirichlet\"\nagents = 4\n[train]\nrounds = 3\n[train.local]\nlearning_rate = 0.005\n";
    let devices = "data = \"synthetic\"\nmodel = \"softmax\"\nallow = [\"one-class\"]\n\
                   time_limit = 0\n                   [train]\nrounds = 3\n";
    let folder = Folder::new(&[("shapes.toml", shapes), ("devices.toml", devices)]);
    for (name, file) in [("shapes", "partition.json"), ("devices", "federation.csv")] {
        let said = folder.run(&format!("run {name}.toml --out {name}"));
        assert!([0, 1, 3].contains(&said.code), "{name}: {}", said.err);
        assert!(folder.path(name).join(file).exists(), "{name}");
        let (first, record) =
            (folder.records(&format!("{name}/rounds.jsonl")).remove(0), last(&folder, name));
        assert!(record["loss"].as_f64() < first["loss"].as_f64(), "{name}: {first}\n{record}");
        assert_eq!(record["held_out_accuracy_mean"].is_null(), name == "devices", "{record}");
    }
    let header: Value = serde_json::from_str(&folder.read("shapes/run.json")).expect("JSON");
    assert_eq!(
        (&header["model"]["scalar"], &header["model"]["family"]),
        (&"f32".into(), &"softmax".into())
    );
    assert_eq!(header["agents"].as_array().map(Vec::len), Some(4));
}

#[test]
fn rows_can_be_kept_back_and_agents_made_worse() {
    let folder = Folder::new(&[]);
    let run = "run hospitals-rounds --set train.rounds=20 --set held_out=0.25";
    assert_ne!(folder.run(&format!("{run} --out clean")).code, 2);
    let corrupted = "--set corrupt.Bergen=[\"noise:0.5\",\"labels:0.4\"]";
    let said = folder.run(&format!("{run} {corrupted} --out corrupted"));
    assert_ne!(said.code, 2, "{}", said.err);
    let bergen = |run: &str| {
        let agents = folder.records(&format!("{run}/agents.jsonl"));
        agents.into_iter().rfind(|agent| agent["agent"] == "Bergen").expect("Bergen")
    };
    let (clean, worse) = (bergen("clean"), bergen("corrupted"));
    assert!(worse["loss"].as_f64() > clean["loss"].as_f64(), "{clean}\n{worse}");
    assert!(worse["held_out_loss"].as_f64().is_some(), "{worse}");
    let header: Value = serde_json::from_str(&folder.read("corrupted/run.json")).expect("JSON");
    for agent in header["agents"].as_array().expect("agents") {
        let kept = agent["held_out_samples"].as_f64().expect("count");
        let all = kept + agent["samples"].as_f64().expect("count");
        assert!((kept / all - 0.25).abs() < 0.02, "{agent}");
    }
    // What was trained on is in the folder, so the certificate can be checked.
    let checked = folder.run("verify corrupted/certificate.json --data corrupted/federation.csv");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
}

#[test]
fn the_best_model_on_validation_rows_is_kept_audited_and_told_beside_the_last() {
    let folder = Folder::new(&[]);
    // Long steps without anything that holds them: welfare goes up and down.
    let run = "run hospitals-rounds --set train.rounds=40 --set train.local.batch=8 \
               --set train.local.learning_rate=2.0 --set train.correction=none \
               --set train.search=off --set validation=0.2 --set held_out=0.1";
    let said = folder.run(&format!("{run} --out best"));
    assert_ne!(said.code, 2, "{}", said.err);
    let rounds = folder.records("best/rounds.jsonl");
    let worth = |round: &Value| round["validation_welfare"].as_f64().expect("a number");
    let highest = rounds.iter().map(worth).fold(f64::NEG_INFINITY, f64::max);
    let best = rounds.iter().position(|round| worth(round) == highest).expect("a round");
    assert!(best < 40, "the last round is the best");
    let told = format!("model of round {best}, the best on the validation rows");
    assert!(said.out.contains(&told), "{}", said.out);
    assert!(folder.read("best/summary.md").contains(&told));
    assert!(folder.read("best/report.html").contains(&format!("of round {best}, the best")));
    let header: Value = serde_json::from_str(&folder.read("best/run.json")).expect("JSON");
    assert_eq!(header["keeps"], "best");
    // The audit is of that round's model: its utilities are those of the record.
    let audit: Value = serde_json::from_str(&folder.read("best/audit.json")).expect("JSON");
    let agents = folder.records("best/agents.jsonl");
    for agent in audit["agents"].as_array().expect("agents") {
        let own = |a: &&Value| a["round"] == best && a["agent"] == agent["name"];
        let record = agents.iter().find(own).expect("a record");
        let (a, b) = (record["utility"].as_f64(), agent["utility"].as_f64());
        assert!((a.expect("u") - b.expect("u")).abs() < 1e-9, "{record}\n{agent}");
    }
    // The other model is there, too, and is the one that a run without choice ends with.
    assert_ne!(folder.run(&format!("{run} --set train.keep=last --out last")).code, 2);
    let bytes = |path: &str| std::fs::read(folder.path(path)).expect("a model");
    assert_eq!(bytes("best/last.safetensors"), bytes("last/model.safetensors"));
    assert_ne!(bytes("best/model.safetensors"), bytes("last/model.safetensors"));
    assert!(!folder.path("last/last.safetensors").exists());
    // Patience ends it early, with the same model as long as nothing better would have come.
    let said = folder.run(&format!("{run} --set train.stop.patience=3 --out patient"));
    assert_ne!(said.code, 2, "{}", said.err);
    let made = folder.records("patient/rounds.jsonl").len() - 1;
    let best = rounds[..=made].iter().map(worth).enumerate();
    let best = best.fold((0, f64::NEG_INFINITY), |b, now| if now.1 > b.1 { now } else { b }).0;
    assert_eq!(made, best + 3);
    // Without rows to choose by there is nothing to choose.
    let refused = folder.run("run hospitals-rounds --set train.keep=best --out none");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("validation"), "{}", refused.err);
}

/// Three banks, a line each.
const BANKS: &str = "bank,size,price\nA,1,2.1\nA,2,3.9\nA,3,6.2\nB,1,1.8\nB,2,4.1\nB,4,8.3\n\
                     C,1,3.0\nC,2,5.2\nC,3,6.9\n";

#[test]
fn a_file_of_the_users_own_trains_beside_its_spec() {
    let folder = Folder::new(&[]);
    std::fs::create_dir(folder.path("here")).expect("a folder");
    folder.write("here/banks.csv", BANKS);
    folder.write(
        "here/banks.toml",
        "data = \"banks.csv\"\nagent = \"bank\"\ntarget = \"price\"\nmodel = \"linear\"\n\
         [train]\nrounds = 30\n[train.local]\nbatch = \"full\"\nlearning_rate = 0.1\n",
    );
    let said = folder.run("run here/banks.toml --out a");
    assert_ne!(said.code, 2, "{}", said.err);
    let checked = folder.run("verify a/certificate.json --data here/banks.csv");
    assert_eq!(checked.code, 0, "{}{}", checked.out, checked.err);
    let audited = folder.run("audit here/banks.csv --predictor a/audit.json");
    assert_eq!(audited.code, said.code, "{}", audited.err);
    // The folder's own spec repeats the run.
    let again = folder.run("run a/spec.toml --out b");
    assert_eq!(again.code, said.code, "{}", again.err);
    same(&folder.files("a"), &folder.files("b"));
}
