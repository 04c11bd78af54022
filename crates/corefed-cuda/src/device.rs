//! GPUs of this machine.

#![expect(unsafe_code, reason = "talks to the driver")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::CUdevice_attribute as Attribute;
use cudarc::driver::{CudaContext, CudaFunction, CudaStream, result, sys};

use crate::CudaError;
use crate::error::During;
use crate::source::Source;

/// Oldest CUDA that a driver must support, as the driver writes it.
const NEEDED: i32 = 13_000;

/// A GPU, as its driver describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Place among the devices, from 0.
    pub ordinal: usize,
    /// As its maker calls it.
    pub name: String,
    /// In bytes.
    pub memory: usize,
    /// Newest CUDA that the driver runs, such as `13.0`.
    pub driver: String,
    /// Compute capability.
    pub capability: (i32, i32),
    /// Multiprocessors.
    pub processors: usize,
}

/// An open GPU, with a stream of its own: what two of them are asked to do runs side by side.
#[derive(Clone, Debug)]
pub struct Device {
    pub(crate) context: Arc<CudaContext>,
    pub(crate) stream: Arc<CudaStream>,
    pub(crate) kernels: Arc<Kernels>,
    info: DeviceInfo,
}

/// Kernels that are compiled and loaded.
pub(crate) type Kernels = Mutex<HashMap<Source, CudaFunction>>;

/// What everybody who opens the same GPU shares.
#[derive(Clone)]
struct Shared {
    ordinal: usize,
    context: Arc<CudaContext>,
    kernels: Arc<Kernels>,
}

/// GPUs that this process has opened. They stay open: their kernels are worth keeping.
static OPEN: Mutex<Vec<Shared>> = Mutex::new(Vec::new());

/// The GPUs of this machine; an error says why there is none.
pub fn available() -> Result<Vec<DeviceInfo>, CudaError> {
    let driver = driver()?;
    let count = result::device::get_count().during("counting devices")?;
    let devices =
        (0..usize::try_from(count).unwrap_or(0)).map(|ordinal| describe(ordinal, &driver));
    let devices = devices.collect::<Result<Vec<_>, _>>()?;
    if devices.is_empty() { Err(CudaError::NoDevice) } else { Ok(devices) }
}

/// Loads the driver; returns the newest CUDA it runs.
fn driver() -> Result<String, CudaError> {
    // SAFETY: loading NVIDIA's driver runs its initialisers, which every CUDA program does.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    let mut version = 0;
    // SAFETY: the library is there, and the pointer is to a live integer.
    unsafe { sys::cuDriverGetVersion(&raw mut version) }
        .result()
        .during("asking for the version")?;
    let written = |version: i32| format!("{}.{}", version / 1000, version % 1000 / 10);
    if version < NEEDED {
        return Err(CudaError::OldDriver { found: written(version), needed: written(NEEDED) });
    }
    match result::init() {
        Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => Err(CudaError::NoDevice),
        other => other.during("starting the driver").map(|()| written(version)),
    }
}

fn describe(ordinal: usize, driver: &str) -> Result<DeviceInfo, CudaError> {
    let device = result::device::get(i32::try_from(ordinal).unwrap_or(i32::MAX))
        .during("asking for a device")?;
    let attribute = |which: Attribute| {
        // SAFETY: the device is one the driver just named.
        unsafe { result::device::get_attribute(device, which) }.during("describing a device")
    };
    Ok(DeviceInfo {
        ordinal,
        name: result::device::get_name(device).during("describing a device")?,
        // SAFETY: as above.
        memory: unsafe { result::device::total_mem(device) }.during("describing a device")?,
        driver: driver.to_owned(),
        capability: (
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ),
        processors: usize::try_from(attribute(
            Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
        )?)
        .unwrap_or(1),
    })
}

fn shared(ordinal: usize) -> Result<Shared, CudaError> {
    // A poisoned lock only means that another thread panicked; what is open stays open.
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = open.iter().find(|known| known.ordinal == ordinal) {
        return Ok(known.clone());
    }
    let context = CudaContext::new(ordinal).during("opening a device")?;
    // SAFETY: an engine uses one stream, so its buffers need no events of their own; images, which engines
    // share, are complete before anybody gets them, and an engine waits for its stream before it lets go.
    unsafe { context.disable_event_tracking() };
    let new = Shared { ordinal, context, kernels: Arc::default() };
    open.push(new.clone());
    Ok(new)
}

impl Device {
    /// Opens a GPU, from 0. Opening it again gives another stream, and the kernels that are known.
    pub fn open(ordinal: usize) -> Result<Self, CudaError> {
        let devices = available()?;
        let count = devices.len();
        let info =
            devices.into_iter().nth(ordinal).ok_or(CudaError::NoSuchDevice { ordinal, count })?;
        let Shared { context, kernels, .. } = shared(ordinal)?;
        // Does not wait for the stream that everybody shares, nor that for it.
        let stream = context.new_stream().during("making a stream")?;
        Ok(Self { context, stream, kernels, info })
    }

    /// What it is.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// Bytes that can be allocated now.
    pub fn free(&self) -> Result<usize, CudaError> {
        // What was given back counts once the stream has come to it.
        self.wait()?;
        self.context.mem_get_info().map(|(free, _)| free).during("asking for free memory")
    }

    /// Waits for everything that was started.
    pub fn wait(&self) -> Result<(), CudaError> {
        self.stream.synchronize().during("waiting")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_gpu_says_so_and_what_to_do() {
        match available() {
            Ok(devices) => assert!(devices.iter().all(|device| device.memory > 0)),
            Err(error) => {
                assert!(matches!(
                    error,
                    CudaError::NoDriver | CudaError::NoDevice | CudaError::OldDriver { .. }
                ));
                assert!(error.hint().contains("CPU"));
                assert_eq!(Device::open(0).unwrap_err(), error);
            }
        }
    }
}
