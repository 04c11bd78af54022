//! What cargo knows about the workspace and everything it depends on.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::sources::root;

/// One crate of the graph.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The licence as its author writes it; empty where there is none.
    pub(crate) licence: String,
    /// Where it comes from; empty for our own.
    pub(crate) source: String,
    /// As cargo identifies it.
    pub(crate) id: String,
}

/// The crates of a build with these arguments, and which uses which, by identity.
pub(crate) struct Graph {
    pub(crate) packages: Vec<Package>,
    pub(crate) uses: Vec<(String, Vec<String>)>,
}

/// Asks cargo.
pub(crate) fn graph(arguments: &[&str]) -> Result<Graph> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let output = Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--locked", "--quiet"])
        .args(arguments)
        .current_dir(root())
        .output()
        .context("cannot start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    parse(&serde_json::from_slice(&output.stdout)?)
}

fn parse(metadata: &Value) -> Result<Graph> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes = list(&metadata["resolve"]["nodes"]);
    let uses: Vec<(String, Vec<String>)> = nodes
        .iter()
        .map(|node| (text(&node["id"]), list(&node["dependencies"]).iter().map(text).collect()))
        .collect();
    let mut packages: Vec<Package> = list(&metadata["packages"])
        .iter()
        .map(|package| Package {
            name: text(&package["name"]),
            version: text(&package["version"]),
            licence: text(&package["license"]),
            source: text(&package["source"]),
            id: text(&package["id"]),
        })
        // With a platform, crates of others are listed and not used.
        .filter(|package| uses.iter().any(|(id, _)| *id == package.id))
        .collect();
    packages.sort();
    if packages.is_empty() {
        bail!("`cargo metadata` lists no crates");
    }
    Ok(Graph { packages, uses })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_crates_that_are_used_count() {
        let package =
            |name: &str| serde_json::json!({"name": name, "version": "1.0.0", "id": name});
        let metadata = serde_json::json!({
            "packages": [package("b"), package("a"), package("elsewhere")],
            "resolve": {"nodes": [{"id": "a", "dependencies": ["b"]}, {"id": "b", "dependencies": []}]},
        });
        let graph = parse(&metadata).unwrap();
        let names: Vec<&str> = graph.packages.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(graph.uses[0], ("a".to_owned(), vec!["b".to_owned()]));
        assert!(parse(&serde_json::json!({})).is_err());
    }
}
