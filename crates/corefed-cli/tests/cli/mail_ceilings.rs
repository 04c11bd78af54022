//! Ceilings and weights of a federation by mail: by every policy, the same as with all rows in one place.

use serde_json::Value;

use crate::harness::Folder;

const HOSPITALS: [&str; 5] = ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"];

/// The hospitals with a file each, and their summaries for one model.
fn summarised(model: &str, target: &str) -> Folder {
    let folder = Folder::hospitals();
    let table = folder.read("run/federation.csv");
    let (header, rows) = table.split_once('\n').expect("a header");
    let header = header.strip_prefix("hospital,").expect("the first column");
    for name in HOSPITALS {
        let own = rows.lines().filter_map(|row| row.strip_prefix(&format!("{name},")));
        let own: String = own.map(|row| row.to_owned() + "\n").collect();
        folder.write(&format!("{name}.csv"), &format!("{header}\n{own}"));
        let said = folder.run(&format!(
            "summarise --data {name}.csv --agent {name} --target {target} --model {model}"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    folder.write("c.csv", "agent,ceiling\nAachen,1\nBergen,2\nCoimbra,3\nDresden,4\nEvora,5\n");
    folder.write("w.csv", "agent,weight\nEvora,5\nDresden,4\nCoimbra,3\nBergen,2\nAachen,1\n");
    folder
}

/// A coordinator's folder with all summaries and a session under some terms.
fn begun(folder: &Folder, post: &str, terms: &str) -> Value {
    std::fs::create_dir(folder.path(post)).expect("a folder");
    for name in HOSPITALS {
        let file = format!("{name}.summary.json");
        std::fs::copy(folder.path(&file), folder.path(post).join(&file)).expect("a copy");
    }
    let said = folder.run(&format!("audit --answers {post} {terms}"));
    assert!([0, 1, 3].contains(&said.code), "{terms}: {}", said.err);
    serde_json::from_str(&folder.read(&format!("{post}/session.json"))).expect("JSON")
}

/// Ceilings and weights of the same terms with all rows in one table.
fn pooled(folder: &Folder, (model, target): (&str, &str), terms: &str) -> Vec<(f64, f64)> {
    let data = "run/federation.csv --agent hospital";
    let said =
        folder.run(&format!("solve {data} --target {target} --model {model} {terms} --json"));
    assert!(said.code < 2, "{terms}: {}", said.err);
    let found = said.json();
    let agents = found["agents"].as_array().expect("agents");
    let number = |value: &Value| value.as_f64().expect("a number");
    agents.iter().map(|agent| (number(&agent["ceiling"]), number(&agent["weight"]))).collect()
}

fn close(found: &Value, expected: f64, context: &str) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{context}: {found}"));
    assert!((found - expected).abs() <= 1e-9 * expected, "{context}: {found} {expected}");
}

#[test]
fn ceilings_that_summaries_decide_are_those_of_the_pooled_table() {
    for (model, target) in [("logistic", "disease"), ("linear", "age"), ("poisson", "age")] {
        let folder = summarised(model, target);
        for (k, terms) in [
            "--ceiling pooled-constant:1.5",
            "--ceiling pooled-constant:1.5 --weights samples",
            "--ceiling baseline:1.2 --weights w.csv",
            "--ceiling baseline:1.2",
            "--ceiling c.csv --weights w.csv",
        ]
        .iter()
        .enumerate()
        {
            let session = begun(&folder, &format!("post-{k}"), terms);
            let expected = pooled(&folder, (model, target), terms);
            for (agent, (ceiling, weight)) in expected.into_iter().enumerate() {
                let party = &session["setup"]["agents"][agent];
                let context = format!("{model} {terms}: {}", party["name"]);
                let policy = terms.split(' ').nth(1).expect("a policy");
                let stated = &party["ceiling"];
                if policy == "c.csv" {
                    close(&stated["absolute"], ceiling, &context);
                } else {
                    assert_eq!(stated["settled"]["policy"], policy, "{context}");
                    close(&stated["settled"]["value"], ceiling, &context);
                }
                close(&party["weight"], weight, &context);
            }
        }
    }
}

#[test]
fn ceilings_that_agents_declare_are_those_of_the_pooled_table() {
    let (model, target) = ("logistic", "disease");
    let folder = summarised(model, target);
    for (k, policy) in ["constant:1.5", "alone:3", "worst"].iter().enumerate() {
        let terms = format!("--ceiling {policy}");
        let post = format!("post-{k}");
        let session = begun(&folder, &post, &terms);
        assert_eq!(session["setup"]["agents"][0]["ceiling"]["declared"], *policy);
        let expected = pooled(&folder, (model, target), &terms);
        for (name, (ceiling, _)) in HOSPITALS.iter().zip(expected) {
            let answer = format!(
                "answer {post}/questions-01.json --data {name}.csv --agent {name} --out a-{k}-{name}.json"
            );
            let said = folder.run(&answer);
            assert_eq!(said.code, 0, "{}", said.err);
            let answers: Value =
                serde_json::from_str(&folder.read(&format!("a-{k}-{name}.json"))).expect("JSON");
            close(&answers["answers"]["ceiling"], ceiling, &format!("{policy} {name}"));
        }
    }
}

#[test]
fn ceilings_that_cannot_be_had_by_mail_are_refused_with_others() {
    let folder = summarised("logistic", "disease");
    let copy = |post: &str, files: &[&str]| {
        std::fs::create_dir(folder.path(post)).expect("a folder");
        for file in files {
            std::fs::copy(folder.path(file), folder.path(post).join(file)).expect("a copy");
        }
    };
    copy("post", &["Aachen.summary.json", "Bergen.summary.json"]);
    let said = folder.run("audit --answers post --ceiling alone:0.9");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("`alone:0.9` leaves nobody anything"), "{}", said.err);
    assert!(said.err.contains("hint: give a factor above one"), "{}", said.err);
    for (name, counts) in [("north", "1,0\n2,3\n3,1\n"), ("south", "1,2\n2,0\n4,5\n")] {
        folder.write(&format!("{name}.csv"), &format!("x,visits\n{counts}"));
        let said = folder.run(&format!(
            "summarise --data {name}.csv --agent {name} --target visits --model poisson"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    copy("counts", &["north.summary.json", "south.summary.json"]);
    // Of counts that are all zero the best constant loses nothing: nobody could have a utility.
    for name in ["east", "west"] {
        folder.write(&format!("{name}.csv"), "x,visits\n1,0\n2,0\n");
        let said = folder.run(&format!(
            "summarise --data {name}.csv --agent {name} --target visits --model poisson"
        ));
        assert_eq!(said.code, 0, "{}", said.err);
    }
    copy("none", &["east.summary.json", "west.summary.json"]);
    let said = folder.run("audit --answers none --ceiling pooled-constant");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("the ceiling of agent `east` is `0`"), "{}", said.err);
    assert!(!folder.path("none/session.json").exists());
    let said = folder.run("audit --answers counts --ceiling 1e200");
    assert!(said.err.contains("the ceiling of agent `north` is `10000"), "{}", said.err);
    // As an earlier version summarised counts.
    let north = "counts/north.summary.json";
    let mut earlier: Value = serde_json::from_str(&folder.read(north)).expect("JSON");
    assert!(earlier.as_object_mut().expect("an object").remove("counts").is_some());
    folder.write(north, &earlier.to_string());
    let said = folder.run("audit --answers counts --ceiling baseline:1.5");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("`baseline:1.5` needs averages of counts"), "{}", said.err);
    assert!(said.err.contains("`constant:F`, `alone:F` or `worst`"), "{}", said.err);
    let said = folder.run("audit --answers counts --ceiling c.csv");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("c.csv") && said.err.contains("north"), "{}", said.err);
}
