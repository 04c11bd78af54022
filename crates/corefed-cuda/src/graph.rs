//! A CUDA graph that is built node by node.

#![expect(unsafe_code, reason = "talks to the driver")]

use std::ffi::c_void;
use std::ptr;
use std::sync::Arc;

use cudarc::driver::{CudaFunction, CudaStream, result, sys};

use crate::CudaError;
use crate::arena::Args;
use crate::error::During;

/// A kernel in a graph.
pub(crate) type Node = sys::CUgraphNode;

/// How a kernel is launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launch {
    pub(crate) grid: (usize, usize, usize),
    pub(crate) threads: usize,
    pub(crate) shared: usize,
}

/// Kernels and what they wait for.
#[derive(Debug)]
pub(crate) struct Graph {
    handle: sys::CUgraph,
    stream: Arc<CudaStream>,
    /// Kept alive as long as the graph may run them.
    functions: Vec<CudaFunction>,
}

/// A graph that can be run.
#[derive(Debug)]
pub(crate) struct Ready {
    exec: sys::CUgraphExec,
    graph: Graph,
}

impl Graph {
    pub(crate) fn new(stream: &Arc<CudaStream>) -> Result<Self, CudaError> {
        stream.context().bind_to_thread().during("making a graph")?;
        let mut handle = ptr::null_mut();
        // SAFETY: the pointer is to a live handle; zero is the only flag.
        unsafe { sys::cuGraphCreate(&raw mut handle, 0) }.result().during("making a graph")?;
        Ok(Self { handle, stream: stream.clone(), functions: Vec::new() })
    }

    /// Adds a kernel that starts when others have ended.
    pub(crate) fn add(
        &mut self,
        function: &CudaFunction,
        launch: Launch,
        args: &Args,
        after: &[Node],
    ) -> Result<Node, CudaError> {
        let size = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        let mut kernel = [ptr::from_ref(args).cast_mut().cast::<c_void>()];
        let params = sys::CUDA_KERNEL_NODE_PARAMS {
            func: function.cu_function(),
            gridDimX: size(launch.grid.0),
            gridDimY: size(launch.grid.1),
            gridDimZ: size(launch.grid.2),
            blockDimX: size(launch.threads),
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: size(launch.shared),
            kernelParams: kernel.as_mut_ptr(),
            extra: ptr::null_mut(),
            kern: ptr::null_mut(),
            ctx: ptr::null_mut(),
        };
        let mut node = ptr::null_mut();
        // SAFETY: the function takes one `Args`, which is copied before the call returns; nodes are of this
        // graph; buffers that `args` points into outlive the graph, as their owner drops it first.
        unsafe {
            sys::cuGraphAddKernelNode_v2(
                &raw mut node,
                self.handle,
                after.as_ptr(),
                after.len(),
                &raw const params,
            )
        }
        .result()
        .during("adding a kernel")?;
        self.functions.push(function.clone());
        Ok(node)
    }

    pub(crate) fn ready(self) -> Result<Ready, CudaError> {
        // SAFETY: the graph is live and whole.
        let exec =
            unsafe { result::graph::instantiate(self.handle, sys::CUgraphInstantiate_flags(0)) }
                .during("readying a graph")?;
        Ok(Ready { exec, graph: self })
    }
}

impl Ready {
    /// Starts it; it runs after whatever was started on the stream before.
    pub(crate) fn launch(&self) -> Result<(), CudaError> {
        // SAFETY: the graph is live, and the stream is of its context.
        unsafe { result::graph::launch(self.exec, self.graph.stream.cu_stream()) }
            .during("running a graph")
    }

    /// Kernels of one run.
    pub(crate) fn nodes(&self) -> usize {
        self.graph.functions.len()
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        let _ = self.graph.stream.synchronize();
        // SAFETY: nothing runs any more, and nobody else has the handle.
        let _ = unsafe { result::graph::exec_destroy(self.exec) };
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        // SAFETY: nobody else has the handle.
        let _ = unsafe { result::graph::destroy(self.handle) };
    }
}
