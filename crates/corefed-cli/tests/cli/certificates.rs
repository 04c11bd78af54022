//! Certificates from the real solver, checked by the real checker, and forged.

use serde_json::{Value, json};

use crate::harness::{Folder, PARABOLAS, PLAIN};

/// Certificates of every kind of evidence, each with its data.
fn issued() -> Vec<(Folder, &'static str)> {
    let mut all = Vec::new();
    // Ceilings: above the worst loss (Frank-Wolfe), stable and blocked by coalition programs.
    for (ceiling, kind) in [("worst", "frank-wolfe"), ("0.6", "conflicts"), ("0.4", "conflicts")] {
        let folder = Folder::new(&[("d.csv", PARABOLAS)]);
        folder.run(&format!("solve d.csv {PLAIN} --ceiling {ceiling} --certificate c.json"));
        all.push((folder, kind));
    }
    let folder = Folder::new(&[("d.csv", PARABOLAS), ("m.json", r#"{"parameters": {"x": 2}}"#)]);
    folder.run(&format!("audit d.csv --predictor m.json {PLAIN} --ceiling 1 --certificate c.json"));
    all.push((folder, "unbounded"));
    let table = "model,a,b\nx,1,2\ny,2.5,1\nz,0.5,0.25\n";
    let folder = Folder::new(&[("d.csv", table)]);
    folder.run("audit d.csv --incumbent x --certificate c.json");
    all.push((folder, "listed"));
    for model in ["logistic", "softmax", "linear"] {
        for ceiling in ["worst", "initial:1.3"] {
            let folder = Folder::hospitals();
            let said = folder.run(&format!(
                "solve run/federation.csv --agent hospital --target disease --model {model} \
                 --ceiling {ceiling} --radius 3 --l2 0.01 --certificate c.json"
            ));
            assert!(said.code < 2, "{model} {ceiling}: {}", said.err);
            folder.write("d.csv", &folder.read("run/federation.csv"));
            all.push((folder, if ceiling == "worst" { "frank-wolfe" } else { "conflicts" }));
        }
    }
    all
}

#[test]
fn every_kind_of_certificate_is_verified_on_its_data() {
    for (folder, kind) in issued() {
        let certificate: Value = serde_json::from_str(&folder.read("c.json")).expect("JSON");
        assert_eq!(certificate["evidence"]["kind"], kind);
        let said = folder.run("verify c.json --data d.csv --json");
        assert_eq!(said.code, 0, "{kind}: {}", said.err);
        assert_eq!(said.json()["status"], "verified");
        let alone = folder.run("verify c.json");
        assert!(alone.out.starts_with("consistent"), "{}", alone.out);
        assert!(alone.out.contains("not checked"), "{}", alone.out);
    }
}

#[test]
fn changed_data_make_every_certificate_stale() {
    for (folder, kind) in issued() {
        let data = folder.read("d.csv");
        folder.write("d.csv", &data.replacen(",1", ",1.5", 1));
        let said = folder.run("verify c.json --data d.csv");
        assert_eq!(said.code, 2, "{kind}");
        assert!(said.err.contains("stale"), "{kind}: {}", said.err);
    }
}

/// Replaces every number of a document in turn and expects that no stronger claim passes.
#[test]
fn no_single_changed_number_strengthens_a_claim() {
    for (folder, kind) in issued().into_iter().take(5) {
        let honest: Value = serde_json::from_str(&folder.read("c.json")).expect("JSON");
        let mut paths = Vec::new();
        numbers(&honest, &mut String::new(), &mut paths);
        assert!(paths.len() > 10, "{kind}");
        for path in paths {
            let mut forged = honest.clone();
            let number = forged.pointer_mut(&path).expect("a number");
            let value = number.as_f64().expect("a number");
            *number = match number.as_u64() {
                Some(count) => json!(count + 1),
                None => json!(value * 0.99 - 0.01),
            };
            folder.write("forged.json", &forged.to_string());
            let said = folder.run("verify forged.json --data d.csv");
            assert!(!said.err.contains("internal error"), "{kind} {path}: {}", said.err);
            // What may pass is another true claim: a lower `lo`, smaller gains, a smaller ball, other
            // weights, or another rival for an agent that has nothing to lose.
            let harmless = [
                "/claim/kappa/lo",
                "/claim/everybody/lo",
                // Another proof of the same claim, where one is enough: bounds are checked.
                "/multipliers/",
                "/point/",
                "/gains/",
                "/subject/radius",
                "/weight",
                "/witness/rival",
            ];
            let other = harmless.iter().any(|part| path.contains(part));
            assert!(said.code == 2 || other, "{kind}: a forged {path} passed\n{}", said.out);
        }
    }
}

fn numbers(value: &Value, path: &mut String, found: &mut Vec<String>) {
    let mut visit = |key: String, value: &Value| {
        let length = path.len();
        path.push('/');
        path.push_str(&key);
        numbers(value, path, found);
        path.truncate(length);
    };
    match value {
        Value::Number(_) => found.push(path.clone()),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, item)| visit(k.to_string(), item));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(key, field)| visit(key.clone(), field));
        }
        _ => {}
    }
}

#[test]
fn documents_of_another_kind_or_version_are_refused_by_name() {
    let folder = Folder::hospitals();
    let honest = folder.read("run/core.certificate.json");
    for (forged, fragment) in [
        (honest.replace("\"version\": 2", "\"version\": 7"), "version 7"),
        (honest.replace("corefed-certificate", "something-else"), "something-else"),
        (honest.replace("\"stable\"", "\"blocked\""), "blocked"),
        (honest[..honest.len() / 2].to_owned(), "JSON"),
        (String::new(), "JSON"),
    ] {
        folder.write("forged.json", &forged);
        let said = folder.run("verify forged.json");
        assert_eq!(said.code, 2, "{fragment}");
        assert!(said.err.contains("refused") && said.err.contains(fragment), "{}", said.err);
    }
    assert_eq!(folder.run("verify absent.json").code, 2);
}
