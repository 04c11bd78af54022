//! Sums over the members' rows: chunk by chunk, on threads or not, always in the same order.

use pulp::Arch;
use rayon::prelude::*;

use crate::{
    ConvexLosses, FederationLosses,
    chunks::{Chunk, chunks, parcels},
    gradient::GradientPass,
    gram::{BLOCK, GramShape, Part},
    hessian::{HessianPass, HessianScratch},
    product::ProductPass,
    rows::Rows,
};

/// Multiply-adds below which threads cost more than they save.
pub(crate) const SERIAL_WORK: usize = 1 << 18;

/// Bytes that concurrent partial Hessians may take together.
const PARTIAL_BYTES: usize = 256 << 20;

impl<'a> FederationLosses<'a> {
    /// Sums of losses and gradients over each member's rows; `gradients` is empty where only
    /// losses are wanted.
    pub(crate) fn sum_gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        let dim = if gradients.is_empty() { 0 } else { self.dim() };
        let chunks = chunks(self.federation.agents(), members);
        let new_margins = || vec![0.0; BLOCK * self.link.blocks];
        let sum_chunk = |chunk: &Chunk, margins: &mut [f64], gradient: &mut [f64]| {
            gradient.fill(0.0);
            Arch::new().dispatch(GradientPass {
                link: self.link,
                rows: self.rows(chunk),
                target: &self.federation.target()[chunk.rows.clone()],
                params,
                margins,
                gradient,
            })
        };
        if !is_large(&chunks, self.entries() * self.link.blocks) {
            let (mut margins, mut part) = (new_margins(), Vec::new());
            for chunk in &chunks {
                let sum = &mut gradients[chunk.member * dim..][..dim];
                if chunk.first {
                    losses[chunk.member] = sum_chunk(chunk, &mut margins, sum);
                } else {
                    part.resize(dim, 0.0);
                    losses[chunk.member] += sum_chunk(chunk, &mut margins, &mut part);
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
                loss[0] = sum_chunk(chunk, margins, gradient);
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

    /// Adds the weighted sum of the members' Hessians, without ridge, to the lower triangle.
    pub(crate) fn sum_hessians(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        let shape = GramShape::new(self.federation.design(), self.always);
        let size = self.link.pairs() * shape.len();
        let chunks = chunks(self.federation.agents(), members);
        let parcels = parcels(&chunks);
        let sum_parcel = |parcel: &[Chunk], grams: &mut [f64], scratch: &mut HessianScratch| {
            grams.fill(0.0);
            for chunk in parcel {
                Arch::new().dispatch(HessianPass {
                    link: self.link,
                    shape,
                    rows: self.rows(chunk),
                    params,
                    factor: coefficients[chunk.member] / self.samples(members[chunk.member]),
                    scratch,
                    grams,
                });
            }
        };
        let at_once = if is_large(&chunks, self.entries().pow(2) * self.link.pairs() / 2) {
            let affordable = PARTIAL_BYTES / (8 * size);
            affordable.clamp(1, rayon::current_num_threads()).min(parcels.len())
        } else {
            1
        };
        let new_slot = |_| (vec![0.0; size], HessianScratch::new(self.link, shape));
        let mut slots: Vec<_> = (0..at_once).map(new_slot).collect();
        // A few partial matrices at a time, so that memory does not grow with the data; how
        // many makes no difference to the order in which they are added.
        for group in parcels.chunks(at_once) {
            if let ([parcel], [(grams, scratch), ..]) = (group, &mut slots[..]) {
                sum_parcel(parcel, grams, scratch);
            } else {
                slots.par_iter_mut().zip(group).for_each(|((grams, scratch), parcel)| {
                    sum_parcel(parcel, grams, scratch);
                });
            }
            for (grams, _) in slots.iter().take(group.len()) {
                self.spread(shape, grams, hessian);
            }
        }
    }

    /// Adds the Gram matrices of all pairs of classes to their blocks of the Hessian.
    fn spread(&self, shape: GramShape, grams: &[f64], hessian: &mut [f64]) {
        let cols = self.federation.design().dim();
        let pairs = (0..self.link.blocks).flat_map(|k| (0..=k).map(move |l| (k, l)));
        for ((k, l), gram) in pairs.zip(grams.chunks_exact(shape.len())) {
            let part = if k == l { Part::Lower } else { Part::Full };
            shape.spread(gram, part, (&mut *hessian, self.dim()), (k * cols, l * cols));
        }
    }

    /// Adds the weighted sum of the members' Hessians, without ridge, times the direction.
    pub(crate) fn sum_products(
        &self,
        (params, direction): (&[f64], &[f64]),
        members: &[usize],
        coefficients: &[f64],
        product: &mut [f64],
    ) {
        let dim = self.dim();
        let chunks = chunks(self.federation.agents(), members);
        let parcels = parcels(&chunks);
        let sum_parcel = |parcel: &[Chunk], margins: &mut [f64], product: &mut [f64]| {
            product.fill(0.0);
            for chunk in parcel {
                Arch::new().dispatch(ProductPass {
                    link: self.link,
                    rows: self.rows(chunk),
                    params,
                    direction,
                    factor: coefficients[chunk.member] / self.samples(members[chunk.member]),
                    margins,
                    product,
                });
            }
        };
        let new_margins = || vec![0.0; 2 * BLOCK * self.link.blocks];
        if is_large(&chunks, 2 * self.entries() * self.link.blocks) {
            let mut parts = vec![0.0; parcels.len() * dim];
            parts.par_chunks_exact_mut(dim).zip(&parcels).for_each_init(
                new_margins,
                |margins, (part, parcel)| {
                    sum_parcel(parcel, margins, part);
                },
            );
            for part in parts.chunks_exact(dim) {
                add(product, part);
            }
        } else {
            let (mut margins, mut part) = (new_margins(), vec![0.0; dim]);
            for parcel in parcels {
                sum_parcel(parcel, &mut margins, &mut part);
                add(product, &part);
            }
        }
    }

    fn rows(&self, chunk: &Chunk) -> Rows<'a> {
        Rows::new(self.federation.design(), self.always, chunk.rows.clone())
            .weighted(self.federation.row_weights(chunk.rows.clone()))
            .offset(self.federation.offsets(chunk.rows.clone()))
    }

    /// Non-zeros of a row.
    fn entries(&self) -> usize {
        self.federation.design().dense_cols() + self.federation.design().hot_cols()
    }
}

/// Whether threads pay for a pass with this many multiply-adds per row.
fn is_large(chunks: &[Chunk], row_work: usize) -> bool {
    let rows: usize = chunks.iter().map(|chunk| chunk.rows.len()).sum();
    chunks.len() > 1 && rows * row_work >= SERIAL_WORK && rayon::current_num_threads() > 1
}

fn add(sum: &mut [f64], part: &[f64]) {
    for (sum, part) in sum.iter_mut().zip(part) {
        *sum += part;
    }
}
