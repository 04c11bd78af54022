//! Kernels, compiled when they are first needed.

#![expect(unsafe_code, reason = "talks to the driver")]

use std::ffi::{CStr, CString};
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use cudarc::nvrtc::{result, sys};

use crate::CudaError;
use crate::cache::{Cache, Key};
use crate::source::Source;

/// Machine code of each source for a compute capability, in the order of the sources.
pub(crate) fn compile(
    sources: &[Source],
    capability: (i32, i32),
    cache: &Cache,
) -> Result<Vec<Vec<u8>>, CudaError> {
    // SAFETY: loading NVIDIA's compiler runs its initialisers, which every program that uses it does.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoCompiler);
    }
    let version = version()?;
    let architecture = format!("--gpu-architecture=sm_{}{}", capability.0, capability.1);
    let options = [&*architecture, "--std=c++17", "--extra-device-vectorization"];
    let kept = |source: &Source| {
        let text = source.text();
        let key = Key::new(&text, &options, version, capability);
        cache.get_or(&key, || one(text, &options))
    };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(sources.len());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(source) = sources.get(index) else { return done };
            done.push((index, kept(source)));
        }
    };
    let mut done = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let join = |worker: thread::ScopedJoinHandle<'_, Vec<_>>| {
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        workers.into_iter().flat_map(join).collect::<Vec<_>>()
    });
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, code)| code).collect()
}

/// Of NVIDIA's compiler.
fn version() -> Result<(i32, i32), CudaError> {
    let (mut major, mut minor) = (0, 0);
    // SAFETY: the pointers are to live integers.
    let asked = unsafe { sys::nvrtcVersion(&raw mut major, &raw mut minor) };
    asked.result().map_err(broken)?;
    Ok((major, minor))
}

fn broken(error: result::NvrtcError) -> CudaError {
    CudaError::Compile { log: format!("{error:?}") }
}

fn one(text: String, options: &[&str]) -> Result<Vec<u8>, CudaError> {
    let text = CString::new(text).map_err(|error| CudaError::Compile { log: error.to_string() })?;
    let mut program = Program(result::create_program(&text, None).map_err(broken)?);
    // SAFETY: the program is live until the end of this function.
    if let Err(error) = unsafe { result::compile_program(program.0, options) } {
        // SAFETY: as above; the compiler ends its log with a zero.
        let log = unsafe { result::get_program_log(program.0) }.map_err(broken)?;
        // SAFETY: the log is alive, and ends with a zero.
        let log = unsafe { CStr::from_ptr(log.as_ptr()) }.to_string_lossy().into_owned();
        return Err(CudaError::Compile { log: format!("{error:?}: {log}") });
    }
    program.machine_code().map_err(broken)
}

struct Program(sys::nvrtcProgram);

impl Program {
    fn machine_code(&mut self) -> Result<Vec<u8>, result::NvrtcError> {
        let mut size = 0;
        // SAFETY: the program is compiled, and the pointer is to a live integer.
        unsafe { sys::nvrtcGetCUBINSize(self.0, &raw mut size) }.result()?;
        let mut code = vec![0_u8; size];
        // SAFETY: the buffer is as large as the compiler asked for.
        unsafe { sys::nvrtcGetCUBIN(self.0, code.as_mut_ptr().cast()) }.result()?;
        Ok(code)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle. A failure would leak it, and nothing more.
        let _ = unsafe { result::destroy_program(self.0) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::{Crowd, Use};
    use crate::form::Form;
    use crate::layout::Layout;
    use crate::plan::plan;
    use crate::plan::tests::{known, network};
    use crate::precision::Precision;
    use crate::steps::{Outside, Recipe};
    use crate::tile::tests::H200;

    fn compiles(network: &corefed_nn::Network, crowd: Crowd, precision: Precision, form: Form) {
        let ops = plan(network);
        let layout = Layout::new(&ops, network.dim(), crowd, H200, precision);
        let outside =
            Outside { pixels: 0, shade: 0, labels: 0, order: 0, losses: 0, correct: 0, base: 0 };
        let layout = &layout;
        let kernels =
            Recipe { network, ops: &ops, crowd, layout, precision, form, outside }.kernels();
        let mut sources: Vec<Source> = kernels.into_iter().map(|kernel| kernel.source).collect();
        sources.extend(["spread", "spread_halves", "difference", "fold"].map(Source::plain));
        match compile(&sources, (9, 0), &Cache::none()) {
            Ok(codes) => assert!(codes.iter().all(|code| code.starts_with(b"\x7fELF"))),
            Err(CudaError::NoCompiler) => eprintln!("SKIPPED: NVRTC is not on this machine"),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn kernels_of_every_layer_compile() {
        let odd = network(&[
            "conv 6 3 stride=2 pad=1",
            "softplus",
            "max-pool 3 stride=2",
            "dropout 0.25",
            "conv 5 2",
            "tanh",
            "avg-pool 2",
            "flatten",
            "linear 7",
            "gelu",
            "linear 10",
        ]);
        for precision in [Precision::Fp32, Precision::Tf32, Precision::Tf32x3, Precision::Bf16] {
            let crowd =
                Crowd { agents: 2, batch: 8, purpose: Use::Train, momentum: true, drift: false };
            compiles(&odd, crowd, precision, Form::new(false, 3, true));
        }
        let crowd =
            Crowd { agents: 3, batch: 64, purpose: Use::Train, momentum: false, drift: false };
        compiles(&known("cnn"), crowd, Precision::Tf32, Form::new(true, 3, true));
        compiles(&known("cnn-wide"), crowd, Precision::Bf16, Form::new(true, 3, true));
        let crowd =
            Crowd { agents: 1, batch: 1024, purpose: Use::Evaluate, momentum: false, drift: false };
        compiles(&known("cnn-smooth"), crowd, Precision::Fp32, Form::new(true, 3, true));
    }
}
