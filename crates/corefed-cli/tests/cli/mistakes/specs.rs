//! Specs, presets and keys.

use crate::harness::Folder;

#[test]
fn specs_and_presets() {
    let exact = "data = \"hospitals\"\nmodel = \"logistic\"\n";
    let folder = Folder::new(&[
        ("exact.toml", exact),
        ("unquoted.toml", "name = hello\ndata = \"x.csv\"\nmodel = \"linear\"\n"),
        (
            "typos.toml",
            "data = \"hospitals\"\nmodl = \"logistic\"\nsed = 1\nradius = -1\nallw = []\ntolernce = 1\n",
        ),
        ("rule.toml", &format!("{exact}[train]\nrounds = 2\nrule = \"FedAvg\"\n")),
    ]);
    std::fs::create_dir(folder.path("there")).unwrap();
    for (command, words) in [
        ("run s3", &["neither a preset nor a .toml file", "`hospitals`"][..]),
        ("run spec.yaml", &["TOML", "docs/spec.md"]),
        ("run hospital", &["did you mean `hospitals`?"]),
        (
            "run hospitals-rounds --set train.lerning_rate=1",
            &["did you mean `train.local.learning_rate`?"],
        ),
        ("run exact.toml --set radios=1", &["did you mean `radius`?"]),
        ("run unquoted.toml", &["line 1", "quotes"]),
        (
            "run typos.toml",
            &[
                "did you mean `model`?",
                "did you mean `seed`?",
                "`radius`",
                "did you mean `allow`?",
                "did you mean `tolerance`?",
            ],
        ),
        ("run rule.toml", &["did you mean `fedavg`?"]),
        ("run exact.toml --out there", &["there"]),
        ("compare exact.toml", &["needs `[train]`", "hospitals-rounds"]),
        ("sweep exact.toml --field celing --values 1,2", &["did you mean `ceiling`?"]),
        ("report nowhere", &["`nowhere` does not exist", "corefed run"]),
    ] {
        let said = folder.run(command);
        assert_eq!(said.code, 2, "{command}: {}{}", said.out, said.err);
        for word in words {
            assert!(said.err.contains(word), "{command}: no `{word}` in\n{}", said.err);
        }
        assert!(said.err.contains("hint: "), "{command}: {}", said.err);
    }
}
