//! The table of crates in the page about the architecture, which the manifests must agree with.

use anyhow::{Context, Result, bail};

/// Who uses whom, from the top of the table to its end.
pub(crate) struct Graph {
    rows: Vec<(String, Vec<String>)>,
}

impl Graph {
    /// Reads rows of the form ``| `corefed-x` | what it is | core, data |``.
    pub(crate) fn read(page: &str) -> Result<Self> {
        let mut rows: Vec<(String, Vec<String>)> = Vec::new();
        for line in page.lines().filter(|line| line.starts_with("| `corefed")) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [name, _, uses] = cells[..] else {
                bail!("a row of the table of crates has {} cells, not 3: {line}", cells.len());
            };
            let name = name.trim_matches('`').to_owned();
            let uses = uses.split(',').map(str::trim).filter(|uses| !uses.is_empty());
            let uses: Vec<String> = uses.map(|short| format!("corefed-{short}")).collect();
            if rows.iter().any(|(known, _)| *known == name) {
                bail!("crate `{name}` has two rows in the table of crates");
            }
            if let Some(below) = uses.iter().find(|used| !rows.iter().any(|(n, _)| n == *used)) {
                bail!("`{name}` uses `{below}`, which is not above it in the table of crates");
            }
            rows.push((name, uses));
        }
        Ok(Self { rows })
    }

    /// A crate uses exactly what its row says.
    pub(crate) fn agrees(&self, name: &str, dependencies: &[&str]) -> Result<()> {
        let row = self.rows.iter().find(|(known, _)| known == name);
        let (_, uses) = row.with_context(|| format!("crate `{name}` is not in the table"))?;
        if let Some(extra) = dependencies.iter().find(|d| !uses.iter().any(|used| used == *d)) {
            bail!("`{name}` must not depend on `{extra}` (see docs/architecture.md)");
        }
        if let Some(idle) = uses.iter().find(|used| !dependencies.contains(&used.as_str())) {
            bail!("docs/architecture.md says that `{name}` uses `{idle}`, which it does not");
        }
        Ok(())
    }

    /// There is a crate for every row.
    pub(crate) fn has_no_other(&self, crates: &[String]) -> Result<()> {
        match self.rows.iter().find(|(name, _)| !crates.contains(name)) {
            Some((name, _)) => bail!("docs/architecture.md has a row for `{name}`, which is gone"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n| crate | what | uses |\n|---|---|---|\n| `corefed-core` | x | |\n\
                        | `corefed-data` | y | core |\n| `corefed` | z | core, data |\n";

    #[test]
    fn a_page_that_says_other_than_the_manifests_is_refused() {
        let graph = Graph::read(PAGE).unwrap();
        assert!(graph.agrees("corefed", &["corefed-data", "corefed-core"]).is_ok());
        let why = |name: &str, uses: &[&str]| graph.agrees(name, uses).unwrap_err().to_string();
        assert!(why("corefed-data", &["corefed-core", "corefed-x"]).contains("must not depend"));
        assert!(why("corefed", &["corefed-core"]).contains("which it does not"));
        assert!(why("corefed-new", &[]).contains("not in the table"));
        let two = ["corefed-core", "corefed-data"].map(str::to_owned);
        assert!(graph.has_no_other(&two).unwrap_err().to_string().contains("`corefed`"));
    }

    #[test]
    fn rows_use_what_is_above_them_and_are_unique() {
        let upwards = PAGE.replace("| x | |", "| x | data |");
        assert!(Graph::read(&upwards).err().unwrap().to_string().contains("not above it"));
        let twice = format!("{PAGE}| `corefed-core` | again | |\n");
        assert!(Graph::read(&twice).err().unwrap().to_string().contains("two rows"));
    }
}
