//! Losses of a federation's agents, computed row by row.

use corefed_core::Family;
use corefed_data::Federation;
use pulp::Arch;
use rayon::prelude::*;

use crate::{
    ConvexLosses,
    chunks::{Chunk, chunks, parcels},
    gradient::GradientPass,
    gram::{BLOCK, GramShape, Part},
    hessian::{HessianPass, HessianScratch},
    link::Link,
    product::ProductPass,
    rows::{Rows, always_on},
};

/// Multiply-adds below which threads cost more than they save.
const SERIAL_WORK: usize = 1 << 18;

/// Bytes that concurrent partial Hessians may take together.
const PARTIAL_BYTES: usize = 256 << 20;

/// The mean loss of each agent over its rows, plus `(l2 / 2) |theta|^2`.
///
/// # Requirements
/// The losses of [`Family`]: squared error, logistic with targets 0 and 1, softmax
/// cross-entropy with labels below the number of classes. Margins up to 1e300 are safe.
///
/// # Guarantee
/// Derivatives are analytic. Equal inputs give equal bits whatever the number of threads: rows
/// are cut into fixed chunks whose sums are added in order.
///
/// # Cost
/// One pass over the members' rows per call. With `e` dense and `h` indicator entries in a row,
/// `O(e + h)` per row and class for losses, gradients and products, and `O((e + h)^2)` per row
/// and pair of classes for Hessians. No copy of the data; threads only where they pay.
///
/// # Reference
/// `Family` in `corefed-core` fixes the losses.
#[derive(Clone, Copy)]
pub struct FederationLosses<'a> {
    federation: &'a Federation,
    link: Link,
    l2: f64,
    always: Option<usize>,
}

impl<'a> FederationLosses<'a> {
    /// Losses of `family` on `federation`; `classes` matters to softmax only.
    ///
    /// # Panics
    /// If a target is no label of the family, or `l2` is negative: both are bugs of the caller.
    #[must_use]
    pub fn new(federation: &'a Federation, family: Family, classes: usize, l2: f64) -> Self {
        assert!(l2 >= 0.0, "`l2` must not be negative, but is {l2}");
        let labels = match family {
            Family::Linear => None,
            Family::Logistic => Some(2),
            Family::Softmax => Some(classes),
        };
        if let Some(labels) = labels {
            let label = |&y: &f64| y.fract() == 0.0 && (0.0..labels as f64).contains(&y);
            assert!(federation.target().iter().all(label), "targets must be labels");
        }
        let link = Link { family, blocks: family.blocks(classes) };
        Self { federation, link, l2, always: always_on(federation.design()) }
    }

    /// The agents and their rows.
    #[must_use]
    pub fn federation(&self) -> &'a Federation {
        self.federation
    }

    /// The family of the losses.
    #[must_use]
    pub fn family(&self) -> Family {
        self.link.family
    }

    /// Weight of `(l2 / 2) |theta|^2` in each loss.
    #[must_use]
    pub fn l2(&self) -> f64 {
        self.l2
    }

    fn rows(&self, chunk: &Chunk) -> Rows<'a> {
        Rows::new(self.federation.design(), self.always, chunk.rows.clone())
    }

    fn samples(&self, agent: usize) -> f64 {
        self.federation.agents()[agent].samples() as f64
    }

    /// Whether a pass with this many multiply-adds per row should use threads.
    fn is_large(&self, chunks: &[Chunk], row_work: usize) -> bool {
        let rows: usize = chunks.iter().map(|chunk| chunk.rows.len()).sum();
        rows * row_work >= SERIAL_WORK && rayon::current_num_threads() > 1
    }

    /// Non-zeros of a row.
    fn entries(&self) -> usize {
        self.federation.design().dense_cols() + self.federation.design().hot_cols()
    }

    /// The sum of losses of a chunk; its gradient is written to `gradient` unless that is empty.
    fn sum_chunk(
        &self,
        params: &[f64],
        chunk: &Chunk,
        margins: &mut [f64],
        gradient: &mut [f64],
    ) -> f64 {
        gradient.fill(0.0);
        Arch::new().dispatch(GradientPass {
            link: self.link,
            rows: self.rows(chunk),
            target: &self.federation.target()[chunk.rows.clone()],
            params,
            margins,
            gradient,
        })
    }

    /// Sums over the members' rows; `gradients` is empty where only losses are wanted.
    fn sum_members(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        let dim = if gradients.is_empty() { 0 } else { self.dim() };
        let chunks = chunks(self.federation.agents(), members);
        let new_margins = || vec![0.0; BLOCK * self.link.blocks];
        if !self.is_large(&chunks, self.entries() * self.link.blocks) {
            let (mut margins, mut part) = (new_margins(), Vec::new());
            for chunk in &chunks {
                let sum = &mut gradients[chunk.member * dim..][..dim];
                if chunk.first {
                    losses[chunk.member] = self.sum_chunk(params, chunk, &mut margins, sum);
                } else {
                    part.resize(dim, 0.0);
                    losses[chunk.member] += self.sum_chunk(params, chunk, &mut margins, &mut part);
                    add(sum, &part);
                }
            }
            return;
        }
        let mut parts = vec![0.0; chunks.len() * (dim + 1)];
        parts.par_chunks_exact_mut(dim + 1).zip(&chunks).for_each_init(
            new_margins,
            |margins, (part, chunk)| {
                let (gradient, loss) = part.split_at_mut(dim);
                loss[0] = self.sum_chunk(params, chunk, margins, gradient);
            },
        );
        for (chunk, part) in chunks.iter().zip(parts.chunks_exact(dim + 1)) {
            let sum = &mut gradients[chunk.member * dim..][..dim];
            let (part, loss) = part.split_at(dim);
            // Adding to zero would turn a negative zero positive, unlike the path above.
            if chunk.first {
                losses[chunk.member] = loss[0];
                sum.copy_from_slice(part);
            } else {
                losses[chunk.member] += loss[0];
                add(sum, part);
            }
        }
    }
}

impl ConvexLosses for FederationLosses<'_> {
    fn dim(&self) -> usize {
        self.federation.design().dim() * self.link.blocks
    }

    fn agents(&self) -> usize {
        self.federation.agents().len()
    }

    fn strong_convexity(&self) -> f64 {
        self.l2
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        self.gradients(params, members, losses, &mut []);
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        self.sum_members(params, members, losses, gradients);
        let ridge = 0.5 * self.l2 * params.iter().map(|p| p * p).sum::<f64>();
        for (loss, &agent) in losses.iter_mut().zip(members) {
            *loss = *loss / self.samples(agent) + ridge;
        }
        for (gradient, &agent) in gradients.chunks_exact_mut(params.len()).zip(members) {
            let scale = 1.0 / self.samples(agent);
            for (slope, param) in gradient.iter_mut().zip(params) {
                *slope = *slope * scale + self.l2 * param;
            }
        }
    }

    fn add_hessian(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        let (dim, cols) = (self.dim(), self.federation.design().dim());
        let shape = GramShape::new(self.federation.design(), self.always);
        let chunks = chunks(self.federation.agents(), members);
        let parcels = parcels(&chunks);
        let size = self.link.pairs() * shape.len();
        let large = self.is_large(&chunks, self.entries().pow(2) * self.link.pairs() / 2);
        let at_once = if large {
            rayon::current_num_threads().min(PARTIAL_BYTES / (8 * size.max(1))).max(1)
        } else {
            1
        };

        let sum_parcel = |parcel: &[Chunk], grams: &mut [f64], scratch: &mut HessianScratch| {
            grams.fill(0.0);
            for chunk in parcel {
                Arch::new().dispatch(HessianPass {
                    link: self.link,
                    shape,
                    rows: self.rows(chunk),
                    params,
                    factor: coefficients[chunk.member] / self.samples(members[chunk.member]),
                    scratch: &mut *scratch,
                    grams: &mut *grams,
                });
            }
        };
        let new_slot = || (vec![0.0; size], HessianScratch::new(self.link, shape));
        let mut slots: Vec<_> = (0..at_once.min(parcels.len())).map(|_| new_slot()).collect();
        // A few partial matrices at a time, added in the order of parcels, so that neither
        // memory grows with the data nor bits depend on how many there are.
        for group in parcels.chunks(at_once) {
            if let (&[parcel], [(grams, scratch), ..]) = (group, &mut slots[..]) {
                sum_parcel(parcel, grams, scratch);
            } else {
                slots.par_iter_mut().zip(group).for_each(|((grams, scratch), &parcel)| {
                    sum_parcel(parcel, grams, scratch);
                });
            }
            for (grams, _) in slots.iter().take(group.len()) {
                let pairs = (0..self.link.blocks).flat_map(|k| (0..=k).map(move |l| (k, l)));
                for ((k, l), gram) in pairs.zip(grams.chunks_exact(shape.len())) {
                    let part = if k == l { Part::Lower } else { Part::Full };
                    shape.spread(gram, part, (&mut *hessian, dim), (k * cols, l * cols));
                }
            }
        }

        let ridge = self.l2 * coefficients.iter().sum::<f64>();
        for entry in hessian.iter_mut().step_by(dim + 1) {
            *entry += ridge;
        }
    }

    fn hessian_vector(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        let chunks = chunks(self.federation.agents(), members);
        let parcels = parcels(&chunks);
        let sum_parcel = |parcel: &[Chunk], margins: &mut [f64], sum: &mut [f64]| {
            sum.fill(0.0);
            for chunk in parcel {
                Arch::new().dispatch(ProductPass {
                    link: self.link,
                    rows: self.rows(chunk),
                    params,
                    direction,
                    factor: coefficients[chunk.member] / self.samples(members[chunk.member]),
                    margins: &mut *margins,
                    product: &mut *sum,
                });
            }
        };
        let new_margins = || vec![0.0; 2 * BLOCK * self.link.blocks];
        let ridge = self.l2 * coefficients.iter().sum::<f64>();
        for (out, along) in product.iter_mut().zip(direction) {
            *out = ridge * along;
        }
        if self.is_large(&chunks, 2 * self.entries() * self.link.blocks) {
            let mut parts = vec![0.0; parcels.len() * self.dim()];
            parts
                .par_chunks_exact_mut(self.dim())
                .zip(&parcels)
                .for_each_init(new_margins, |margins, (part, parcel)| {
                    sum_parcel(parcel, margins, part)
                });
            for part in parts.chunks_exact(self.dim()) {
                add(product, part);
            }
        } else {
            let (mut margins, mut part) = (new_margins(), vec![0.0; self.dim()]);
            for parcel in parcels {
                sum_parcel(parcel, &mut margins, &mut part);
                add(product, &part);
            }
        }
    }
}

fn add(sum: &mut [f64], part: &[f64]) {
    for (sum, part) in sum.iter_mut().zip(part) {
        *sum += part;
    }
}
