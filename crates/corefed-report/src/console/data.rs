//! Data sets that there are, and rows divided among agents.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use corefed_core::{Family, shell_word};
use corefed_documents::KnownSet;

use crate::columns;
use crate::plain::{shown_path, word};

/// Most agents and classes of a table that is printed.
const MOST_SHOWN: usize = 12;

/// The known sets, and what is wrong with those that are not whole.
#[must_use]
pub fn known_sets(folder: &Path, sets: &[KnownSet]) -> String {
    let mut rows = vec![["name", "state", "MB", "licence"].map(str::to_owned).to_vec()];
    rows.extend(sets.iter().map(|set| {
        let size =
            if set.bytes == 0 { String::new() } else { format!("{:.1}", set.bytes as f64 / 1e6) };
        vec![set.name.clone(), set.state.clone(), size, set.licence.clone()]
    }));
    let mut text = format!("data folder: {}\n\n{}", shown_path(folder), columns(&rows));
    for set in sets.iter().filter(|set| !set.detail.is_empty()) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "\n{}: {}", set.name, set.detail);
    }
    text
}

/// Rows that were divided among agents.
pub struct Divided<'a> {
    /// Names of the agents with how many rows each has.
    pub agents: &'a [(&'a str, usize)],
    /// The seed of the draw.
    pub seed: u64,
    /// Where the division is written.
    pub file: &'a Path,
    /// Its digest.
    pub digest: &'a str,
    /// Names of the classes, and how often each agent has each; where targets are classes.
    pub classes: Option<(&'a [String], Vec<Vec<usize>>)>,
}

/// Who has how many rows, and of which class where a screen can show that.
#[must_use]
pub fn divided(done: &Divided<'_>) -> String {
    let sizes = done.agents.iter().map(|(_, rows)| *rows);
    let mut text = format!(
        "{} rows among {} agents ({} to {} each), seed {}\nwritten to {}, digest {}\n",
        sizes.clone().sum::<usize>(),
        done.agents.len(),
        sizes.clone().min().unwrap_or_default(),
        sizes.max().unwrap_or_default(),
        done.seed,
        shown_path(done.file),
        &done.digest[..12]
    );
    let few = |(classes, _): &&(&[String], _)| {
        done.agents.len() <= MOST_SHOWN && classes.len() <= MOST_SHOWN
    };
    if let Some((classes, counts)) = done.classes.as_ref().filter(few) {
        let mut rows = vec![[&["agent".to_owned()][..], classes].concat()];
        for ((agent, _), counts) in done.agents.iter().zip(counts) {
            let mut row = vec![(*agent).to_owned()];
            row.extend(counts.iter().map(ToString::to_string));
            rows.push(row);
        }
        let _ = write!(text, "\n{}", columns(&rows));
    }
    text
}

/// Rows that were written with their owners.
pub struct Exported<'a> {
    /// How many agents own them.
    pub agents: usize,
    /// How many rows each file holds: those to train on, perhaps those held out.
    pub files: &'a [(usize, PathBuf)],
    /// Cells that a spreadsheet would run.
    pub formulas: usize,
    /// The target, and how many classes it has.
    pub next: Option<(&'a str, usize)>,
}

impl std::fmt::Display for Exported<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (k, (rows, path)) in self.files.iter().enumerate() {
            let path = shown_path(path);
            match k {
                0 => writeln!(f, "{rows} rows of {} agents written to {path}", self.agents)?,
                _ => writeln!(f, "{rows} rows held out for testing written to {path}")?,
            }
        }
        if self.formulas > 0 {
            writeln!(
                f,
                "note: a spreadsheet would take {} cells for formulas and run them; `--spreadsheet` writes them as text",
                self.formulas
            )?;
        }
        let (Some((target, classes)), Some((_, file))) = (self.next, self.files.first()) else {
            return Ok(());
        };
        let suits = |family: &Family| family.targets().fits(classes);
        let model = Family::ALL.into_iter().find(suits).unwrap_or(Family::Softmax);
        let (file, target) = (word(file), shell_word(target));
        writeln!(f, "next: corefed solve {file} --agent agent --target {target} --model {model}")
    }
}
