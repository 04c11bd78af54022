//! A training goes on where another process stopped.

use std::path::Path;

use corefed_log::{Checkpoint, DeviceHeader, RunFolder};
use corefed_spec::Spec;

use super::begin::{run, training};
use super::header::{asked_device, device, header};
use super::prepare::prepare;
use super::prepared::Prepared;
use super::session::{Place, Talk, Trained};
use crate::display;
use crate::failure::Failure;
use crate::spec::seen_from;

/// Continues a run from its newest checkpoint.
pub(crate) fn resume(path: &Path, talk: Talk<'_>) -> Result<Trained, Failure> {
    let folder = RunFolder::open(path)?;
    let spec = spec_of(&folder)?.relative_to(path);
    go_on(folder, &spec, &mut prepare(&spec)?, talk)
}

/// The same on data that are prepared already, if the folder is of this very spec.
pub(crate) fn resume_on(
    spec: &Spec,
    prepared: &mut Prepared,
    path: &Path,
    talk: Talk<'_>,
) -> Result<Trained, Failure> {
    let folder = RunFolder::open(path)?;
    let (then, now) = (spec_of(&folder)?, seen_from(spec, path));
    same_device(path, began(&folder, &then).as_ref(), device(prepared).as_ref())?;
    if then != now {
        return Err(Failure::new(format!("`{}` was made by other settings", path.display()))
            .hint("use those, or write to another folder"));
    }
    go_on(folder, spec, prepared, talk)
}

/// The spec as its folder has it.
fn spec_of(folder: &RunFolder) -> Result<Spec, Failure> {
    let name = folder.path().join("spec.toml").display().to_string();
    Ok(Spec::parse(&name, folder.spec())?)
}

fn go_on(
    mut folder: RunFolder,
    spec: &Spec,
    prepared: &mut Prepared,
    talk: Talk<'_>,
) -> Result<Trained, Failure> {
    let path = folder.path().to_owned();
    let written = spec_of(&folder)?;
    let training = training(spec)?;
    prepared.name_data(&written);
    let mut now = header(&written, training, prepared);
    if now.data != folder.header().data {
        return Err(Failure::new(format!(
            "the data of `{}` have changed: digest {} is now {}",
            path.display(),
            excerpt(&folder.header().data.digest),
            excerpt(&now.data.digest)
        ))
        .hint("a run continues only on the very data it began with; start a new one"));
    }
    same_device(&path, began(&folder, &written).as_ref(), now.device.as_ref())?;
    // Folders keep the name of the device on which they began, or none.
    now.device.clone_from(&folder.header().device);
    if now != *folder.header() {
        return Err(Failure::new(format!("`{}` was made by other settings", path.display()))
            .hint("was `spec.toml` or a file it names edited? start a new run instead"));
    }
    let restore = || -> Result<Place, Failure> {
        let checkpoint = folder.restore()?;
        warn_of_damage(&folder, checkpoint.as_ref());
        Ok((folder, checkpoint))
    };
    run(spec, training, prepared, restore, talk)
}

/// Says which checkpoints could not be used, and what is done instead.
fn warn_of_damage(folder: &RunFolder, used: Option<&Checkpoint>) {
    let instead = match used {
        Some(checkpoint) => format!("continuing after round {}", checkpoint.round),
        None => "starting over".to_owned(),
    };
    for damaged in folder.damaged() {
        display::say(&format!(
            "warning: checkpoint `{}` cannot be used ({}); {instead}",
            damaged.path.display(),
            damaged.reason
        ));
    }
}

fn excerpt(digest: &str) -> &str {
    digest.get(..12).unwrap_or(digest)
}

/// What the run began on: as its header says, or, in an older folder, its spec.
fn began(folder: &RunFolder, spec: &Spec) -> Option<DeviceHeader> {
    folder.header().device.clone().or_else(|| asked_device(spec))
}

/// Rounds of one run must not come from devices that compute differently.
fn same_device(
    path: &Path,
    then: Option<&DeviceHeader>,
    now: Option<&DeviceHeader>,
) -> Result<(), Failure> {
    match (then, now) {
        (Some(then), Some(now)) if !now.goes_on_from(then) => Err(Failure::new(format!(
            "`{}` began on {then}, and would go on on {now}",
            path.display()
        ))
        .hint("rounds of one run are computed alike: use the same device and precision, or start a new run")),
        _ => Ok(()),
    }
}
