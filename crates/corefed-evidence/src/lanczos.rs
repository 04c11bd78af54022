//! Both ends of the spectrum of a symmetric operator that is only known by its products.
//!
//! Lanczos' method builds an orthonormal basis of `v, Av, A^2 v, ...` in which the operator is
//! tridiagonal. The eigenvalues of that small matrix, the Ritz values, reach for both ends first.
//! Every Ritz value has a residual within which an eigenvalue lies; that no eigenvalue lies
//! further out is not known, so what leaves here is an [`Estimate`] (ledger E41).

use corefed_core::linalg::{axpy, dot, norm_l2};
use corefed_core::{Seed, uniform};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::tridiagonal::eigen;

/// How far to go, and with how much memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanczos {
    /// Products with the operator, at least one; never more than dimensions.
    pub steps: usize,
    /// Bytes that the basis may take. Where they suffice for all steps the basis is kept and every
    /// new vector is made orthogonal to it; otherwise three vectors are kept.
    pub memory_bytes: usize,
    /// Draws the first vector.
    pub seed: Seed,
}

/// An extreme eigenvalue, computed without a proof that it is the extreme one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Estimate {
    /// Its value.
    pub value: f64,
    /// Some eigenvalue lies within this distance; a more extreme one may exist further away.
    pub residual: f64,
    /// How it was computed, as a sentence.
    pub method: String,
}

/// Ritz values and how they were found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spectrum {
    /// Ascending.
    pub ritz: Vec<Ritz>,
    /// What became of orthogonality.
    pub orthogonality: Orthogonality,
    /// Whether the vectors ran out before the steps did: the basis spans an invariant subspace,
    /// and the Ritz values are eigenvalues up to rounding. All of them, unless the first vector
    /// happened to miss some.
    pub invariant: bool,
}

/// An approximate eigenvalue.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ritz {
    /// Its value.
    pub value: f64,
    /// `|beta_k s_k|`: an eigenvalue lies at most this far away.
    pub residual: f64,
}

/// How well the basis stays orthogonal in floating point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orthogonality {
    /// Every vector was made orthogonal to all before it, twice.
    Full,
    /// Only to its two neighbours, for lack of memory: eigenvalues that were found may be found
    /// again, the ends stay good.
    Neighbours,
}

/// Why there are no Ritz values.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LanczosError {
    /// Nothing to do.
    #[error("Lanczos' method needs at least one dimension and one step")]
    Empty,
    /// The operator returned something that is not a number.
    #[error("product {step} with the operator is not finite; check the model for overflow")]
    NotFinite {
        /// Which product, from zero.
        step: usize,
    },
}

impl Lanczos {
    /// Runs on an operator that writes `A x` into its second argument (ledger E41).
    ///
    /// Requirements: `A` is symmetric. Cost: `steps` products and, with the whole basis,
    /// `2 steps^2 dim` multiplications.
    pub fn run(
        &self,
        dim: usize,
        operator: &mut dyn FnMut(&[f64], &mut [f64]),
    ) -> Result<Spectrum, LanczosError> {
        let steps = self.steps.min(dim);
        if steps == 0 {
            return Err(LanczosError::Empty);
        }
        let bytes = (steps + 2).saturating_mul(dim).saturating_mul(size_of::<f64>());
        let full = bytes <= self.memory_bytes;
        let mut basis = vec![self.first(dim)];
        let mut diagonal: Vec<f64> = Vec::with_capacity(steps);
        let mut below: Vec<f64> = Vec::with_capacity(steps);
        let mut product = vec![0.0; dim];
        let mut scale = 0.0_f64;
        for step in 0..steps {
            let last = basis.len() - 1;
            operator(&basis[last], &mut product);
            let alpha = dot(&basis[last], &product);
            axpy(-alpha, &basis[last], &mut product);
            if let (Some(&beta), true) = (below.last(), last > 0) {
                axpy(-beta, &basis[last - 1], &mut product);
            }
            if full {
                for vector in basis.iter().chain(&basis) {
                    let overlap = dot(vector, &product);
                    axpy(-overlap, vector, &mut product);
                }
            }
            let beta = norm_l2(&product);
            if !(alpha.is_finite() && beta.is_finite()) {
                return Err(LanczosError::NotFinite { step });
            }
            diagonal.push(alpha);
            below.push(beta);
            scale = scale.max(alpha.abs()).max(beta);
            // What is left is rounding: there is no further direction.
            if beta <= 100.0 * f64::EPSILON * scale {
                return Ok(spectrum(&diagonal, &below, scale, full, true));
            }
            if step + 1 < steps {
                let next = product.iter().map(|x| x / beta).collect();
                if !full && basis.len() == 2 {
                    basis.remove(0);
                }
                basis.push(next);
            }
        }
        Ok(spectrum(&diagonal, &below, scale, full, false))
    }

    fn first(&self, dim: usize) -> Vec<f64> {
        let mut rng = self.seed.derive("lanczos").rng();
        let mut vector: Vec<f64> = (0..dim).map(|_| uniform(&mut rng) - 0.5).collect();
        let norm = norm_l2(&vector);
        if norm > 0.0 {
            for x in &mut vector {
                *x /= norm;
            }
        } else {
            vector[0] = 1.0;
        }
        vector
    }
}

fn spectrum(diagonal: &[f64], below: &[f64], scale: f64, full: bool, invariant: bool) -> Spectrum {
    let (inner, outer) = below.split_at(diagonal.len() - 1);
    // Products and sums round; a residual below that would promise too much.
    let least = f64::EPSILON * scale * diagonal.len() as f64;
    let ritz = eigen(diagonal, inner)
        .into_iter()
        .map(|(value, last)| Ritz { value, residual: (outer[0] * last).abs().max(least) });
    let orthogonality = if full { Orthogonality::Full } else { Orthogonality::Neighbours };
    Spectrum { ritz: ritz.collect(), orthogonality, invariant }
}

impl Spectrum {
    /// The smallest Ritz value: never below the smallest eigenvalue, up to rounding, and perhaps
    /// above it.
    #[must_use]
    pub fn smallest(&self) -> Estimate {
        self.estimate(self.ritz[0])
    }

    /// The largest Ritz value: never above the largest eigenvalue, up to rounding, and perhaps
    /// below it.
    #[must_use]
    pub fn largest(&self) -> Estimate {
        self.estimate(self.ritz[self.ritz.len() - 1])
    }

    /// How far a loss with this Hessian curves down and up, `max(0, -lambda_min)` and
    /// `max(0, lambda_max)`: estimates for [`crate::Curvature`], with residuals on the cautious
    /// side.
    #[must_use]
    pub fn curvatures(&self) -> (f64, f64) {
        let (smallest, largest) = (self.smallest(), self.largest());
        let down = (smallest.residual - smallest.value).max(0.0);
        (down, (largest.value + largest.residual).max(0.0))
    }

    fn estimate(&self, Ritz { value, residual }: Ritz) -> Estimate {
        let kept = match self.orthogonality {
            Orthogonality::Full => "whole basis kept",
            Orthogonality::Neighbours => "three vectors kept",
        };
        let method = format!("Lanczos, {} steps, {kept}", self.ritz.len());
        Estimate { value, residual, method }
    }
}
