//! The bill of materials of a release: every crate that is compiled in, as `CycloneDX` JSON.

use anyhow::Result;
use serde_json::{Value, json};

use crate::metadata::{Graph, Package, graph};

/// The bill of a program with these features, for this platform.
pub(crate) fn bill(program: &str, version: &str, platform: &str) -> Result<String> {
    let graph = graph(&["--filter-platform", platform, "--all-features"])?;
    Ok(serde_json::to_string_pretty(&document(&graph, program, version))? + "\n")
}

fn document(graph: &Graph, program: &str, version: &str) -> Value {
    let reached = reached(graph, program);
    let components: Vec<Value> = reached.iter().map(|package| component(package)).collect();
    let dependencies: Vec<Value> = reached
        .iter()
        .map(|package| {
            let uses = graph.uses.iter().find(|(id, _)| *id == package.id);
            let on: Vec<String> = reached
                .iter()
                .filter(|other| uses.is_some_and(|(_, used)| used.contains(&other.id)))
                .map(|other| address(other))
                .collect();
            json!({ "ref": address(package), "dependsOn": on })
        })
        .collect();
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "corefed",
                "version": version,
                "licenses": [{ "expression": "MIT OR Apache-2.0" }],
            },
        },
        "components": components,
        "dependencies": dependencies,
    })
}

/// The crate of this name and everything it depends on, in order.
fn reached<'a>(graph: &'a Graph, program: &str) -> Vec<&'a Package> {
    let mut open: Vec<&str> = graph
        .packages
        .iter()
        .filter(|package| package.name == program)
        .map(|package| package.id.as_str())
        .collect();
    let mut seen: Vec<&str> = Vec::new();
    while let Some(id) = open.pop() {
        if !seen.contains(&id) {
            seen.push(id);
            let uses = graph.uses.iter().filter(|(user, _)| user == id);
            open.extend(uses.flat_map(|(_, used)| used.iter().map(String::as_str)));
        }
    }
    graph.packages.iter().filter(|package| seen.contains(&package.id.as_str())).collect()
}

fn component(package: &Package) -> Value {
    json!({
        "type": "library",
        "bom-ref": address(package),
        "name": package.name,
        "version": package.version,
        "purl": address(package),
        "licenses": [{ "expression": package.licence.replace(" / ", " OR ").replace('/', " OR ") }],
    })
}

fn address(package: &Package) -> String {
    format!("pkg:cargo/{}@{}", package.name, package.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bill_has_what_the_program_reaches_and_nothing_else() {
        let package = |name: &str| Package {
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: "MIT/Apache-2.0".to_owned(),
            source: String::new(),
            id: format!("path+file:///secret/{name}"),
        };
        let id = |name: &str| package(name).id;
        let graph = Graph {
            packages: vec![package("app"), package("other"), package("used")],
            uses: vec![(id("app"), vec![id("used")]), (id("other"), vec![]), (id("used"), vec![])],
        };
        let bill = document(&graph, "app", "1.0.0");
        let text = bill.to_string();
        assert_eq!(bill["components"].as_array().map(Vec::len), Some(2));
        assert_eq!(bill["dependencies"][0]["dependsOn"], json!(["pkg:cargo/used@1.0.0"]));
        assert_eq!(bill["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert!(!text.contains("secret") && !text.contains("other"), "{text}");
    }
}
