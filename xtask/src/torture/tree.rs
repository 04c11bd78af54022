//! The files of a folder, or a file, by their bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::sha256::sha256;

/// What a folder calls the digests of its documents.
pub(super) const DIGESTS: &str = "digests.sha256";

/// Bytes by path, with `/` between folders; empty where nothing is.
pub(super) type Tree = BTreeMap<String, Vec<u8>>;

/// Reads what is at a path; a file alone has the empty name.
pub(super) fn read(path: &Path) -> Result<Tree> {
    let mut tree = Tree::new();
    if path.exists() {
        collect(path, "", &mut tree)?;
    }
    Ok(tree)
}

fn collect(path: &Path, name: &str, tree: &mut Tree) -> Result<()> {
    if !path.is_dir() {
        let bytes = fs::read(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        tree.insert(name.to_owned(), bytes);
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let part = entry.file_name().to_string_lossy().into_owned();
        let below = if name.is_empty() { part } else { format!("{name}/{part}") };
        collect(&entry.path(), &below, tree)?;
    }
    Ok(())
}

/// Writes a tree below a folder.
pub(super) fn write(tree: &Tree, to: &Path) -> Result<()> {
    for (name, bytes) in tree {
        let path = to.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, bytes).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    Ok(())
}

/// Whether a name is that of something unfinished, which readers ignore.
pub(super) fn is_leftover(name: &str) -> bool {
    name.contains(".part")
}

/// Files that a list of digests beside them knows as something else.
pub(super) fn misfits(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (list, lines) in tree.iter().filter(|(name, _)| name.ends_with(DIGESTS)) {
        let folder = list.strip_suffix(DIGESTS).unwrap_or_default();
        for line in String::from_utf8_lossy(lines).lines().filter(|line| !line.starts_with('#')) {
            let (digest, name) = line.split_once("  ").unwrap_or_default();
            let name = format!("{folder}{name}");
            if tree.get(&name).is_none_or(|bytes| sha256(bytes) != digest) {
                found.push(format!("{name}, by {list}"));
            }
        }
    }
    found
}

/// Names of files that differ, or that only one of two trees has; leftovers do not count.
pub(super) fn differences(one: &Tree, other: &Tree) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let differs = |name: &&&String| one.get(**name) != other.get(**name) && !is_leftover(name);
    names.iter().filter(differs).map(|name| (*name).clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_comes_back_and_differences_are_named() {
        let folder = std::env::temp_dir().join(format!("corefed-tree-{}", std::process::id()));
        let tree: Tree = [("a".into(), vec![1]), ("b/c".into(), vec![2, 3])].into_iter().collect();
        write(&tree, &folder).unwrap();
        let mut found = read(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, tree);
        found.insert("b/c".into(), vec![2]);
        found.insert("x.partial".into(), vec![]);
        found.insert("y".into(), vec![]);
        assert_eq!(differences(&tree, &found), ["b/c", "y"]);
        assert_eq!(misfits(&found), [""; 0]);
        let list = format!("{}  c\n{}  d\n", sha256(&[2, 3]), sha256(&[]));
        found.insert("b/digests.sha256".into(), list.into_bytes());
        assert_eq!(misfits(&found), ["b/c, by b/digests.sha256", "b/d, by b/digests.sha256"]);
        assert!(read(&folder).unwrap().is_empty());
    }
}
