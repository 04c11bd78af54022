//! What can go wrong between here and a GPU.

use cudarc::driver::DriverError;
use thiserror::Error;

/// Why nothing was computed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CudaError {
    /// The driver's library cannot be loaded.
    #[error("no NVIDIA driver was found on this machine")]
    NoDriver,
    /// The driver is too old.
    #[error("the NVIDIA driver supports CUDA {found}, and CUDA {needed} is needed")]
    OldDriver {
        /// Newest CUDA that the driver runs.
        found: String,
        /// Oldest CUDA that will do.
        needed: String,
    },
    /// A driver without devices.
    #[error("the NVIDIA driver sees no GPU")]
    NoDevice,
    /// There are fewer devices than that.
    #[error("there is no GPU {ordinal}: this machine has {count}")]
    NoSuchDevice {
        /// As it was asked for, from 0.
        ordinal: usize,
        /// How many there are.
        count: usize,
    },
    /// A device too old for what is asked of it.
    #[error("{name} has compute capability {found}, and {needed} is needed")]
    OldDevice {
        /// Of the device.
        name: String,
        /// Of the device.
        found: String,
        /// At least.
        needed: &'static str,
    },
    /// The run-time compiler's library cannot be loaded.
    #[error("NVRTC, CUDA's run-time compiler, was not found")]
    NoCompiler,
    /// A kernel does not compile.
    #[error("a kernel does not compile: {log}")]
    Compile {
        /// What the compiler says.
        log: String,
    },
    /// More memory than there is.
    #[error(
        "{agents} agents with batches of {batch} need {needed} bytes on the GPU, and {free} are free"
    )]
    Memory {
        /// That were to train together.
        agents: usize,
        /// Largest batch.
        batch: usize,
        /// In bytes.
        needed: usize,
        /// In bytes.
        free: usize,
    },
    /// Numbers that do not belong together.
    #[error("{what} has {found} numbers where {wanted} belong")]
    Length {
        /// Of the argument.
        what: &'static str,
        /// As it is.
        found: usize,
        /// As it should be.
        wanted: usize,
    },
    /// A row, label or setting out of range.
    #[error("{what} is {found}, and must be {wanted}")]
    Range {
        /// Of the argument.
        what: String,
        /// As it is.
        found: String,
        /// As it should be.
        wanted: String,
    },
    /// The driver refuses.
    #[error("CUDA: {text} ({during})")]
    Driver {
        /// The driver's words.
        text: String,
        /// What was being done.
        during: &'static str,
    },
}

impl CudaError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::NoDriver => "install NVIDIA's driver, or train on the CPU".to_owned(),
            Self::OldDriver { .. } => {
                "update NVIDIA's driver to 580 or newer, or train on the CPU".to_owned()
            }
            Self::NoDevice => {
                "check `nvidia-smi` and CUDA_VISIBLE_DEVICES, or train on the CPU".to_owned()
            }
            Self::NoSuchDevice { count, .. } => format!("choose one of 0 to {}", count - 1),
            Self::OldDevice { .. } => "use FP32, or train on the CPU".to_owned(),
            Self::NoCompiler => "install the CUDA toolkit 13 or the Python package \
                                 `nvidia-cuda-nvrtc`, and put the folder of its library on \
                                 LD_LIBRARY_PATH"
                .to_owned(),
            Self::Compile { .. } => {
                "this is a mistake in corefed: please report it with the network".to_owned()
            }
            Self::Memory { .. } => "train fewer agents together, or use smaller batches".to_owned(),
            Self::Length { .. } | Self::Range { .. } => "check the arguments".to_owned(),
            Self::Driver { .. } => {
                "check `nvidia-smi`; another program may hold the GPU or its memory".to_owned()
            }
        }
    }
}

/// Names what was being done when the driver refused.
pub(crate) trait During<T> {
    fn during(self, what: &'static str) -> Result<T, CudaError>;
}

impl<T> During<T> for Result<T, DriverError> {
    fn during(self, during: &'static str) -> Result<T, CudaError> {
        self.map_err(|error| CudaError::Driver { text: format!("{error:?}"), during })
    }
}
