//! Memory on the device, and what kernels are told about it.

#![expect(unsafe_code, reason = "talks to the driver")]

use std::sync::Arc;

use cudarc::driver::{CudaSlice, CudaStream, DevicePtr, DeviceRepr, result, sys};

use crate::CudaError;
use crate::error::During;

/// Where everything is; mirrors `Args` in `common.cu`. Zero stands for nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Args {
    pub(crate) agents: u64,
    pub(crate) clock: u64,
    pub(crate) order: u64,
    pub(crate) x: u64,
    pub(crate) shade: u64,
    pub(crate) labels: u64,
    pub(crate) params: u64,
    pub(crate) factors: u64,
    pub(crate) velocity: u64,
    pub(crate) drift: u64,
    pub(crate) sum: u64,
    pub(crate) y: u64,
    pub(crate) z: u64,
    pub(crate) index: u64,
    pub(crate) dy: u64,
    pub(crate) dx: u64,
    pub(crate) before: u64,
    pub(crate) largest: u64,
    pub(crate) partial: u64,
    pub(crate) arrivals: u64,
    pub(crate) losses: u64,
    pub(crate) correct: u64,
    pub(crate) stride: u64,
    pub(crate) batch: u32,
    pub(crate) splits: u32,
    pub(crate) training: u32,
    pub(crate) layer: u32,
}

// SAFETY: plain numbers, laid out as C does.
unsafe impl DeviceRepr for Args {}

/// One allocation.
#[derive(Debug)]
pub(crate) struct Arena {
    memory: CudaSlice<u8>,
    stream: Arc<CudaStream>,
    address: sys::CUdeviceptr,
}

impl Arena {
    /// Allocates, and fills with zeroes.
    pub(crate) fn new(stream: &Arc<CudaStream>, bytes: usize) -> Result<Self, CudaError> {
        let memory = stream.alloc_zeros(bytes.max(256)).during("allocating")?;
        let address = memory.device_ptr(stream).0;
        Ok(Self { memory, stream: stream.clone(), address })
    }

    /// Allocates a copy.
    pub(crate) fn of<T: DeviceRepr>(
        stream: &Arc<CudaStream>,
        numbers: &[T],
    ) -> Result<Self, CudaError> {
        let arena = Self::new(stream, size_of_val(numbers))?;
        arena.write(0, numbers)?;
        Ok(arena)
    }

    pub(crate) fn at(&self, offset: usize) -> u64 {
        self.address + offset as u64
    }

    pub(crate) fn bytes(&self) -> usize {
        self.memory.len()
    }

    pub(crate) fn write<T: DeviceRepr>(&self, offset: usize, from: &[T]) -> Result<(), CudaError> {
        self.check(offset, size_of_val(from))?;
        if from.is_empty() {
            return Ok(());
        }
        // SAFETY: the range was just checked, and memory of the host that may be paged is copied away
        // before the call returns.
        unsafe { result::memcpy_htod_async(self.at(offset), from, self.stream.cu_stream()) }
            .during("copying to the device")
    }

    pub(crate) fn read<T: DeviceRepr>(&self, offset: usize, to: &mut [T]) -> Result<(), CudaError> {
        self.check(offset, size_of_val(to))?;
        if to.is_empty() {
            return Ok(());
        }
        // SAFETY: the range was just checked; the stream is waited for before `to` is used.
        unsafe { result::memcpy_dtoh_async(to, self.at(offset), self.stream.cu_stream()) }
            .during("copying from the device")?;
        self.stream.synchronize().during("copying from the device")
    }

    pub(crate) fn clear(&self, offset: usize, bytes: usize) -> Result<(), CudaError> {
        self.check(offset, bytes)?;
        // SAFETY: the range was just checked.
        unsafe { result::memset_d8_async(self.at(offset), 0, bytes, self.stream.cu_stream()) }
            .during("clearing memory")
    }

    pub(crate) fn check(&self, offset: usize, bytes: usize) -> Result<(), CudaError> {
        let end = offset.saturating_add(bytes);
        if end <= self.bytes() {
            return Ok(());
        }
        Err(CudaError::Length { what: "a buffer on the device", found: self.bytes(), wanted: end })
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // The thread that lets go may be one that never used the device. If this fails, memory leaks.
        let _ = self.stream.context().bind_to_thread();
    }
}
