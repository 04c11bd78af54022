//! Memory of the host that the device copies from and to at full speed.

#![expect(unsafe_code, reason = "talks to the driver")]

use std::sync::Arc;

use cudarc::driver::{CudaStream, PinnedHostSlice, result};

use crate::CudaError;
use crate::arena::Arena;
use crate::error::During;

/// Words that stay in place; grows as needed.
#[derive(Debug)]
pub(crate) struct Staging {
    host: PinnedHostSlice<u32>,
    stream: Arc<CudaStream>,
}

impl Staging {
    pub(crate) fn new(stream: &Arc<CudaStream>) -> Result<Self, CudaError> {
        Ok(Self { host: allocate(stream, 1 << 12)?, stream: stream.clone() })
    }

    /// This many words, once no copy uses them any more.
    pub(crate) fn words(&mut self, count: usize) -> Result<&mut [u32], CudaError> {
        self.stream.synchronize().during("waiting for copies")?;
        if count > self.host.len() {
            self.host = allocate(&self.stream, count.next_power_of_two())?;
        }
        let words = self.host.as_mut_slice().during("reading staged memory")?;
        Ok(&mut words[..count])
    }

    /// Starts to copy a range of words to the device.
    pub(crate) fn send(
        &mut self,
        words: std::ops::Range<usize>,
        to: &Arena,
        offset: usize,
    ) -> Result<(), CudaError> {
        if words.is_empty() {
            return Ok(());
        }
        to.check(offset, 4 * words.len())?;
        let from = self.host.as_slice().during("reading staged memory")?;
        // SAFETY: the range was just checked; anybody who writes these words next waits for the stream.
        unsafe { result::memcpy_htod_async(to.at(offset), &from[words], self.stream.cu_stream()) }
            .during("copying to the device")
    }

    /// Copies words from the device, and waits for them.
    pub(crate) fn fetch(
        &mut self,
        from: &Arena,
        offset: usize,
        count: usize,
    ) -> Result<&[u32], CudaError> {
        from.check(offset, 4 * count)?;
        let stream = self.stream.clone();
        let words = self.words(count)?;
        if count > 0 {
            // SAFETY: the range was just checked, and the words are ours until the stream is waited for.
            unsafe { result::memcpy_dtoh_async(words, from.at(offset), stream.cu_stream()) }
                .during("copying from the device")?;
            stream.synchronize().during("copying from the device")?;
        }
        Ok(words)
    }
}

fn allocate(stream: &Arc<CudaStream>, words: usize) -> Result<PinnedHostSlice<u32>, CudaError> {
    // SAFETY: words are written before they are read.
    unsafe { stream.context().alloc_pinned_with_flags(words, 0) }.during("allocating on the host")
}

/// Floats of words.
pub(crate) fn floats(words: &[u32], to: &mut [f32]) {
    for (to, word) in to.iter_mut().zip(words) {
        *to = f32::from_bits(*word);
    }
}

/// Words of floats.
pub(crate) fn bits(floats: &[f32], to: &mut [u32]) {
    for (to, float) in to.iter_mut().zip(floats) {
        *to = float.to_bits();
    }
}

/// Words of the differences of floats.
pub(crate) fn differences(left: &[f32], right: &[f32], to: &mut [u32]) {
    for ((to, left), right) in to.iter_mut().zip(left).zip(right) {
        *to = (left - right).to_bits();
    }
}
