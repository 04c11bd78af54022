//! A federation by mail: five folders that never see each other's rows.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::Folder;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/by-mail/play.sh");
const HOSPITALS: [&str; 5] = ["Aachen", "Bergen", "Coimbra", "Dresden", "Evora"];

/// Plays the script in `play` below a folder; its output.
fn play(folder: &Folder, model: &str, ceiling: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_corefed")).parent().expect("a folder");
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args([SCRIPT, "play", model])
        .current_dir(folder.path("."))
        .env("PATH", format!("{}:{path}", program.display()))
        .env("CEILING", ceiling)
        .output()
        .expect("a shell");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

fn json(folder: &Folder, path: &str) -> Value {
    serde_json::from_str(&folder.read(path)).expect("JSON")
}

/// Both ends of an interval of two documents.
fn same_ends(one: &Value, other: &Value, field: &str) {
    for end in ["lo", "hi"] {
        let [a, b] = [one, other].map(|found| found[field][end].as_f64().expect("a number"));
        assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "{field}.{end}: {a} {b}");
    }
}

#[test]
fn five_hospitals_by_mail_have_the_verdict_of_the_pooled_audit() {
    let folder = Folder::new(&[]);
    let said = play(&folder, "logistic", "initial:1.0");
    assert!(said.contains("attested: signed by Aachen, Bergen, Coimbra, Dresden, Evora"), "{said}");
    // Training takes five rounds, the audit three more.
    assert!(said.contains("rounds of questions: 8"), "{said}");
    let data = "play/demo/federation.csv --agent hospital --target disease --model logistic";
    let pooled = folder.run(&format!("solve {data} --ceiling initial:1.0 --json"));
    let pooled: Value = serde_json::from_str(&pooled.out).expect("JSON");
    let mailed = json(&folder, "play/coordinator/audit.json");
    assert_eq!((&mailed["verdict"], &pooled["verdict"]), (&"blocked".into(), &"blocked".into()));
    same_ends(&mailed, &pooled, "kappa");
    same_ends(&mailed, &pooled, "everybody");
    assert!(folder.read("play/coordinator/report.html").contains("Rows stayed at their agents"));
    // Nothing in the coordinator's folder is a row.
    let first_row = folder.read("play/Aachen/rows.csv").lines().nth(1).expect("a row").to_owned();
    for entry in std::fs::read_dir(folder.path("play/coordinator")).expect("a folder") {
        let text = std::fs::read_to_string(entry.expect("an entry").path()).expect("text");
        assert!(!text.contains(&first_row));
    }
    refusals(&folder);
}

/// What goes wrong in that folder, each named; nothing is kept of what is refused.
fn refusals(folder: &Folder) {
    let again = |name: &str| {
        let to = folder.path(name);
        std::fs::create_dir(&to).expect("a folder");
        for agent in HOSPITALS {
            let file = format!("{agent}.summary.json");
            std::fs::copy(folder.path("play/coordinator").join(&file), to.join(&file))
                .expect("a copy");
        }
    };
    let copy = |from: &str, to: &str| {
        std::fs::copy(folder.path(from), folder.path(to)).expect("a copy");
    };
    again("other");
    let begun = folder.run("audit --answers other --ceiling initial:1.2");
    assert_eq!(begun.code, 3, "{}", begun.err);
    assert!(begun.out.contains("waiting for Aachen, Bergen"), "{}", begun.out);
    // Answers to other terms, under a name that does not matter.
    copy("play/coordinator/answers-01-Aachen.json", "other/late.json");
    let stale = folder.run("audit --answers other");
    assert_eq!(stale.code, 2);
    assert!(stale.err.contains("`Aachen`") && stale.err.contains("other terms"), "{}", stale.err);
    std::fs::remove_file(folder.path("other/late.json")).expect("removed");
    let terms = folder.run("audit --answers other --ceiling 3");
    assert!(terms.err.contains("has begun"), "{}", terms.err);
    let same = folder.run("audit --answers other --ceiling initial:1.2");
    assert_eq!((same.code, &same.out), (3, &begun.out), "{}", same.err);
    // Another's key, and another number of rows.
    let foreign = "answer other/questions-01.json --data play/Bergen/rows.csv --agent Aachen \
                   --key play/Bergen/my.key --out a.json";
    let foreign = folder.run(foreign);
    assert!(foreign.err.contains("not that of `Aachen`"), "{}", foreign.err);
    let other = "answer other/questions-01.json --data play/Bergen/rows.csv --key play/Aachen/my.key \
                 --out a.json";
    let other = folder.run(other);
    assert_eq!(other.code, 2, "{}", other.out);
    assert!(
        other.err.contains("has 400 rows, and the summary of `Aachen` told 420"),
        "{}",
        other.err
    );
    assert!(!folder.names().contains(&"a.json".to_owned()), "nothing is answered about them");
    let own = "--data play/Aachen/rows.csv --key play/Aachen/my.key";
    assert_eq!(folder.run(&format!("answer other/questions-01.json {own} --out a.json")).code, 0);
    // Changed on the way.
    let text =
        folder.read("a.json").replacen("\"losses\": [\n      0.69", "\"losses\": [\n      0.68", 1);
    assert_ne!(text, folder.read("a.json"));
    std::fs::write(folder.path("other/a.json"), text).expect("written");
    let changed = folder.run("audit --answers other");
    assert!(changed.err.contains("or they were changed"), "{}", changed.err);
    copy("a.json", "other/a.json");
    // A budget that is spent: the file says so, and the audit continues without.
    let refuse = "answer other/questions-01.json --data play/Bergen/rows.csv --key play/Bergen/my.key \
                  --budget 0.001 --out other/b.json";
    let refused = folder.run(refuse);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.out.contains("refused") && refused.out.contains("cells"), "{}", refused.out);
    let waiting = folder.run("audit --answers other");
    assert!(waiting.out.contains("waiting for Coimbra, Dresden, Evora"), "{}", waiting.out);
    let stranger = folder.run("audit --answers other --absent Ulm");
    assert!(stranger.err.contains("no agent is called `Ulm`"), "{}", stranger.err);
    // The same folder again asks the same.
    let before = folder.read("other/questions-01.json");
    assert_eq!(folder.run("audit --answers other").code, 3);
    assert_eq!(folder.read("other/questions-01.json"), before);
    let empty = folder.run("audit --answers play/demo");
    assert!(empty.err.contains("neither a session nor summaries"), "{}", empty.err);
    let unused = folder.run("audit --answers other --certificate c.json");
    assert!(unused.err.contains("`--certificate` has no effect"), "{}", unused.err);
}

#[test]
fn least_squares_by_mail_takes_one_file_each_way() {
    let folder = Folder::new(&[]);
    let said = play(&folder, "linear", "baseline:1.5");
    assert!(said.contains("rounds of questions: 0"), "{said}");
    let data = "play/demo/federation.csv --agent hospital --target disease --model linear";
    let pooled = folder.run(&format!("solve {data} --ceiling baseline:1.5 --json"));
    let pooled: Value = serde_json::from_str(&pooled.out).expect("JSON");
    let mailed = json(&folder, "play/coordinator/audit.json");
    assert_eq!(mailed["verdict"], pooled["verdict"]);
    same_ends(&mailed, &pooled, "kappa");
    same_ends(&mailed, &pooled, "everybody");
}
