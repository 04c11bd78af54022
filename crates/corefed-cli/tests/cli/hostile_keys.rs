//! Keys and attestations among hostile names, links and files that are there already.

use corefed_verify::seal;

use crate::attest_draft::draft;
use crate::harness::Folder;

/// Climbs out of a folder, colours a terminal, turns text around and breaks a line.
const NAME: &str = "../../Aa\u{1b}[31m\u{202e}chen";

fn plain(text: &str) -> bool {
    !text.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{202e}')
}

/// Five hospitals of which the first has a hostile name; files are numbered.
fn hospitals() -> Folder {
    let folder = Folder::hospitals();
    let table = folder.read("run/federation.csv").replace("Aachen", NAME);
    folder.write("all.csv", &table);
    let said = folder.run(
        "solve all.csv --agent hospital --target disease --model logistic --ceiling 1 \
         --certificate pooled.json",
    );
    assert!(said.code < 2 && plain(&said.err) && plain(&said.out), "{}", said.err);
    let (header, rows) = table.split_once('\n').expect("a header");
    let mut keys = Vec::new();
    for (number, name) in [NAME, "Bergen", "Coimbra", "Dresden", "Evora"].iter().enumerate() {
        let own = rows.lines().filter_map(|row| row.strip_prefix(&format!("{name},")));
        let own = own.map(|row| row.to_owned() + "\n").collect::<String>();
        let header = header.strip_prefix("hospital,").expect("the first column");
        folder.write(&format!("{number}.csv"), &format!("{header}\n{own}"));
        let said = folder.run(&format!("keys new {number}.key"));
        assert_eq!(said.code, 0, "{}", said.err);
        keys.push(said.out.trim().to_owned());
    }
    let certificate = seal(draft(&folder, "pooled.json", "all.csv", &keys)).expect("a draft");
    folder.write("c.json", &serde_json::to_string(&certificate).expect("JSON"));
    folder
}

#[test]
fn a_hostile_agent_signs_into_the_folder_and_its_name_acts_nowhere() {
    let folder = hospitals();
    let before = folder.names();
    let said = folder.run("attest c.json --data 0.csv --key 0.key");
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(plain(&said.out) && plain(&said.err), "{:?} {:?}", said.out, said.err);
    assert!(said.out.contains("\\u001b") || said.err.contains("\\u001b"), "the name is shown");
    let new: Vec<String> =
        folder.names().into_iter().filter(|name| !before.contains(name)).collect();
    assert_eq!(new.len(), 1, "{new:?}");
    assert!(new[0].ends_with(".attestation.json") && plain(&new[0]), "{new:?}");
    let said = folder.run(&format!("attest c.json --merge {} --out merged.json", new[0]));
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(plain(&said.out) && plain(&said.err), "{:?} {:?}", said.out, said.err);
    // A key that is not the agent's, and an agent that is not there.
    for call in ["--key 1.key", "--key 1.key --agent ../../x"] {
        let said = folder.run(&format!("attest c.json --data 0.csv {call}"));
        assert_eq!(said.code, 2, "{}", said.out);
        assert!(plain(&said.out) && plain(&said.err), "{:?}", said.err);
    }
}

#[test]
fn a_key_is_never_written_over_anything() {
    let folder = Folder::new(&[("there", "precious")]);
    let said = folder.run("keys new there");
    assert_eq!(said.code, 2, "{}", said.out);
    assert!(said.err.contains("`there` exists"), "{}", said.err);
    assert_eq!(folder.read("there"), "precious");
}

#[cfg(unix)]
#[test]
fn a_key_is_never_written_through_a_link() {
    let folder = Folder::new(&[("there", "precious")]);
    for target in ["there", "nowhere"] {
        std::os::unix::fs::symlink(target, folder.path("own.key")).expect("a link");
        let said = folder.run("keys new own.key");
        assert_eq!(said.code, 2, "{}", said.out);
        std::fs::remove_file(folder.path("own.key")).expect("removed");
    }
    assert_eq!(folder.read("there"), "precious");
    assert!(!folder.path("nowhere").exists());
}

#[test]
fn a_file_that_is_not_a_key_is_refused_without_its_text() {
    let secret = format!("{{\"format\": \"corefed-key\", \"version\": 1, \"public\": \"{NAME}\"}}");
    let name = "k\u{1b}[31m.key";
    for text in ["", "{", &secret, &"[".repeat(100_000)] {
        let folder = Folder::new(&[(name, text)]);
        let said = folder.run_with(&["keys", "show", name]);
        assert_eq!(said.code, 2, "{}", said.out);
        assert!(plain(&said.err) && said.err.contains("\\u001b"), "{:?}", said.err);
        assert!(!said.err.contains("Aa") && said.err.len() < 1000, "{}", said.err);
    }
}
