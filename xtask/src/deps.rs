//! Which crate may know which, and that modules inside a crate depend on each other in one direction.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::modules::Modules;
use crate::sources::{files, root};

/// What each crate may depend on among ours, as `docs/architecture.md` draws it. The checker knows
/// neither models nor solvers nor audits: that is what makes it a checker.
const GRAPH: &[(&str, &[&str])] = &[
    ("corefed-core", &[]),
    ("corefed-data", &["corefed-core"]),
    ("corefed-evidence", &["corefed-core"]),
    ("corefed-documents", &["corefed-core", "corefed-evidence"]),
    ("corefed-fetch", &["corefed-data"]),
    ("corefed-game", &["corefed-core"]),
    ("corefed-log", &["corefed-core"]),
    ("corefed-model", &["corefed-core", "corefed-data"]),
    ("corefed-nn", &["corefed-core"]),
    ("corefed-cuda", &["corefed-core", "corefed-nn"]),
    ("corefed-solve", &["corefed-core", "corefed-data", "corefed-model"]),
    ("corefed-verify", &["corefed-core", "corefed-data"]),
    ("corefed-audit", &["corefed-core", "corefed-data", "corefed-solve", "corefed-verify"]),
    ("corefed-remote", &["corefed-audit", "corefed-core", "corefed-model", "corefed-solve"]),
    (
        "corefed-campaign",
        &[
            "corefed-audit",
            "corefed-core",
            "corefed-data",
            "corefed-model",
            "corefed-remote",
            "corefed-solve",
            "corefed-verify",
        ],
    ),
    ("corefed-rules", &["corefed-core"]),
    ("corefed-schemas", &[]),
    ("corefed-spec", &["corefed-core", "corefed-data", "corefed-nn", "corefed-rules"]),
    (
        "corefed-report",
        &["corefed-core", "corefed-documents", "corefed-evidence", "corefed-log", "corefed-spec"],
    ),
    (
        "corefed-sim",
        &[
            "corefed-core",
            "corefed-cuda",
            "corefed-data",
            "corefed-log",
            "corefed-model",
            "corefed-nn",
            "corefed-rules",
            "corefed-solve",
            "corefed-spec",
        ],
    ),
    (
        "corefed",
        &[
            "corefed-audit",
            "corefed-core",
            "corefed-data",
            "corefed-model",
            "corefed-rules",
            "corefed-run",
            "corefed-sim",
            "corefed-solve",
            "corefed-spec",
            "corefed-verify",
        ],
    ),
    (
        "corefed-run",
        &[
            "corefed-audit",
            "corefed-core",
            "corefed-data",
            "corefed-documents",
            "corefed-evidence",
            "corefed-game",
            "corefed-log",
            "corefed-model",
            "corefed-nn",
            "corefed-remote",
            "corefed-report",
            "corefed-rules",
            "corefed-sim",
            "corefed-solve",
            "corefed-spec",
            "corefed-verify",
        ],
    ),
    (
        "corefed-fuzz",
        &[
            "corefed-core",
            "corefed-data",
            "corefed-documents",
            "corefed-log",
            "corefed-remote",
            "corefed-report",
            "corefed-rules",
            "corefed-run",
            "corefed-spec",
            "corefed-verify",
        ],
    ),
    (
        "corefed-reproduce",
        &[
            "corefed-core",
            "corefed-documents",
            "corefed-evidence",
            "corefed-log",
            "corefed-report",
            "corefed-rules",
            "corefed-run",
            "corefed-spec",
        ],
    ),
    (
        "corefed-cli",
        &[
            "corefed-audit",
            "corefed-core",
            "corefed-data",
            "corefed-documents",
            "corefed-fetch",
            "corefed-log",
            "corefed-report",
            "corefed-reproduce",
            "corefed-run",
            "corefed-schemas",
            "corefed-sim",
            "corefed-solve",
            "corefed-spec",
            "corefed-verify",
        ],
    ),
    (
        "corefed-python",
        &[
            "corefed-audit",
            "corefed-cli",
            "corefed-core",
            "corefed-data",
            "corefed-documents",
            "corefed-log",
            "corefed-model",
            "corefed-remote",
            "corefed-report",
            "corefed-rules",
            "corefed-run",
            "corefed-sim",
            "corefed-solve",
            "corefed-spec",
            "corefed-verify",
        ],
    ),
];

/// Crates whose modules may still depend on each other in circles.
const CYCLIC: &[&str] = &[];

/// Every crate is in the graph and depends only on what the graph allows; tests may use more.
pub(crate) fn check() -> Result<()> {
    check_modules()?;
    let mut folders = vec![root().join("experiments"), root().join("schemas")];
    for entry in fs::read_dir(root().join("crates"))? {
        folders.push(entry?.path());
    }
    for folder in folders {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let name = match name.as_str() {
            "experiments" => "corefed-reproduce".to_owned(),
            "schemas" => "corefed-schemas".to_owned(),
            _ => name,
        };
        let manifest = fs::read_to_string(folder.join("Cargo.toml"))
            .with_context(|| format!("crate `{name}` has no manifest"))?;
        let Some((_, allowed)) = GRAPH.iter().find(|(known, _)| *known == name) else {
            bail!("crate `{name}` is not in the graph of xtask/src/deps.rs");
        };
        if let Some(extra) = dependencies(&manifest).iter().find(|d| !allowed.contains(d)) {
            bail!("`{name}` must not depend on `{extra}` (see docs/architecture.md)");
        }
    }
    Ok(())
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
