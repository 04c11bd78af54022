//! What a solver may ask of a federation: every agent's convex loss and its derivatives.

/// Mean losses of agents that share one parameter vector, each convex.
///
/// `members` picks agents by index, ascending. Equal inputs give equal bits, whatever the number
/// of threads. Outputs are overwritten unless a method says that it adds.
pub trait ConvexLosses: Sync {
    /// Length of the parameter vector.
    fn dim(&self) -> usize;

    /// Number of agents.
    fn agents(&self) -> usize;

    /// A modulus `mu >= 0` of strong convexity common to all losses.
    fn strong_convexity(&self) -> f64;

    /// Whether Hessians are the same everywhere, as those of quadratics are.
    fn constant_hessians(&self) -> bool {
        false
    }

    /// Whether no loss is ever negative: without it, zero is not the best that a loss can be, and
    /// headroom (ledger E8) proves nothing.
    fn nonnegative(&self) -> bool {
        false
    }

    /// Losses of `members` at `params`, one each.
    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]);

    /// Losses and gradients of `members`; row `k` of `gradients` (`dim` long) belongs to
    /// `members[k]`.
    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    );

    /// Adds `sum_k coefficients[k] * Hessian(members[k])` to the lower triangle (diagonal
    /// included) of the row-major `dim x dim` matrix `hessian`; the rest is left alone.
    fn add_hessian(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    );

    /// `sum_k coefficients[k] * Hessian(members[k]) * direction`.
    fn hessian_vector(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    );
}
