//! Are all dependencies what `deny.toml` allows? Licences, sources, and no version twice without a reason.
//!
//! `cargo deny` checks the same file and knows advisories, too; this check needs no program that has to be
//! built first.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use crate::metadata::{Package, graph};
use crate::sources::root;

/// What is allowed.
struct Policy {
    licences: Vec<String>,
    /// `name@version`, where the version may be a part of one.
    twice: Vec<String>,
    registries: Vec<String>,
}

/// Every crate of the graph is allowed, and every exception is needed.
pub(crate) fn check() -> Result<()> {
    let text = fs::read_to_string(root().join("deny.toml")).context("cannot read `deny.toml`")?;
    let problems = problems(&policy(&text)?, &graph(&["--all-features"])?.packages);
    if !problems.is_empty() {
        bail!("dependencies and deny.toml disagree:\n  {}", problems.join("\n  "));
    }
    Ok(())
}

fn policy(text: &str) -> Result<Policy> {
    let file: toml::Table = text.parse().context("`deny.toml` is not TOML")?;
    let words = |section: &str, key: &str, inner: Option<&str>| -> Result<Vec<String>> {
        let list = file.get(section).and_then(|s| s.get(key)).and_then(toml::Value::as_array);
        let list = list.with_context(|| format!("deny.toml has no list `{section}.{key}`"))?;
        let word = |value: &toml::Value| {
            let value = inner.map_or(Some(value), |inner| value.get(inner));
            value.and_then(toml::Value::as_str).map(str::to_owned)
        };
        Ok(list.iter().filter_map(word).collect())
    };
    Ok(Policy {
        licences: words("licenses", "allow", None)?,
        twice: words("bans", "skip", Some("crate"))?,
        registries: words("sources", "allow-registry", None)?,
    })
}

fn problems(policy: &Policy, packages: &[Package]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in packages {
        let Package { name, version, licence, source, .. } = package;
        let allowed = |licence: &str| policy.licences.iter().any(|known| known == licence);
        if !expression(licence, &allowed) {
            problems.push(format!("{name} {version} has the licence `{licence}`"));
        }
        let known = |registry: &String| source.ends_with(&format!("+{registry}"));
        if !source.is_empty() && !policy.registries.iter().any(known) {
            problems.push(format!("{name} {version} comes from `{source}`"));
        }
        versions.entry(name).or_default().push(package);
    }
    let excused = |package: &Package| {
        let excuse = |skip: &&String| {
            let rest = skip.strip_prefix(&format!("{}@", package.name));
            rest.is_some_and(|part| {
                format!("{}.", package.version).starts_with(&format!("{part}."))
            })
        };
        policy.twice.iter().find(excuse)
    };
    let mut needed = Vec::new();
    for several in versions.values().filter(|several| several.len() > 1) {
        needed.extend(several.iter().filter_map(|package| excused(package)));
        let free: Vec<_> = several.iter().filter(|package| excused(package).is_none()).collect();
        if free.len() > 1 {
            let listed: Vec<&str> = free.iter().map(|package| package.version.as_str()).collect();
            problems.push(format!("{} is there as {}", free[0].name, listed.join(" and ")));
        }
    }
    let idle = policy.twice.iter().filter(|skip| !needed.contains(skip));
    problems.extend(idle.map(|skip| format!("`{skip}` of `bans.skip` is not needed any more")));
    problems
}

/// Whether an SPDX expression can be met: `OR` gives a choice, `AND` asks for both, `/` is an old `OR`.
fn expression(text: &str, allowed: &dyn Fn(&str) -> bool) -> bool {
    let text = text.trim();
    for (operator, all) in [(" OR ", false), ("/", false), (" AND ", true)] {
        let parts = split(text, operator);
        if parts.len() > 1 {
            let mut met = parts.iter().map(|part| expression(part, allowed));
            return if all { met.all(|met| met) } else { met.any(|met| met) };
        }
    }
    match text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inside) => expression(inside, allowed),
        None => allowed(text),
    }
}

/// The parts between operators that are not inside brackets.
fn split<'a>(text: &'a str, operator: &str) -> Vec<&'a str> {
    let (mut depth, mut start, mut parts) = (0_usize, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at >= start && text[at..].starts_with(operator) {
            parts.push(&text[start..at]);
            start = at + operator.len();
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLICY: &str = "[licenses]\nallow = ['MIT', 'Unicode-3.0']\n[bans]\n\
        skip = [{ crate = 'twice@1', reason = 'r' }]\n[sources]\nallow-registry = ['https://index']\n";

    fn package(name: &str, version: &str, licence: &str) -> Package {
        let [name, version, licence] = [name, version, licence].map(str::to_owned);
        let id = format!("{name} {version}");
        Package { name, version, licence, source: "registry+https://index".to_owned(), id }
    }

    #[test]
    fn a_choice_needs_one_licence_and_a_conjunction_all() {
        let met = |text: &str| expression(text, &|licence| licence == "MIT" || licence == "ISC");
        for good in
            ["MIT", "MIT OR GPL-3.0", "GPL-3.0/MIT", "(MIT OR X) AND ISC", "MIT AND (X OR ISC)"]
        {
            assert!(met(good), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR X) AND Y", "MIT WITH exception"] {
            assert!(!met(bad), "{bad}");
        }
    }

    #[test]
    fn every_disagreement_is_named() {
        let policy = policy(POLICY).unwrap();
        let fine = [package("a", "1.0.0", "MIT"), package("twice", "1.2.3", "MIT")];
        let found = problems(&policy, &fine);
        assert_eq!(found, ["`twice@1` of `bans.skip` is not needed any more"]);
        let mut all = fine.to_vec();
        all.push(package("twice", "2.0.0", "MIT"));
        assert!(problems(&policy, &all).is_empty());
        all.push(package("twice", "10.0.0", "GPL-3.0"));
        all.push(Package {
            source: "git+https://elsewhere".to_owned(),
            ..package("g", "1.0.0", "MIT")
        });
        let found = problems(&policy, &all).join("\n");
        for problem in ["`GPL-3.0`", "2.0.0 and 10.0.0", "g 1.0.0 comes from `git"] {
            assert!(found.contains(problem), "{problem} not in {found}");
        }
    }
}
