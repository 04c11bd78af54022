//! Quadratic losses: for each agent `d' A d - 2 b' d + c`, with `d` the distance from a point of its own.
//!
//! Least squares sees the data only through sums over rows. Summed up once, they make every later
//! evaluation cost `O(dim^2)` whatever the number of rows. Each loss is kept about the agent's own
//! fit, where nothing cancels.

use corefed_data::Federation;
use rayon::prelude::*;

use crate::{
    ConvexLosses, Quadratic,
    about_zero::least_squares_about_zero,
    fit::{common_fit, fitted},
    ordered_sums::SERIAL_WORK,
    rows::always_on,
};

/// A loss in the distance from a reference point.
#[derive(Clone, Debug, PartialEq)]
struct Centred {
    reference: Vec<f64>,
    form: Quadratic,
}

/// Agents with quadratic losses that are nowhere negative.
#[derive(Clone, Debug, PartialEq)]
pub struct QuadraticLosses {
    dim: usize,
    agents: Vec<Centred>,
    strong_convexity: f64,
}

impl QuadraticLosses {
    /// Losses given by their coefficients; `strong_convexity` is a modulus common to all, at
    /// most twice the smallest eigenvalue of any `A`.
    ///
    /// ```
    /// use corefed_model::{ConvexLosses, Quadratic, QuadraticLosses};
    ///
    /// // theta' A theta - 2 b' theta + c: here t^2 and (t - 1)^2.
    /// let parabola = |at| Quadratic { matrix: vec![1.0], linear: vec![at], constant: at * at };
    /// let model = QuadraticLosses::new(1, vec![parabola(0.0), parabola(1.0)], 2.0);
    /// let mut losses = [0.0; 2];
    /// model.losses(&[3.0], &[0, 1], &mut losses);
    /// assert_eq!(losses, [9.0, 4.0]);
    /// ```
    ///
    /// # Panics
    /// If lengths disagree with `dim` or a matrix is not symmetric: both are bugs of the caller.
    #[must_use]
    pub fn new(dim: usize, agents: Vec<Quadratic>, strong_convexity: f64) -> Self {
        for Quadratic { matrix, linear, .. } in &agents {
            assert_eq!(matrix.len(), dim * dim, "a matrix has dim * dim entries");
            assert_eq!(linear.len(), dim, "a linear part has dim entries");
            let mirrored = |k: usize| matrix[k % dim * dim + k / dim].to_bits();
            let symmetric = (0..matrix.len()).all(|k| matrix[k].to_bits() == mirrored(k));
            assert!(symmetric, "matrices are symmetric");
        }
        let about_zero = |form| Centred { reference: vec![0.0; dim], form };
        Self { dim, agents: agents.into_iter().map(about_zero).collect(), strong_convexity }
    }

    /// Compresses least squares with ridge `l2` to its Gram matrices.
    ///
    /// # Requirements
    /// Targets are numbers; any design.
    ///
    /// # Guarantee
    /// The losses of [`crate::FederationLosses`], with rounding errors relative to the loss itself, not to
    /// the targets: each is kept about the agent's own fit (see the module `fit`).
    ///
    /// # Cost
    /// `O(rows * dim^2)` once for dense designs and a few passes over the rows, then `O(dim^2)` per
    /// agent and evaluation; `dim^2` numbers per agent.
    ///
    /// # Reference
    /// The normal equations of least squares, with residuals in twofold precision (Ogita, Rump,
    /// Oishi 2005).
    #[must_use]
    pub fn from_least_squares(federation: &Federation, l2: f64) -> Self {
        let always = always_on(federation.design());
        let forms = least_squares_about_zero(federation, l2);
        let start = common_fit(&forms, federation.design().dim());
        let centre = |(form, agent)| {
            let (reference, form) = fitted(federation, always, agent, l2, form, &start);
            Centred { reference, form }
        };
        let agents = forms.into_par_iter().zip(federation.agents()).map(centre).collect();
        Self { dim: federation.design().dim(), agents, strong_convexity: l2 }
    }

    /// Writes a member's loss, and its gradient unless that is empty.
    fn evaluate(&self, params: &[f64], member: usize, loss: &mut f64, gradient: &mut [f64]) {
        let Centred { reference, form } = &self.agents[member];
        let distance: Vec<f64> = params.iter().zip(reference).map(|(p, r)| p - r).collect();
        let product = form.matrix_times(&distance);
        *loss = form.value(&distance, &product);
        for ((slope, p), b) in gradient.iter_mut().zip(&product).zip(&form.linear) {
            *slope = 2.0 * (p - b);
        }
    }

    /// Whether threads pay.
    fn is_large(&self, members: &[usize]) -> bool {
        members.len() > 1
            && members.len() * self.dim * self.dim >= SERIAL_WORK
            && rayon::current_num_threads() > 1
    }
}

impl ConvexLosses for QuadraticLosses {
    fn dim(&self) -> usize {
        self.dim
    }

    fn agents(&self) -> usize {
        self.agents.len()
    }

    fn strong_convexity(&self) -> f64 {
        self.strong_convexity
    }

    fn constant_hessians(&self) -> bool {
        true
    }

    fn nonnegative(&self) -> bool {
        true
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        let evaluate = |(&member, loss)| self.evaluate(params, member, loss, &mut []);
        if self.is_large(members) {
            members.par_iter().zip(losses).for_each(evaluate);
        } else {
            members.iter().zip(losses).for_each(evaluate);
        }
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        let evaluate = |((&member, loss), gradient)| self.evaluate(params, member, loss, gradient);
        if self.is_large(members) {
            let gradients = gradients.par_chunks_exact_mut(self.dim);
            members.par_iter().zip(losses).zip(gradients).for_each(evaluate);
        } else {
            let gradients = gradients.chunks_exact_mut(self.dim);
            members.iter().zip(losses).zip(gradients).for_each(evaluate);
        }
    }

    fn add_hessian(
        &self,
        _params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        for (&member, coefficient) in members.iter().zip(coefficients) {
            let rows = self.agents[member].form.matrix.chunks_exact(self.dim);
            for (i, (out, row)) in hessian.chunks_exact_mut(self.dim).zip(rows).enumerate() {
                for (entry, value) in out[..=i].iter_mut().zip(row) {
                    *entry += 2.0 * coefficient * value;
                }
            }
        }
    }

    fn hessian_vector(
        &self,
        _params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        product.fill(0.0);
        for (&member, coefficient) in members.iter().zip(coefficients) {
            let times = self.agents[member].form.matrix_times(direction);
            for (out, value) in product.iter_mut().zip(&times) {
                *out += 2.0 * coefficient * value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parabolas_have_their_closed_forms() {
        // t^2 and (t - 1)^2 at t = 3: losses 9 and 4, slopes 6 and 4, curvature 2.
        let parabola = |at: f64| Quadratic { matrix: vec![1.0], linear: vec![at], constant: at };
        let model = QuadraticLosses::new(1, vec![parabola(0.0), parabola(1.0)], 2.0);
        let (mut losses, mut slopes) = ([0.0; 2], [0.0; 2]);
        model.gradients(&[3.0], &[0, 1], &mut losses, &mut slopes);
        assert_eq!((losses, slopes), ([9.0, 4.0], [6.0, 4.0]));
        let (mut hessian, mut product) = ([1.0], [7.0]);
        model.add_hessian(&[3.0], &[0, 1], &[1.0, 3.0], &mut hessian);
        model.hessian_vector(&[3.0], &[0, 1], &[1.0, 3.0], &[5.0], &mut product);
        assert_eq!((hessian, product), ([9.0], [40.0]));
    }
}
