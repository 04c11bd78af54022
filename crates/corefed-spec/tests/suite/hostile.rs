//! Whatever is thrown at the reader, it answers.

use corefed_spec::{Spec, presets};
use proptest::prelude::*;

/// Everything a spec can contain, to mutate.
const FULL: &str = r#"
name = "full"
data = "mnist"
model = "softmax"
allow = ["wide"]
[columns]
zip = "text"
[partition]
method = "label-dirichlet"
alpha = 0.5
[corrupt]
"agent 1" = ["noise:0.5", "drop:0.1"]
[train]
rule = "qffl"
q = 2.0
[train.local]
steps = 3
batch = "full"
schedule = "step"
decay = 0.5
[train.participation]
draw = "fixed"
agents = ["a", "b"]
[train.safety]
clip = 1.5
[compare]
rules = ["fedavg", { rule = "qffl", q = 2.0, label = "q-FFL 2" }]
seeds = [1, 2, 3]
"#;

/// The answer, and that it is not empty-handed.
fn answers(text: &str) -> bool {
    match Spec::parse("hostile.toml", text) {
        Ok(spec) => Spec::parse("hostile.toml", &spec.to_toml()) == Ok(spec),
        Err(errors) => !errors.mistakes().is_empty() && !errors.to_string().is_empty(),
    }
}

proptest! {
    #[test]
    fn arbitrary_bytes_are_answered(bytes: Vec<u8>) {
        prop_assert!(answers(&String::from_utf8_lossy(&bytes)));
    }

    #[test]
    fn arbitrary_pieces_of_toml_are_answered(
        text in "([a-e]|train|rule|[0-9]|[\\[\\]{}.=,\"'#\n \\\\]|= 1\n|\\[\\[|\\]\\]){0,40}",
    ) {
        prop_assert!(answers(&text));
    }

    #[test]
    fn mutated_specs_are_answered(
        which in 0..=presets().len(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0..20_usize, "[ -~\n]{0,3}"), 1..6),
    ) {
        let mut text = presets().get(which).map_or(FULL, |preset| preset.text).to_owned();
        for (at, length, with) in cuts {
            let mut chars: Vec<char> = text.chars().collect();
            let start = at.index(chars.len() + 1);
            let end = (start + length).min(chars.len());
            chars.splice(start..end, with.chars());
            text = chars.into_iter().collect();
        }
        prop_assert!(answers(&text));
    }

    #[test]
    fn arbitrary_settings_are_answered(path in "\\PC{0,20}|[a-z.\"\n=#]{0,12}", value in ".{0,20}") {
        for preset in presets() {
            let Some(spec) = Spec::preset(preset.name) else { unreachable!() };
            if let Ok(spec) = spec.with(&path, &value) {
                prop_assert!(answers(&spec.to_toml()));
            }
        }
    }

    #[test]
    fn arbitrary_values_of_known_keys_are_answered(
        path in prop::sample::select(vec![
            "seed", "train.rule", "train.local", "partition", "partition.method", "compare.rules",
            "corrupt.a", "columns.a", "train.participation.draw", "train", "agent", "compare",
        ]),
        value in "\\PC{0,8}|[\\[\\]{}=,\"a0-9. ]{0,12}",
    ) {
        let Some(spec) = Spec::preset("mnist") else { unreachable!() };
        if let Ok(spec) = spec.with(path, &value) {
            prop_assert!(answers(&spec.to_toml()));
        }
    }
}

#[test]
fn a_full_spec_is_read() {
    Spec::parse("full.toml", FULL).unwrap();
}

#[test]
fn a_megabyte_of_junk_is_refused_in_few_words() {
    let megabyte = 1 << 20;
    let repeated = |piece: &str| piece.repeat(megabyte / piece.len());
    let numbered = |prefix: &str, suffix: &str| -> String {
        let pieces: Vec<_> = (0..40_000).map(|i| format!("{prefix}{i}{suffix}")).collect();
        pieces.concat()
    };
    for (what, text) in [
        ("brackets", format!("a = {}", &repeated("[")[..megabyte - 4])),
        ("braces", repeated("{a = ")),
        ("headers", repeated("[[a]]\n")),
        ("deep headers", repeated(&format!("[{}b]\n", "a.".repeat(70)))),
        ("dots", repeated("a.")),
        ("lines", "\n".repeat(megabyte)),
        ("unknown keys", numbered("learning_rat", " = 1\n")),
        ("seeds", format!("[train]\n[compare]\nrules = []\nseeds = [{}]", numbered("", ", "))),
        ("strange seeds", format!("[compare]\nseeds = [{}]", repeated("-1,").split_off(100))),
        ("agents", format!("[corrupt]\n{}", numbered("a", " = [0]\n"))),
        ("a long name", format!("name = '{}'", &repeated("x")[..megabyte - 20])),
        ("a long key", format!("{} = 1", &repeated("x")[..megabyte - 20])),
        ("too much", repeated("# comment\n").repeat(50)),
    ] {
        let errors = Spec::parse("junk.toml", &text).unwrap_err();
        assert!(errors.mistakes().len() <= 100, "{what}");
        assert!(errors.to_string().len() < 100_000, "{what}");
    }
}
