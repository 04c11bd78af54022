//! Losses of a federation's agents, computed row by row.

use corefed_core::Family;
use corefed_data::Federation;

use crate::ConvexLosses;
use crate::link::Link;
use crate::rows::always_on;

/// The mean loss of each agent over its rows, plus `(l2 / 2) |theta|^2` (ledger E14).
///
/// # Requirements
/// Targets that the [`Family`] takes. Margins up to 1e300 are safe for classifiers.
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
/// [`Family`] fixes the losses.
#[derive(Clone, Copy)]
pub struct FederationLosses<'a> {
    pub(crate) federation: &'a Federation,
    pub(crate) link: Link,
    pub(crate) l2: f64,
    /// The intercept, if the design has one behind its other columns.
    pub(crate) always: Option<usize>,
}

impl<'a> FederationLosses<'a> {
    /// Losses of `family` on `federation`; `classes` matters to softmax only.
    ///
    /// # Panics
    /// If the family does not take a target or exposures that rows have, the design has no columns, or `l2` is negative:
    /// all are bugs of the caller.
    #[must_use]
    pub fn new(federation: &'a Federation, family: Family, classes: usize, l2: f64) -> Self {
        assert!(l2 >= 0.0, "`l2` must not be negative, but is {l2}");
        assert!(federation.design().dim() > 0, "a design has columns");
        let targets = family.targets();
        let known = |&y: &f64| targets.admits(y, classes);
        assert!(federation.target().iter().all(known), "targets are each {}", targets.wanted());
        let offsets = federation.offsets(0..federation.design().rows());
        assert!(offsets.is_empty() || family.takes_exposure(), "{family} takes no exposures");
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

    pub(crate) fn samples(&self, agent: usize) -> f64 {
        self.federation.agents()[agent].samples() as f64
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

    fn constant_hessians(&self) -> bool {
        self.link.family.is_quadratic()
    }

    fn nonnegative(&self) -> bool {
        self.link.family.facts().nonnegative
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
        self.sum_gradients(params, members, losses, gradients);
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
        self.sum_hessians(params, members, coefficients, hessian);
        let ridge = self.l2 * coefficients.iter().sum::<f64>();
        for entry in hessian.iter_mut().step_by(self.dim() + 1) {
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
        let ridge = self.l2 * coefficients.iter().sum::<f64>();
        for (out, along) in product.iter_mut().zip(direction) {
            *out = ridge * along;
        }
        self.sum_products((params, direction), members, coefficients, product);
    }
}
