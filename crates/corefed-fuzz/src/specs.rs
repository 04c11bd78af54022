//! Specs.

use corefed_spec::Spec;

/// Reads a spec, writes it, reads that again; and takes the text as a setting of a preset.
pub(crate) fn spec(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match Spec::parse("input.toml", &text) {
        Ok(spec) => {
            let again = Spec::parse("input.toml", &spec.to_toml());
            assert_eq!(again.as_ref(), Ok(&spec), "a spec is not read as it is written");
        }
        Err(errors) => assert!(!errors.mistakes().is_empty() && !errors.to_string().is_empty()),
    }
    let Some((path, value)) = text.split_once('=') else { return };
    let preset = Spec::preset("hospitals-rounds").expect("a preset");
    if let Ok(spec) = preset.with(path.trim(), value.trim()) {
        assert_eq!(Spec::parse("input.toml", &spec.to_toml()), Ok(spec));
    }
}
