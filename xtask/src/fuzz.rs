//! Runs the fuzz targets: `docs/fuzzing.md`.

mod build;
mod ran;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

use crate::options::Options;
use crate::sources::root;
pub(crate) use build::build;
use ran::{Ran, table};

/// What one input may cost.
const LIMITS: [&str; 3] = ["-rss_limit_mb=2048", "-malloc_limit_mb=2048", "-timeout=10"];
/// Longer inputs are slow and find little that shorter ones do not.
const LONGEST: &str = "-max_len=65536";

/// Where the fuzzer is, what it begins with, and where it leaves what it makes.
struct Place {
    program: PathBuf,
    kept: PathBuf,
    work: PathBuf,
}

/// Fuzzes the targets named, or all, each for some seconds.
pub(crate) fn fuzz(arguments: &[String]) -> Result<()> {
    let options = Options::parse(arguments, &["seconds", "jobs", "seed", "programs", "work"])?;
    let (seconds, seed): (u64, u32) = (options.number("seconds", 60)?, options.number("seed", 1)?);
    let jobs: usize = options.number("jobs", 2)?;
    let place = match options.path("programs") {
        Some(folder) => Place {
            program: folder.join("corefed-fuzzer"),
            kept: folder.join("corpus"),
            work: options.path("work").unwrap_or_else(|| PathBuf::from("fuzzed")),
        },
        None => Place {
            program: build()?,
            kept: root().join("fuzz/corpus"),
            work: options.path("work").unwrap_or_else(|| root().join("target/fuzz/work")),
        },
    };
    let targets = targets(&place.kept, &options.words)?;
    let queue = Mutex::new(targets.iter());
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let Some(target) = queue.lock().ok().and_then(|mut queue| queue.next()) else {
                        return;
                    };
                    let ran = run(&place, target, seconds, seed);
                    if let Ok(mut done) = done.lock() {
                        done.push((target.clone(), ran));
                    }
                }
            });
        }
    });
    fs::remove_dir_all(scratch(&place)).ok();
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by(|(one, _), (other, _)| one.cmp(other));
    let done: Vec<(String, Ran)> =
        done.into_iter().map(|(target, ran)| Ok((target, ran?))).collect::<Result<_>>()?;
    show(&table(&done));
    let found: Vec<String> = done
        .iter()
        .filter_map(|(target, ran)| Some(format!("{target}: {}", ran.found.as_ref()?)))
        .collect();
    if !found.is_empty() {
        bail!("inputs that went wrong:\n{}", found.join("\n"));
    }
    Ok(())
}

/// The targets that have a corpus, or those of them that are asked for.
fn targets(kept: &Path, asked: &[String]) -> Result<Vec<String>> {
    let mut known = Vec::new();
    let entries =
        fs::read_dir(kept).with_context(|| format!("no corpus at `{}`", kept.display()))?;
    for entry in entries {
        known.push(entry?.file_name().to_string_lossy().into_owned());
    }
    known.sort();
    if let Some(stranger) = asked.iter().find(|name| !known.contains(name)) {
        bail!("no target is called `{stranger}`; there are {}", known.join(", "));
    }
    Ok(if asked.is_empty() { known } else { asked.to_vec() })
}

/// One target, for this many seconds.
fn run(place: &Place, target: &str, seconds: u64, seed: u32) -> Result<Ran> {
    let (corpus, findings) = (place.work.join("corpus").join(target), place.work.join("findings"));
    let scratch = scratch(place).join(target);
    for folder in [&corpus, &findings, &scratch] {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create `{}`", folder.display()))?;
    }
    // It leaves its working folder for another, so paths must not depend on it.
    let [corpus, findings, scratch] =
        [&corpus, &findings, &scratch].map(|folder| folder.canonicalize().unwrap_or_default());
    let output = Command::new(&place.program)
        .args(LIMITS)
        .args([LONGEST, "-print_final_stats=1", "-reload=0"])
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-seed={seed}"))
        .arg(format!("-artifact_prefix={}/{target}-", findings.display()))
        .arg(&corpus)
        .arg(place.kept.join(target))
        .env("COREFED_FUZZ", target)
        .env("TMPDIR", &scratch)
        // One input, one thread: what is found is found again.
        .env("RAYON_NUM_THREADS", "1")
        .output()
        .with_context(|| format!("cannot start `{}`", place.program.display()))?;
    fs::remove_dir_all(&scratch).ok();
    let said = String::from_utf8_lossy(&output.stderr);
    let log = findings.join(format!("{target}.log"));
    if !output.status.success() {
        fs::write(&log, said.as_bytes())
            .with_context(|| format!("cannot write `{}`", log.display()))?;
    }
    Ok(Ran::read(&said, output.status.success(), &log))
}

/// Where targets write what readers want to have on a disk: in memory where that is possible, because most disks
/// take longer to replace a file than a target takes to read it.
fn scratch(place: &Place) -> PathBuf {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        memory.join(format!("corefed-fuzz-{}", std::process::id()))
    } else {
        place.work.join("scratch")
    }
}

#[expect(clippy::print_stdout, reason = "a developer wants to see the counts")]
fn show(text: &str) {
    println!("{text}");
}
