//! Writes `schemas/*.schema.json` again: `cargo run -p corefed-schemas --example generate`.

mod documents;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (name, schema) in documents::all() {
        std::fs::write(folder.join(format!("{name}.schema.json")), documents::text(&schema))?;
    }
    Ok(())
}
