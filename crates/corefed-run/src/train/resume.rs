//! A training continues where another process stopped.

use std::path::Path;

use corefed_log::{DeviceHeader, RunFolder};
use corefed_spec::Spec;

use super::begin::{run, train_on, training};
use super::changed::Changed;
use super::header::{asked_device, header};
use super::session::{Place, TrainedRun};
use crate::locate::seen_from;
use crate::prepare::prepare;
use crate::prepared::Prepared;
use crate::{Observer, RunError, Stop, TrainingError};

/// Continues a run from its newest checkpoint. Its spec must be the one by which the checkpoint was made, unless
/// `changed_spec` allows another: the run then says so.
pub fn resume(
    path: &Path,
    data_dir: Option<&Path>,
    changed_spec: bool,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let folder = RunFolder::open(path)?;
    let spec = spec_of(&folder)?.relative_to(path);
    let changed = Changed::since(&folder, &spec_of(&folder)?)?;
    if !changed_spec {
        unchanged(&folder, changed.as_ref())?;
    }
    continued(folder, changed, &spec, &mut prepare(&spec, data_dir)?, stop, observer)
}

/// The same on data that are prepared already, if the folder is of this very spec.
fn resume_on(
    spec: &Spec,
    prepared: &mut Prepared,
    path: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let folder = RunFolder::open(path)?;
    let (then, now) = (spec_of(&folder)?, seen_from(spec, path));
    same_device(path, began(&folder, &then).as_ref(), prepared.device().as_ref())?;
    if then != now {
        let (path, changes) = (path.to_owned(), then.changes(&now));
        return Err(TrainingError::OtherSettings { path, changes, asked: true }.into());
    }
    unchanged(&folder, Changed::since(&folder, &then)?.as_ref())?;
    continued(folder, None, spec, prepared, stop, observer)
}

/// Trains into a new folder, or resumes one that is of this very spec; `data_dir` is that of [`prepare`].
pub(crate) fn train_or_resume(
    spec: &Spec,
    data_dir: Option<&Path>,
    path: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    train_or_resume_on(spec, &mut prepare(spec, data_dir)?, path, stop, observer)
}

/// The same on data that are prepared already.
pub fn train_or_resume_on(
    spec: &Spec,
    prepared: &mut Prepared,
    path: &Path,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    if path.join("run.json").exists() {
        resume_on(spec, prepared, path, stop, observer)
    } else {
        train_on(spec, prepared, path, stop, observer)
    }
}

/// The spec as its folder has it.
fn spec_of(folder: &RunFolder) -> Result<Spec, RunError> {
    let name = folder.path().join("spec.toml").display().to_string();
    Ok(Spec::parse(&name, folder.spec())?)
}

/// Refuses a spec that was changed.
fn unchanged(folder: &RunFolder, changed: Option<&Changed>) -> Result<(), RunError> {
    let Some(changed) = changed else { return Ok(()) };
    let (path, changes) = (folder.path().to_owned(), changed.keys.clone());
    Err(TrainingError::ChangedSpec { path, changes }.into())
}

fn continued(
    mut folder: RunFolder,
    changed: Option<Changed>,
    spec: &Spec,
    prepared: &mut Prepared,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let path = folder.path().to_owned();
    let written = spec_of(&folder)?;
    let training = training(spec)?;
    prepared.name_data(&written);
    let mut now = header(&written, training, prepared);
    if now.data != folder.header().data {
        let then = excerpt(&folder.header().data.digest);
        return Err(
            TrainingError::DataChanged { path, then, now: excerpt(&now.data.digest) }.into()
        );
    }
    same_device(&path, began(&folder, &written).as_ref(), now.device.as_ref())?;
    // Folders keep the name of the device on which they began, or none.
    now.device.clone_from(&folder.header().device);
    if now != *folder.header() {
        let changes = changed.map(|changed| changed.keys).unwrap_or_default();
        return Err(TrainingError::OtherSettings { path, changes, asked: false }.into());
    }
    let restore = || -> Result<Place, RunError> {
        let checkpoint = folder.restore()?;
        if let Some(changed) = changed {
            changed.record(&folder)?;
            folder.accept_spec()?;
            // From now on this is the spec of the run.
            if let Some(checkpoint) = &checkpoint {
                folder.checkpoint(checkpoint)?;
            }
        }
        Ok((folder, checkpoint))
    };
    run(spec, training, prepared, restore, stop, observer)
}

fn excerpt(digest: &str) -> String {
    digest.get(..12).unwrap_or(digest).to_owned()
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
) -> Result<(), RunError> {
    match (then, now) {
        (Some(then), Some(now)) if !now.goes_on_from(then) => Err(TrainingError::OtherDevice {
            path: path.to_owned(),
            then: Box::new(then.clone()),
            now: Box::new(now.clone()),
        }
        .into()),
        _ => Ok(()),
    }
}
