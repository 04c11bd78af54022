//! What the command tells about itself.

use crate::harness::Folder;

#[test]
fn a_schema_is_printed_as_it_is_committed_and_an_unknown_one_is_refused_with_a_proposal() {
    let folder = Folder::new(&[]);
    let said = folder.run("schema certificate");
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, corefed_schemas::schema("certificate").unwrap())
    );
    let names = folder.run("schema").out;
    assert_eq!(names.lines().count(), corefed_schemas::SCHEMAS.len());
    let wrong = folder.run("schema certificat");
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("'certificate'"), "{}", wrong.err);
}

#[test]
fn completions_know_commands_flags_and_values() {
    let folder = Folder::new(&[]);
    for shell in ["bash", "zsh", "fish"] {
        let said = folder.run(&format!("completions {shell}"));
        assert_eq!(said.code, 0, "{}", said.err);
        // Values of arguments without a flag are completed where the shell's generator can.
        let values = if shell == "fish" { None } else { Some("veto-certificate") };
        for word in ["summarise", "time-limit", "logistic"].into_iter().chain(values) {
            assert!(said.out.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(folder.run("completions tcsh").code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new(&[]);
    let said = folder.run("man gone");
    assert_eq!(said.code, 2);
    assert!(said.err.contains("`gone`") && said.err.contains("hint: "), "{}", said.err);
    std::fs::create_dir(folder.path("man")).expect("a folder");
    let said = folder.run("man man");
    assert_eq!(said.code, 0, "{}", said.err);
    for page in ["corefed.1", "corefed-run.1", "corefed-data-fetch.1", "corefed-keys-new.1"] {
        assert!(folder.read(&format!("man/{page}")).contains(".TH"), "{page}");
    }
    assert!(folder.read("man/corefed-solve.1").contains("certificate"));
}
