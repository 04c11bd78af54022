//! A training continues where another process stopped.

use std::path::Path;

use corefed_log::{DeviceHeader, RunFolder};
use corefed_spec::Spec;

use super::begin::{run, train_on, training};
use super::header::{asked_device, header};
use super::session::{Place, TrainedRun};
use crate::locate::seen_from;
use crate::prepare::prepare;
use crate::prepared::Prepared;
use crate::{Observer, RunError, Stop, TrainingError};

/// Continues a run from its newest checkpoint.
pub fn resume(
    path: &Path,
    data_dir: Option<&Path>,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<TrainedRun, RunError> {
    let folder = RunFolder::open(path)?;
    let spec = spec_of(&folder)?.relative_to(path);
    continued(folder, &spec, &mut prepare(&spec, data_dir)?, stop, observer)
}

/// The same on data that are prepared already, if the folder is of this very spec.
pub fn resume_on(
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
        return Err(TrainingError::OtherSettings { path: path.to_owned(), asked: true }.into());
    }
    continued(folder, spec, prepared, stop, observer)
}

/// Trains into a new folder, or goes on in one that is of this very spec.
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

fn continued(
    mut folder: RunFolder,
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
        return Err(TrainingError::OtherSettings { path, asked: false }.into());
    }
    let restore = || -> Result<Place, RunError> {
        let checkpoint = folder.restore()?;
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
