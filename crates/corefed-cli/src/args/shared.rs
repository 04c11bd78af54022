//! Arguments that several commands have.

use clap::ValueEnum;

/// A key of the spec and its new value.
pub(crate) type Setting = (String, String);

pub(super) fn setting(text: &str) -> Result<Setting, String> {
    let (key, value) = text.split_once('=').ok_or_else(|| {
        format!("`{text}` has no `=`; write `KEY=VALUE`, such as `train.rounds=20`")
    })?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DeviceArg {
    /// All cores of the machine.
    Cpu,
    /// Its first NVIDIA GPU.
    Cuda,
}

impl DeviceArg {
    /// As a spec spells it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        }
    }
}
