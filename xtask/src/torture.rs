//! Kills commands and damages what they wrote, thousands of times, and compares bytes: `docs/fuzzing.md`.

mod cases;
mod command;
mod corrupt;
mod damage;
mod folders;
mod kill;
mod random;
mod tally;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

use self::command::Program;
use self::random::Random;
use self::tally::Tally;
use crate::options::Options;
use crate::sources::root;

/// Kills and corruptions as many as asked for.
pub(crate) fn torture(arguments: &[String]) -> Result<()> {
    let known = ["kills", "corruptions", "of-each-file", "seed", "jobs", "programs", "work"];
    let options = Options::parse(arguments, &known)?;
    if let Some(word) = options.words.first() {
        bail!("`{word}` is not an option");
    }
    let (kills, corruptions) = (options.number("kills", 200)?, options.number("corruptions", 200)?);
    let (seed, jobs): (u64, usize) = (options.number("seed", 1)?, options.number("jobs", 2)?);
    let program = match options.path("programs") {
        Some(folder) => folder.join("corefed"),
        None => root().join("target/debug/corefed"),
    };
    let program = program
        .canonicalize()
        .with_context(|| format!("no program at `{}`; build it first", program.display()))?;
    let work = options.path("work").unwrap_or_else(|| root().join("target/torture"));
    let place = Place { program: Program { path: program }, work: fresh(&work)?, seed };
    let killed = side_by_side(jobs, &kill::prepare(&place)?, kills, |case, trial| {
        kill::trial(&place, case, trial)
    })?;
    let folders = corrupt::prepare(&place)?;
    let files = corrupt::by_name(&folders);
    let corruptions = corruptions.max(files.len() * options.number("of-each-file", 0)?);
    let corrupted = side_by_side(jobs, &files, corruptions, |targets, trial| {
        corrupt::trial(&place, &targets[(trial / files.len()) % targets.len()], trial)
    })?;
    let tables = [killed.table("killed"), corrupted.table("damaged"), corrupted.table_of_files()];
    show(&tables.join("\n\n"));
    let failures: Vec<String> = [killed.failures(), corrupted.failures()].concat();
    if failures.is_empty() {
        fs::remove_dir_all(&place.work).context("cannot remove the working folder")?;
        return Ok(());
    }
    bail!("{} differences; folders are kept:\n{}", failures.len(), failures.join("\n"))
}

/// Where trials happen, and with what.
pub(crate) struct Place {
    program: Program,
    work: PathBuf,
    seed: u64,
}

impl Place {
    /// The generator of one trial: it does not depend on which thread tries it.
    fn random(&self, what: &str, trial: usize) -> Random {
        let name = what.bytes().fold(self.seed, |sum, byte| sum.wrapping_mul(31) + u64::from(byte));
        Random::new(name.wrapping_mul(0x9e37_79b9).wrapping_add(trial as u64))
    }

    /// A new folder for one trial, with one for letters.
    fn folder(&self, what: &str, trial: usize) -> Result<PathBuf> {
        let folder = self.work.join(format!("{what}-{trial}"));
        fs::create_dir_all(folder.join("post"))
            .with_context(|| format!("cannot create `{}`", folder.display()))?;
        Ok(folder)
    }
}

fn fresh(work: &Path) -> Result<PathBuf> {
    if work.exists() {
        bail!("`{}` exists, perhaps with findings of an earlier run; remove it", work.display());
    }
    fs::create_dir_all(work).with_context(|| format!("cannot create `{}`", work.display()))?;
    Ok(work.canonicalize()?)
}

/// Tries the cases in turn until `wanted` events are counted.
fn side_by_side<C: Sync>(
    jobs: usize,
    cases: &[C],
    wanted: usize,
    trial: impl Fn(&C, usize) -> Result<Tally> + Sync,
) -> Result<Tally> {
    let (next, events) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let sum = Mutex::new(Ok(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                while events.load(Ordering::Relaxed) < wanted {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let found = trial(&cases[number % cases.len()], number);
                    let Ok(mut sum) = sum.lock() else { return };
                    match (found, &mut *sum) {
                        (Ok(found), Ok(sum)) => {
                            events.fetch_add(found.events(), Ordering::Relaxed);
                            sum.add(found);
                        }
                        (Err(error), sum) => {
                            *sum = Err(error);
                            return;
                        }
                        (Ok(_), Err(_)) => return,
                    }
                }
            });
        }
    });
    sum.into_inner().unwrap_or_else(|_| bail!("a trial panicked"))
}

#[expect(clippy::print_stdout, reason = "a developer wants to see the counts")]
fn show(text: &str) {
    println!("{text}");
}
