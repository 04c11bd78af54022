//! Kill, continue, compare.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::Place;
use super::cases::{CASES, Case, words};
use super::tally::Tally;
use super::tree::{self, DIGESTS, Tree};

/// A trial is killed at most so often before it may end.
const MOST_KILLS: usize = 3;

/// A command that was left alone once.
pub(super) struct Known {
    case: &'static Case,
    /// What lies there before it is called.
    before: Tree,
    expected: Tree,
    code: Option<i32>,
    took: Duration,
}

/// Runs every case to its end.
pub(super) fn prepare(place: &Place) -> Result<Vec<Known>> {
    let mut known = Vec::new();
    for (number, case) in CASES.iter().enumerate() {
        let folder = place.folder("undisturbed", number)?;
        for call in case.before {
            let said = place.program.run(&folder, &words(call))?;
            if said.crashed() || said.code == Some(2) {
                bail!("`{call}` does not run: {}", said.text);
            }
        }
        let before = tree::read(&folder)?;
        let begin = Instant::now();
        let said = place.program.run(&folder, &words(case.begin))?;
        let took = begin.elapsed();
        let expected = tree::read(&folder.join(case.out))?;
        if said.crashed() || said.code == Some(2) || expected.is_empty() {
            bail!("`{}` does not run: {}", case.begin, said.text);
        }
        known.push(Known { case, before, expected, code: said.code, took });
    }
    Ok(known)
}

/// Kills a command at random moments, lets it continue, and compares.
pub(super) fn trial(place: &Place, known: &Known, trial: usize) -> Result<Tally> {
    let Known { case, before, expected, took, .. } = known;
    let mut random = place.random(case.name, trial);
    let folder = place.folder("kill", trial)?;
    tree::write(before, &folder)?;
    let out = folder.join(case.out);
    let mut tally = Tally::default();
    for _ in 0..=random.below(MOST_KILLS) {
        let words = words(if out.exists() { case.again } else { case.begin });
        let mut child = place.program.start(&folder, &words)?;
        let micros = usize::try_from(took.as_micros()).unwrap_or(usize::MAX).max(1);
        std::thread::sleep(Duration::from_micros(random.below(micros) as u64));
        if child.try_wait().context("cannot ask for its state")?.is_some() {
            tally.count(case.name, "done before");
            break;
        }
        child.kill().context("cannot kill it")?;
        child.wait().context("it does not end")?;
        tally.event(case.name, "kills");
        let found = tree::read(&out)?;
        for name in torn(&found, expected).into_iter().chain(tree::misfits(&found)) {
            tally.fail(case.name, "torn files", &format!("{}: {name}", folder.display()));
        }
    }
    finish(place, known, &folder, &mut tally)?;
    if !tally.has_failed() {
        fs::remove_dir_all(&folder).context("cannot remove a trial")?;
    }
    Ok(tally)
}

/// Lets the command end, unless it has, and compares with one that was never killed.
fn finish(place: &Place, known: &Known, folder: &Path, tally: &mut Tally) -> Result<()> {
    let Known { case, expected, code, .. } = known;
    let out = folder.join(case.out);
    if !tree::differences(&tree::read(&out)?, expected).is_empty() {
        let words = words(if out.exists() { case.again } else { case.begin });
        let said = place.program.run(folder, &words)?;
        if said.crashed() || said.code != *code {
            let what = format!("{}: exit {:?}: {}", folder.display(), said.code, said.text.trim());
            tally.fail(case.name, "wrong exits", &what);
        }
    }
    let found = tree::read(&out)?;
    let differ = tree::differences(&found, expected);
    if differ.is_empty() {
        tally.count(case.name, "same bytes");
    } else {
        let what = format!("{}: {}", folder.display(), differ.join(", "));
        tally.fail(case.name, "different", &what);
    }
    let beside = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name());
    let names = beside.map(|name| name.to_string_lossy().into_owned()).chain(found.into_keys());
    if names.into_iter().any(|name| tree::is_leftover(&name)) {
        tally.count(case.name, "leftovers");
    }
    Ok(())
}

/// Files that are there under their names and not whole. Records and lists of digests grow, models and checkpoints are
/// replaced as a run continues; everything else is written once.
fn torn(found: &Tree, expected: &Tree) -> Vec<String> {
    let grows = |name: &str| {
        [".jsonl", ".safetensors", ".checkpoint", DIGESTS].iter().any(|end| name.ends_with(end))
            || name.contains("tfevents")
    };
    let bad = |(name, bytes): &(&String, &Vec<u8>)| {
        !grows(name) && expected.get(*name).is_some_and(|whole| whole != *bytes)
    };
    let found = found.iter().filter(|(name, _)| !tree::is_leftover(name));
    found.filter(bad).map(|(name, _)| name.clone()).collect()
}
