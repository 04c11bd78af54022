//! Losses, gradients and products with Hessians.

#![expect(clippy::cast_possible_truncation, reason = "parameters and logits are `f32`")]

use pulp::Arch;

use crate::curvature;
use crate::fast::{Engine, Masks, loss};
use crate::plain::Dual;
use crate::{Architecture, Network, NotSmooth, Samples, Sums};

/// Scratch of one thread, allocated once for the largest batch. It belongs to the network that made it.
#[derive(Clone, Debug)]
pub struct Workspace {
    engine: Engine,
    architecture: Architecture,
}

impl Workspace {
    /// # Panics
    /// If another network made it.
    fn engine(&mut self, network: &Network) -> &mut Engine {
        assert_eq!(self.architecture, *network.architecture(), "the workspace of this network");
        &mut self.engine
    }
}

impl Network {
    /// Scratch for batches of up to this many images.
    #[must_use]
    pub fn workspace(&self, batch: usize) -> Workspace {
        self.workspace_for(Arch::new(), batch)
    }

    /// Scratch for a set of instructions.
    pub(crate) fn workspace_for(&self, arch: Arch, batch: usize) -> Workspace {
        let architecture = self.architecture().clone();
        Workspace { engine: Engine::new(self, arch, batch), architecture }
    }

    /// The mean loss of some images, and its gradient; zeros for no images. More images than the workspace
    /// takes at once are cut into batches, whose gradients are added.
    ///
    /// `dropout` is the seed of this step's masks; without one nothing is dropped.
    ///
    /// # Panics
    /// If lengths do not fit, a label is not a class, or the workspace is another network's.
    pub fn gradient(
        &self,
        params: &[f32],
        samples: Samples<'_>,
        dropout: Option<u64>,
        workspace: &mut Workspace,
        gradient: &mut [f32],
    ) -> f64 {
        self.check(params, samples);
        assert_eq!(gradient.len(), self.dim(), "a gradient of all parameters");
        if samples.labels.is_empty() {
            gradient.fill(0.0);
            return 0.0;
        }
        let share = 1.0 / samples.labels.len() as f64;
        let engine = workspace.engine(self);
        let (mut total, mut first) = (0.0, 0);
        for part in samples.batches(engine.batch, self.input().len()) {
            let masks = dropout.map(|seed| Masks { seed, first });
            let target = (&mut *gradient, first > 0);
            total += engine.gradient(params, part, masks, share, target);
            first += part.labels.len();
        }
        share * total
    }

    /// Sums over any number of images.
    ///
    /// # Panics
    /// If lengths do not fit, a label is not a class, or the workspace is another network's.
    pub fn measure(&self, params: &[f32], samples: Samples<'_>, workspace: &mut Workspace) -> Sums {
        let mut sums = Sums::default();
        self.rows(params, samples, workspace, |loss, correct| {
            sums.loss += loss;
            sums.correct += usize::from(correct);
        });
        sums
    }

    /// Appends the loss of every image to `out`.
    ///
    /// # Panics
    /// If lengths do not fit, a label is not a class, or the workspace is another network's.
    pub fn losses(
        &self,
        params: &[f32],
        samples: Samples<'_>,
        workspace: &mut Workspace,
        out: &mut Vec<f64>,
    ) {
        self.rows(params, samples, workspace, |loss, _| out.push(loss));
    }

    /// The logits of images, one image after another.
    ///
    /// # Panics
    /// If lengths do not fit, or the workspace is another network's.
    pub fn logits(
        &self,
        params: &[f32],
        pixels: &[f32],
        workspace: &mut Workspace,
        out: &mut [f32],
    ) {
        let (numbers, engine) = (self.input().len(), workspace.engine(self));
        assert_eq!(params.len(), self.dim(), "parameters");
        assert!(pixels.len().is_multiple_of(numbers), "whole images");
        assert_eq!(pixels.len() / numbers * self.classes(), out.len(), "logits of all images");
        let mut out = out.chunks_exact_mut(self.classes());
        for pixels in pixels.chunks(engine.batch * numbers) {
            engine.logits(params, pixels, pixels.len() / numbers, |logits, _| {
                if let Some(out) = out.next() {
                    out.copy_from_slice(logits);
                }
            });
        }
    }

    /// The exact product of the Hessian of the mean loss with a direction, without dropout, in double precision: no
    /// difference of gradients. For measuring, not for training.
    ///
    /// # Panics
    /// If lengths do not fit, a label is not a class, or the workspace is another network's.
    pub fn hessian_product(
        &self,
        params: &[f32],
        samples: Samples<'_>,
        direction: &[f32],
        _workspace: &mut Workspace,
        product: &mut [f32],
    ) -> Result<(), NotSmooth> {
        self.check_smooth()?;
        self.check(params, samples);
        assert_eq!(direction.len(), self.dim(), "a direction of all parameters");
        let count = samples.labels.len().max(1) as f64;
        let along = |(value, slope): (&f32, &f32)| Dual {
            value: f64::from(*value),
            slope: f64::from(*slope),
        };
        let params: Vec<Dual> = params.iter().zip(direction).map(along).collect();
        let mut sums = vec![0.0; self.dim()];
        curvature::add_product(self, &params, samples, &mut sums);
        for (narrow, wide) in product.iter_mut().zip(sums) {
            *narrow = (wide / count) as f32;
        }
        Ok(())
    }

    fn rows(
        &self,
        params: &[f32],
        samples: Samples<'_>,
        workspace: &mut Workspace,
        mut visit: impl FnMut(f64, bool),
    ) {
        self.check(params, samples);
        let engine = workspace.engine(self);
        for part in samples.batches(engine.batch, self.input().len()) {
            let mut labels = part.labels.iter().map(|label| usize::from(*label));
            engine.logits(params, part.pixels, part.labels.len(), |logits, powers| {
                let Some(label) = labels.next() else { return };
                let first = logits.iter().position(|z| logits.iter().all(|rival| rival <= z));
                visit(loss::value(self.loss(), logits, label, powers), first == Some(label));
            });
        }
    }

    fn check(&self, params: &[f32], samples: Samples<'_>) {
        assert_eq!(params.len(), self.dim(), "parameters");
        samples.check(self.input().len(), self.classes());
    }

    /// Fails at the first layer with a kink.
    fn check_smooth(&self) -> Result<(), NotSmooth> {
        let layers = &self.architecture().layers;
        match layers.iter().position(|layer| !layer.is_smooth()) {
            Some(index) => Err(NotSmooth { index: index + 1, layer: layers[index].to_string() }),
            None => Ok(()),
        }
    }
}
