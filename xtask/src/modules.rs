//! Modules of a crate must not depend on each other in circles.
//!
//! A module depends on what its paths name: `crate::`, `self::`, `super::` and modules of its own, followed through re-exports to where a
//! thing is defined. Between a module and those inside it there is no direction: they are one module to the outside. What is
//! compiled only for tests does not count. Methods are not paths: `impl` blocks of one type in several modules may call each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::sources::Source;
use crate::tokens::tokens;

mod items;

use items::{declared_module, imports, is, item, path_at};

/// Names of modules from the root of the crate; empty for the root itself.
type ModulePath = Vec<String>;

/// A crate's modules by their paths.
#[derive(Debug, Default)]
pub(crate) struct Modules(BTreeMap<ModulePath, Module>);

#[derive(Debug, Default)]
struct Module {
    /// Paths that it mentions, imports among them.
    mentions: BTreeSet<Vec<String>>,
    /// What imports call things.
    imports: BTreeMap<String, Vec<String>>,
    /// Modules inside it that are there only for tests.
    tests: BTreeSet<String>,
}

impl Modules {
    /// The modules of a library, or of a program without one, from the files below its `src`.
    pub(crate) fn of(src: &Path, files: &[Source]) -> Self {
        let own: Vec<(&Path, &Source)> = files
            .iter()
            .filter_map(|file| Some((file.path.strip_prefix(src).ok()?, file)))
            .collect();
        let library = own.iter().any(|(path, _)| *path == Path::new("lib.rs"));
        let mut modules = Self::default();
        for (path, file) in own {
            if library && path == Path::new("main.rs") {
                continue;
            }
            let tokens = tokens(&file.text);
            modules.read(&mut module_path(path), &tokens);
        }
        let tests: Vec<ModulePath> = modules
            .0
            .iter()
            .flat_map(|(path, module)| module.tests.iter().map(|name| child(path, name)))
            .collect();
        modules.0.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        modules
    }

    /// Takes in the tokens of one file, and of modules written inside it.
    fn read(&mut self, path: &mut ModulePath, tokens: &[String]) {
        self.0.entry(path.clone()).or_default();
        // Modules that are open, by the depth of braces outside them.
        let (mut open, mut depth, mut at) = (Vec::new(), 0, 0);
        while at < tokens.len() {
            let rest = &tokens[at..];
            let module = self.0.entry(path.clone()).or_default();
            at += match &*rest[0] {
                "#" if is(rest, &["#", "[", "cfg", "(", "test", ")", "]"]) => {
                    let length = 7 + item(&rest[7..]);
                    if let Some(name) = declared_module(&rest[7..length]) {
                        module.tests.insert(name);
                    }
                    length
                }
                "use" => {
                    let length = rest.iter().position(|t| t == ";").unwrap_or(rest.len());
                    for (path, name) in imports(&rest[1..length]) {
                        module.imports.insert(name, path.clone());
                        module.mentions.insert(path);
                    }
                    length
                }
                "mod" if rest.get(2).is_some_and(|t| t == "{") => {
                    path.push(rest[1].clone());
                    open.push(depth);
                    self.0.entry(path.clone()).or_default();
                    depth += 1;
                    3
                }
                "{" => {
                    depth += 1;
                    1
                }
                "}" => {
                    depth -= 1;
                    if open.last() == Some(&depth) {
                        open.pop();
                        path.pop();
                    }
                    1
                }
                _ => {
                    let named = path_at(rest);
                    if named.len() > 1 {
                        module.mentions.insert(named.clone());
                    }
                    (2 * named.len()).saturating_sub(1).max(1)
                }
            };
        }
    }

    /// The module that defines what a path names; `None` outside the crate.
    fn resolve(&self, at: &[String], path: &[String], most: usize) -> Option<ModulePath> {
        let most = most.checked_sub(1)?;
        let (first, mut rest) = path.split_first()?;
        let mut here = match first.as_str() {
            "crate" => Vec::new(),
            "self" => at.to_vec(),
            "super" => at[..at.len().checked_sub(1)?].to_vec(),
            name if self.0.contains_key(&child(at, name)) => child(at, name),
            name => {
                let import = self.0.get(at)?.imports.get(name)?;
                // `use name::...` of another crate imports nothing of ours.
                if import.first().is_some_and(|first| first == name) {
                    return None;
                }
                return self.resolve(at, &joined(import, rest), most);
            }
        };
        while let Some((name, tail)) = rest.split_first() {
            if name == "super" {
                here.pop();
            } else if self.0.contains_key(&child(&here, name)) {
                here.push(name.clone());
            } else if let Some(import) = self.0.get(&here).and_then(|m| m.imports.get(name)) {
                let further = self.resolve(&here, &joined(import, tail), most);
                return Some(further.unwrap_or(here));
            } else {
                break;
            }
            rest = tail;
        }
        Some(here)
    }

    /// Which module beside it each one depends on, by the module that both are in.
    fn edges(&self) -> BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> {
        /// Re-exports of re-exports; more than there ever are.
        const MOST: usize = 32;
        let mut edges: BTreeMap<ModulePath, BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for (from, module) in &self.0 {
            for mention in &module.mentions {
                let Some(to) = self.resolve(from, mention, MOST) else { continue };
                let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
                if let (Some(a), Some(b)) = (from.get(common), to.get(common)) {
                    let siblings = edges.entry(from[..common].to_vec()).or_default();
                    siblings.entry(a.clone()).or_default().insert(b.clone());
                }
            }
        }
        edges
    }

    /// Groups of modules each of which depends on all others of its group.
    pub(crate) fn cycles(&self) -> Vec<Cycle> {
        let mut cycles = Vec::new();
        for (inside, edges) in self.edges() {
            let reached: BTreeMap<&String, BTreeSet<&String>> =
                edges.keys().map(|from| (from, reachable(from, &edges))).collect();
            let mut seen = BTreeSet::new();
            for (from, all) in &reached {
                if !all.contains(*from) || seen.contains(*from) {
                    continue;
                }
                let back = |to: &&String| reached.get(*to).is_some_and(|all| all.contains(*from));
                let members: BTreeSet<&String> = all.iter().copied().filter(back).collect();
                seen.extend(members.iter().copied());
                let edges = members.iter().flat_map(|from| {
                    let to = edges[*from].iter().filter(|to| members.contains(to));
                    to.map(move |to| format!("{from} -> {to}"))
                });
                let edges = edges.collect();
                let members = members.into_iter().cloned().collect();
                cycles.push(Cycle { inside: inside.join("::"), members, edges });
            }
        }
        cycles
    }
}

/// Modules that depend on each other in a circle.
#[derive(Debug, PartialEq)]
pub(crate) struct Cycle {
    /// The module that they are in; empty for the root.
    pub(crate) inside: String,
    pub(crate) members: Vec<String>,
    /// `a -> b` for every dependency among them.
    pub(crate) edges: Vec<String>,
}

/// Everything that can be reached by one dependency or more.
fn reachable<'a>(
    from: &'a String,
    edges: &'a BTreeMap<String, BTreeSet<String>>,
) -> BTreeSet<&'a String> {
    let (mut found, mut waiting) = (BTreeSet::new(), vec![from]);
    while let Some(at) = waiting.pop() {
        let next = edges.get(at).into_iter().flatten();
        waiting.extend(next.filter(|to| found.insert(*to)));
    }
    found
}

/// `lib.rs`, `a.rs`, `a/mod.rs` and `a/b.rs` as paths of modules.
fn module_path(file: &Path) -> ModulePath {
    let name = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
    let mut path: ModulePath = file.with_extension("").iter().map(name).collect();
    let root = path.len() == 1 && matches!(&*path[0], "lib" | "main");
    if root || path.last().is_some_and(|last| last == "mod") {
        path.pop();
    }
    path
}

fn child(path: &[String], name: &str) -> ModulePath {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

fn joined(path: &[String], rest: &[String]) -> Vec<String> {
    path.iter().chain(rest).cloned().collect()
}

#[cfg(test)]
mod tests;
