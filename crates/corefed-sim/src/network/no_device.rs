//! In place of a GPU, in builds that leave CUDA out: there never is one.

use std::convert::Infallible;
use std::ops::Range;

use corefed_nn::Sums;
use corefed_spec::Precision;

use super::NetworkFederation;
use crate::{DeviceFailure, Job, Part};

/// A device that no federation ever has.
pub(super) struct OnDevice(Infallible);

impl NetworkFederation {
    /// Fails: this build leaves CUDA out.
    pub fn on_cuda(self, _: Precision, _: usize) -> Result<Self, DeviceFailure> {
        Err(DeviceFailure {
            reason: "this build cannot use a GPU: it was built without the feature `cuda`".to_owned(),
            hint: "train on the CPU, or build with `cargo install --path crates/corefed-cli --features cuda`"
                .to_owned(),
        })
    }
}

impl OnDevice {
    pub(super) fn beside(&self) -> Result<Self, DeviceFailure> {
        match self.0 {}
    }

    pub(super) fn describe(&self) -> (String, &'static str) {
        match self.0 {}
    }

    pub(super) fn measure(
        &mut self,
        _: Option<Part>,
        _: &[f32],
        _: &[Range<usize>],
    ) -> Result<Vec<Sums>, DeviceFailure> {
        match self.0 {}
    }

    pub(super) fn losses(
        &mut self,
        _: Part,
        _: &[f32],
        _: Range<usize>,
    ) -> Result<Vec<f64>, DeviceFailure> {
        match self.0 {}
    }

    pub(super) fn gradient(
        &mut self,
        _: &[f32],
        _: Range<usize>,
    ) -> Result<Vec<f64>, DeviceFailure> {
        match self.0 {}
    }

    pub(super) fn train(
        &mut self,
        _: &[f32],
        _: &[Range<usize>],
        _: &[(usize, Job<'_, f32>)],
        _: &mut [Vec<f32>],
    ) -> Result<(), DeviceFailure> {
        match self.0 {}
    }
}
