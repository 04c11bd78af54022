//! Kernels of an engine: compiled, loaded, and put into graphs.

use std::collections::hash_map::Entry;
use std::sync::PoisonError;

use cudarc::driver::CudaFunction;
use cudarc::driver::sys::CUfunction_attribute as Attribute;
use cudarc::nvrtc::Ptx;

use super::Engine;
use crate::CudaError;
use crate::cache::Cache;
use crate::compile::compile;
use crate::error::During;
use crate::graph::{Graph, Ready};
use crate::source::Source;
use crate::steps::Kernel;

impl Engine {
    pub(crate) fn graph(&self, kernels: &[Kernel], steps: usize) -> Result<Ready, CudaError> {
        let mut graph = Graph::new(&self.device.stream)?;
        let mut ends = Vec::new();
        for _ in 0..steps {
            let mut nodes: Vec<crate::graph::Node> = Vec::new();
            for kernel in kernels {
                let after: Vec<_> = kernel.after.iter().map(|before| nodes[*before]).collect();
                let after = if after.is_empty() { ends.clone() } else { after };
                let function = &self.functions[&kernel.source];
                nodes.push(graph.add(function, kernel.launch, &kernel.args, &after)?);
            }
            let awaited: Vec<usize> =
                kernels.iter().flat_map(|kernel| kernel.after.iter().copied()).collect();
            let open = nodes.iter().enumerate().filter(|(index, _)| !awaited.contains(index));
            ends = open.map(|(_, node)| *node).collect();
        }
        graph.ready()
    }

    /// Compiles what no engine of this process has needed yet.
    pub(crate) fn load<'a>(
        &mut self,
        wanted: impl Iterator<Item = (&'a Source, usize)>,
    ) -> Result<(), CudaError> {
        let mut missing: Vec<(Source, usize)> = Vec::new();
        for (source, shared) in wanted {
            let known = missing.iter().any(|(known, _)| known == source);
            if !known && !self.functions.contains_key(source) {
                missing.push((source.clone(), shared));
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        // Held while compiling: anybody who needs the same kernels waits instead of compiling them too. A
        // poisoned lock only means that another engine's thread panicked.
        let mut kernels = self.device.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let new: Vec<&(Source, usize)> =
            missing.iter().filter(|(source, _)| !kernels.contains_key(source)).collect();
        let sources: Vec<Source> = new.iter().map(|(source, _)| source.clone()).collect();
        let codes = compile(&sources, self.device.info().capability, &Cache::of_user())?;
        for ((source, shared), code) in new.into_iter().zip(codes) {
            let module = self.device.context.load_module(Ptx::from_binary(code));
            let module = module.during("loading a kernel")?;
            let function = module.load_function(source.name).during("loading a kernel")?;
            let shared = i32::try_from(*shared).unwrap_or(i32::MAX);
            let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            function.set_attribute(attribute, shared).during("asking for shared memory")?;
            kernels.insert(source.clone(), function);
        }
        for (source, _) in missing {
            let function = kernels[&source].clone();
            self.functions.insert(source, function);
        }
        Ok(())
    }

    /// A kernel without sizes.
    pub(crate) fn plain(&mut self, name: &'static str) -> Result<CudaFunction, CudaError> {
        let source = Source::plain(name);
        self.load([(&source, 0)].into_iter())?;
        match self.functions.entry(source) {
            Entry::Occupied(entry) => Ok(entry.get().clone()),
            Entry::Vacant(_) => unreachable!("just loaded"),
        }
    }
}
