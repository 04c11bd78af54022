//! Damage a file of a folder, continue or read it, and compare.

use std::collections::BTreeMap;
use std::fs;

use anyhow::{Context, Result, bail};

use super::Place;
use super::cases::words;
use super::damage::damage;
use super::folders::FOLDERS;
use super::tally::Tally;
use super::tree::{self, Tree};

/// A folder that somebody has, and what is done with it.
pub(super) struct Known {
    name: &'static str,
    /// Where the files are that may be damaged.
    place: &'static str,
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

/// Folders of every kind, with what can be asked of them.
pub(super) fn prepare(place: &Place) -> Result<Vec<Known>> {
    let mut known = Vec::new();
    for (number, made) in FOLDERS.iter().enumerate() {
        let before = made.make(place, number)?;
        for &(name, call) in made.asked {
            let folder = place.folder("undamaged", known.len())?;
            tree::write(&before, &folder)?;
            let said = place.program.run(&folder, &words(call))?;
            if said.crashed() || said.code == Some(2) {
                bail!("`{call}` does not run: {}", said.text);
            }
            known.push(Known {
                name,
                place: made.place,
                before: before.clone(),
                call,
                after: tree::read(&folder)?,
                code: said.code,
                text: said.text,
            });
        }
    }
    Ok(known)
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
        let own = |name: &&String| name.starts_with(known.place) && !tree::is_leftover(name);
        for file in known.before.keys().filter(own) {
            names.entry(last_part(file)).or_default().push(Target { known, file });
        }
    }
    names.into_values().collect()
}

/// Damages one file, makes the call, and compares.
pub(super) fn trial(place: &Place, target: &Target<'_>, trial: usize) -> Result<Tally> {
    let Target { known: Known { name, before, call, after, code, text, .. }, file } = *target;
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
