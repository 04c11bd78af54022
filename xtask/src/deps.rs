//! Which crate may know which, and that modules inside a crate depend on each other in one direction.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::graph::Graph;
use crate::modules::Modules;
use crate::sources::{crates, files, root};

/// Crates whose modules may still depend on each other in circles.
const CYCLIC: &[&str] = &[];

/// The page whose table of crates says who uses whom.
const PAGE: &str = "docs/architecture.md";

/// Every crate has its row in the table, which names what its manifest names, and only rows above it; tests
/// may use more.
pub(crate) fn check() -> Result<()> {
    check_modules()?;
    let page = fs::read_to_string(root().join(PAGE)).context("cannot read the architecture")?;
    let graph = Graph::read(&page)?;
    let mut found = Vec::new();
    for (name, folder) in crates()? {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"))
            .with_context(|| format!("crate `{name}` has no manifest"))?;
        graph.agrees(&name, &dependencies(&manifest))?;
        found.push(name);
    }
    graph.has_no_other(&found)
}

/// No modules of a crate, or of a module, depend on each other in circles.
fn check_modules() -> Result<()> {
    let mut problems = Vec::new();
    for folder in ["crates", "experiments", "schemas", "xtask"] {
        let sources = files(folder, &["rs"])?;
        let roots = sources
            .iter()
            .filter(|s| s.path.ends_with("src/lib.rs") || s.path.ends_with("src/main.rs"));
        let mut crates: Vec<&Path> = roots.filter_map(|root| root.path.parent()).collect();
        crates.dedup();
        for src in crates {
            if CYCLIC.iter().any(|name| src.parent().is_some_and(|parent| parent.ends_with(name))) {
                continue;
            }
            for cycle in Modules::of(src, &sources).cycles() {
                problems.push(format!(
                    "{}{}: {} ({})",
                    src.display(),
                    if cycle.inside.is_empty() {
                        String::new()
                    } else {
                        format!(" in `{}`", cycle.inside)
                    },
                    cycle.members.join(", "),
                    cycle.edges.join(", ")
                ));
            }
        }
    }
    if !problems.is_empty() {
        bail!("modules depend on each other in circles:\n  {}", problems.join("\n  "));
    }
    Ok(())
}

/// Our crates in the `[dependencies]` section.
fn dependencies(manifest: &str) -> Vec<&str> {
    manifest
        .lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', ' ', '=']).next())
        .filter(|name| name.starts_with("corefed-"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_dependencies_of_ours_count() {
        let manifest = "[package]\nname = \"x\"\n[dependencies]\ncorefed-core.workspace = true\n\
                        serde = \"1\"\ncorefed-solve = { path = \"..\" }\n\n[dev-dependencies]\n\
                        corefed-model.workspace = true\n";
        assert_eq!(dependencies(manifest), ["corefed-core", "corefed-solve"]);
    }
}
