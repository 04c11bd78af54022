//! Agents that keep their rows: keys, attestations and what anybody can check.

use corefed_verify::seal;
use serde_json::Value;

use crate::attest_draft::draft;
use crate::harness::{Folder, Said};

/// Five hospitals under one ceiling, each with a file of its own rows, a key, and a certificate to sign.
fn hospitals(ceiling: &str) -> Folder {
    let folder = Folder::hospitals();
    let said = folder.run(&format!(
        "solve run/federation.csv --agent hospital --target disease --model logistic \
         --ceiling {ceiling} --certificate pooled.json"
    ));
    assert!(said.code < 2, "{}", said.err);
    let table = folder.read("run/federation.csv");
    let (header, rows) = table.split_once('\n').expect("a header");
    let mut names: Vec<&str> = Vec::new();
    for row in rows.lines() {
        let name = row.split(',').next().expect("a cell");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut keys = Vec::new();
    for name in &names {
        // Without the column that says whose they are.
        let own = rows.lines().filter_map(|row| row.strip_prefix(&format!("{name},")));
        let own = own.map(|row| row.to_owned() + "\n").collect::<String>();
        let header = header.strip_prefix("hospital,").expect("the first column");
        folder.write(&format!("{name}.csv"), &format!("{header}\n{own}"));
        let said = folder.run(&format!("keys new {name}.key"));
        assert_eq!(said.code, 0, "{}", said.err);
        keys.push(said.out.trim().to_owned());
    }
    let certificate =
        seal(draft(&folder, "pooled.json", "run/federation.csv", &keys)).expect("a draft");
    folder.write("c.json", &serde_json::to_string(&certificate).expect("JSON"));
    folder
}

fn names(folder: &Folder) -> Vec<String> {
    let certificate: Value = serde_json::from_str(&folder.read("c.json")).expect("JSON");
    let agents = certificate["terms"]["agents"].as_array().expect("agents");
    agents.iter().map(|agent| agent["name"].as_str().expect("a name").to_owned()).collect()
}

fn attest(folder: &Folder, name: &str) -> Said {
    folder.run(&format!("attest c.json --data {name}.csv --key {name}.key"))
}

fn refused(said: &Said, why: &str) {
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains(why), "{}", said.err);
}

#[test]
fn partners_sign_by_mail_and_anybody_checks() {
    for (ceiling, verdict) in [("1.0", "stable"), ("0.75", "blocked")] {
        let folder = hospitals(ceiling);
        let pooled: Value = serde_json::from_str(&folder.read("pooled.json")).expect("JSON");
        let said = folder.run("verify c.json");
        assert!(said.out.starts_with("consistent: the certificate says"), "{}", said.out);
        assert!(said.out.contains("nobody has signed"), "{}", said.out);
        let names = names(&folder);
        for name in &names {
            let said = attest(&folder, name);
            assert_eq!(said.code, 0, "{}", said.err);
            assert!(said.out.starts_with(&format!("signed: `{name}` stands for")), "{}", said.out);
        }
        let files: Vec<String> = names.iter().map(|n| format!("{n}.attestation.json")).collect();
        let said = folder.run(&format!("attest c.json --merge {} --out half.json", files[0]));
        assert!(said.out.starts_with("partly attested: signed by"), "{}{}", said.out, said.err);
        let said = folder.run("verify half.json --json").json();
        assert_eq!(said["status"], "partly attested");
        assert_eq!(said["unsigned"].as_array().map(Vec::len), Some(4));
        let said = folder.run(&format!("attest c.json --merge {} --out all.json", files.join(" ")));
        assert_eq!(said.code, 0, "{}", said.err);
        let said = folder.run("verify all.json --json").json();
        assert_eq!(said["status"], "attested");
        assert_eq!(said["verdict"], verdict);
        assert_eq!(said["signed"].as_array().map(Vec::len), Some(5));
        // The numbers are those of the audit that saw all rows.
        for end in ["lo", "hi"] {
            let found = said["kappa"][end].as_f64().expect("a number");
            let expected = pooled["claim"]["kappa"][end].as_f64().expect("a number");
            assert!((found - expected).abs() < 1e-6, "{end}: {found} {expected}");
        }
        let told = folder.run("verify all.json").out;
        let sentence = match verdict {
            "stable" => "no coalition of agents who signed and told the truth gains by leaving",
            _ => "the coalition gains by leaving, if its members signed and told the truth",
        };
        assert!(told.contains(sentence), "{told}");
        // An agent looks at its own part again; the file does not say whose it is.
        let own = format!("verify all.json --data {0}.csv", names[1]);
        refused(&folder.run(&own), "hospital");
        let said = folder.run(&format!("{own} --agent {}", names[1]));
        assert!(said.out.contains(&format!("answers of `{}` are those of its rows", names[1])));
    }
}

#[test]
fn wrong_rows_keys_and_names_are_refused_in_words() {
    let folder = hospitals("1.0");
    let names = names(&folder);
    let (me, other) = (&names[0], &names[1]);
    let run = |words: &str| folder.run(&format!("attest c.json {words}"));
    refused(&run(&format!("--data {other}.csv --key {me}.key")), "samples in the certificate");
    let rows = folder.read(&format!("{me}.csv"));
    folder.write("changed.csv", &rows.replacen(",female,", ",male,", 1));
    let said = run(&format!("--data changed.csv --key {me}.key"));
    refused(&said, &format!("`{me}` is said to lose"));
    assert!(said.err.contains("at `points[0]`") && said.err.contains("hint: these are other rows"));
    refused(
        &run(&format!("--data {me}.csv --key {me}.key --agent {other}")),
        &format!("the terms give `{other}` the public key"),
    );
    refused(&run(&format!("--data {me}.csv --key {me}.key --agent nobody")), "they name");
    let pooled = format!("--data run/federation.csv --key {me}.key");
    assert_eq!(run(&pooled).code, 0, "its own rows are taken from a table that names them");
    assert_eq!(folder.run("keys new stranger.key").code, 0);
    refused(&run(&format!("--data {me}.csv --key stranger.key")), "give nobody the public key");
    refused(&run(&format!("--data {me}.csv --key {me}.csv")), "is not a key file");
    refused(&folder.run(&format!("keys new {me}.key")), "a key is never overwritten");
    let said = folder.run(&format!("keys show {me}.key"));
    assert_eq!(said.out.trim().len(), 64);
    let pooled = format!("attest pooled.json --data {me}.csv --key {me}.key");
    refused(&folder.run(&pooled), "has nothing to attest");
    refused(&folder.run("verify pooled.json --data run/federation.csv --agent x"), "--agent");
}

#[test]
fn changed_certificates_and_attestations_are_refused_in_words() {
    let folder = hospitals("1.0");
    let names = names(&folder);
    let me = &names[0];
    assert_eq!(attest(&folder, me).code, 0);
    let merged = folder.run(&format!("attest c.json --merge {me}.attestation.json --out m.json"));
    assert_eq!(merged.code, 0, "{}", merged.err);
    let change = |from: &str, to: &str, edit: &dyn Fn(&mut Value)| {
        let mut document: Value = serde_json::from_str(&folder.read(from)).expect("JSON");
        edit(&mut document);
        folder.write(to, &document.to_string());
    };
    change("m.json", "f.json", &|c| c["attestations"][0]["leaves"][1]["margin"] = 1e-12.into());
    refused(&folder.run("verify f.json"), &format!("`{me}` did not sign this"));
    change("m.json", "f.json", &|c| c["terms"]["agents"][2]["weight"] = 2.0.into());
    refused(&folder.run("verify f.json"), "forged or stale");
    change("c.json", "other.json", &|c| c["terms"]["agents"][2]["policy"] = "initial:2".into());
    let stale = format!("attest other.json --merge {me}.attestation.json --out x.json");
    refused(&folder.run(&stale), &format!("stale: `{me}` attested other terms"));
    change("m.json", "f.json", &|c| c["claim"]["kappa"]["hi"] = 0.9.into());
    assert_eq!(folder.run("verify f.json").code, 2);
    change(&format!("{me}.attestation.json"), "a.json", &|a| a["agent"] = names[1].clone().into());
    refused(&folder.run("attest c.json --merge a.json --out x.json"), "attested other answers");
    refused(&folder.run("attest c.json --merge c.json --out x.json"), "`c.json`");
    assert!(!folder.names().contains(&"x.json".to_owned()), "nothing is written on refusal");
    // What is missing on the command line is said, too.
    assert_eq!(folder.run("attest c.json").code, 2);
    assert_eq!(folder.run(&format!("attest c.json --data {me}.csv")).code, 2);
}
