//! Damage a file of a folder, continue or read it, and compare.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::Place;
use super::cases::words;
use super::damage::damage;
use super::tally::Tally;
use super::tree::{self, Tree};

/// A folder that somebody has, and what is done with it.
pub(super) struct Known {
    name: String,
    /// What the folder holds before.
    before: Tree,
    /// Words of the call.
    call: &'static str,
    /// What the call leaves of an undamaged folder.
    after: Tree,
    code: Option<i32>,
    /// What the call says of an undamaged folder.
    text: String,
}

/// Files whose damage nobody needs to hear of: the page can be made again, and a lock is empty.
const UNLISTED: [&str; 2] = ["report.html", ".lock"];

const ROUNDS: &str =
    "run hospitals-rounds --set train.rounds=200 --set train.record.checkpoint_every=20 --out out";
const COMPARE: &str = "compare hospitals-rounds --rules fedavg,corefed --seeds 2 --set train.rounds=60 --out out --resume";
const RESUME: &str = "run --resume out";
const REPORT: &str = "report out";
const EXPORT: &str = "export out --table rounds --out out/rounds.csv";

/// Folders of several kinds, whole and cut off, with what can be asked of them.
pub(super) fn prepare(place: &Place) -> Result<Vec<Known>> {
    let rounds = folder(place, 0, ROUNDS, None)?;
    let stopped = folder(place, 1, ROUNDS, Some("out/checkpoints/00000080.checkpoint"))?;
    let exact = folder(place, 2, "run hospitals --out out", None)?;
    let compared = folder(place, 3, COMPARE, None)?;
    let half = folder(place, 4, COMPARE, Some("out/fedavg-seed-1/report.html"))?;
    let swept = folder(place, 5, "sweep hospitals --values 0.72,1 --out out", None)?;
    let mut known = Vec::new();
    for (name, before, call) in [
        ("run cut off, resumed", &stopped, RESUME),
        ("run, resumed", &rounds, RESUME),
        ("run, reported", &rounds, REPORT),
        ("run, exported", &rounds, EXPORT),
        ("exact run, reported", &exact, REPORT),
        ("comparison cut off, resumed", &half, COMPARE),
        ("comparison, reported", &compared, REPORT),
        ("sweep, reported", &swept, REPORT),
    ] {
        let folder = place.folder("undamaged", known.len())?;
        tree::write(before, &folder)?;
        let said = place.program.run(&folder, &words(call))?;
        if said.crashed() || said.code == Some(2) {
            bail!("`{call}` does not run: {}", said.text);
        }
        let after = tree::read(&folder)?;
        known.push(Known {
            name: name.to_owned(),
            before: before.clone(),
            call,
            after,
            code: said.code,
            text: said.text,
        });
    }
    Ok(known)
}

/// What a command leaves when it ends, or when it is killed after some file appeared.
fn folder(place: &Place, number: usize, call: &str, until: Option<&str>) -> Result<Tree> {
    let folder = place.folder("made", number)?;
    let Some(file) = until else {
        let said = place.program.run(&folder, &words(call))?;
        if said.crashed() || said.code == Some(2) {
            bail!("`{call}` does not run: {}", said.text);
        }
        return tree::read(&folder);
    };
    let mut child = place.program.start(&folder, &words(call))?;
    let path = folder.join(file);
    while !path.exists() && child.try_wait().context("cannot ask for its state")?.is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    // It may have ended by itself, which the caller's undamaged run shows.
    child.kill().ok();
    child.wait().context("it does not end")?;
    tree::read(&folder)
}

/// A file of a folder.
pub(super) struct Target<'a> {
    known: &'a Known,
    file: &'a str,
}

/// The files of all folders, those of one name together: each name gets as many trials, though a comparison has
/// many files of some.
pub(super) fn by_name(known: &[Known]) -> Vec<Vec<Target<'_>>> {
    let mut names: BTreeMap<&str, Vec<Target<'_>>> = BTreeMap::new();
    for known in known {
        for file in known.before.keys().filter(|name| !tree::is_leftover(name)) {
            names.entry(last_part(file)).or_default().push(Target { known, file });
        }
    }
    names.into_values().collect()
}

/// Damages one file, makes the call, and compares.
pub(super) fn trial(place: &Place, target: &Target<'_>, trial: usize) -> Result<Tally> {
    let Target { known: Known { name, before, call, after, code, text }, file } = *target;
    let mut random = place.random(name, trial);
    let folder = place.folder("damage", trial)?;
    let mut damaged = before.clone();
    let bytes = damage(&before[file], &mut random);
    damaged.insert(file.to_owned(), bytes.clone());
    tree::write(&damaged, &folder)?;
    let said = place.program.run(&folder, &words(call))?;
    let found = tree::read(&folder)?;
    let mut differ = tree::differences(&found, after);
    let left = found.get(file) == Some(&bytes);
    // What nobody wrote is as damaged as it was.
    differ.retain(|name| name != file || !left);
    // An undamaged folder has its files named, too: as what to check, or where the page is.
    let part = last_part(file);
    let named = said.text.matches(part).count() > text.matches(part).count();
    let same = differ.is_empty() && said.code == *code;
    let mut tally = Tally::default();
    let what =
        || format!("{}: {file}: exit {:?}: {}", folder.display(), said.code, differ.join(", "));
    if said.crashed() {
        tally.fail(name, "crashes", &format!("{}\n{}", what(), said.text));
    } else if said.code == Some(2) && said.text.contains(part) {
        tally.event(name, "refused by name");
    } else if said.code == Some(2) {
        tally.fail(name, "refused without a name", &format!("{}\n{}", what(), said.text));
    } else if named {
        tally.event(name, "said by name");
    } else if same && !left {
        tally.event(name, "made again");
    } else if same && UNLISTED.contains(&part) {
        tally.event(name, "not listed");
    } else {
        tally.fail(name, "silent", &what());
    }
    tally.about(part);
    if !tally.has_failed() {
        fs::remove_dir_all(&folder).context("cannot remove a trial")?;
    }
    Ok(tally)
}

/// The part of a path by which a message names it.
fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
