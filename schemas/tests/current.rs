//! What is committed is what the types say.

#[path = "../examples/generate/documents.rs"]
mod documents;

use corefed_schemas::SCHEMAS;

#[test]
fn every_committed_schema_is_the_one_its_type_generates() {
    let generated = documents::all();
    let names: Vec<&str> = generated.iter().map(|(name, _)| *name).collect();
    assert_eq!(SCHEMAS.map(|(name, _)| name).as_slice(), names);
    for ((name, committed), (_, schema)) in SCHEMAS.iter().zip(&generated) {
        assert!(
            *committed == documents::text(schema),
            "{name}.schema.json is not what the types say; if the change is wanted, follow \
             docs/versions.md and run `cargo run -p corefed-schemas --example generate`"
        );
    }
}
