//! The losses of some agents, as if the others did not exist.

use crate::ConvexLosses;

/// The federation of a coalition: its member `k` is agent `members[k]` of the whole. Nothing is copied.
#[derive(Clone, Copy)]
pub struct CoalitionLosses<'a> {
    losses: &'a dyn ConvexLosses,
    members: &'a [usize],
}

impl<'a> CoalitionLosses<'a> {
    /// Takes the members by index, ascending.
    ///
    /// # Panics
    /// If they do not ascend or are not among the agents: a bug of the caller.
    #[must_use]
    pub fn new(losses: &'a dyn ConvexLosses, members: &'a [usize]) -> Self {
        assert!(members.is_sorted_by(|a, b| a < b), "members ascend");
        assert!(members.last().is_none_or(|last| *last < losses.agents()), "members are agents");
        Self { losses, members }
    }

    fn whole(&self, members: &[usize]) -> Vec<usize> {
        members.iter().map(|&member| self.members[member]).collect()
    }
}

impl ConvexLosses for CoalitionLosses<'_> {
    fn dim(&self) -> usize {
        self.losses.dim()
    }

    fn agents(&self) -> usize {
        self.members.len()
    }

    fn strong_convexity(&self) -> f64 {
        self.losses.strong_convexity()
    }

    fn constant_hessians(&self) -> bool {
        self.losses.constant_hessians()
    }

    fn nonnegative(&self) -> bool {
        self.losses.nonnegative()
    }

    fn losses(&self, params: &[f64], members: &[usize], losses: &mut [f64]) {
        self.losses.losses(params, &self.whole(members), losses);
    }

    fn gradients(
        &self,
        params: &[f64],
        members: &[usize],
        losses: &mut [f64],
        gradients: &mut [f64],
    ) {
        self.losses.gradients(params, &self.whole(members), losses, gradients);
    }

    fn add_hessian(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        hessian: &mut [f64],
    ) {
        self.losses.add_hessian(params, &self.whole(members), coefficients, hessian);
    }

    fn hessian_vector(
        &self,
        params: &[f64],
        members: &[usize],
        coefficients: &[f64],
        direction: &[f64],
        product: &mut [f64],
    ) {
        let whole = self.whole(members);
        self.losses.hessian_vector(params, &whole, coefficients, direction, product);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Quadratic, QuadraticLosses};

    #[test]
    fn members_keep_their_losses_and_derivatives() {
        // (t - k)^2 for k = 0, 1, 2.
        let parabola =
            |at: f64| Quadratic { matrix: vec![1.0], linear: vec![at], constant: at * at };
        let all = QuadraticLosses::new(1, [0.0, 1.0, 2.0].map(parabola).to_vec(), 2.0);
        let some = CoalitionLosses::new(&all, &[0, 2]);
        assert_eq!((some.agents(), some.dim()), (2, 1));
        let (mut losses, mut gradients) = ([0.0; 2], [0.0; 2]);
        some.gradients(&[0.5], &[0, 1], &mut losses, &mut gradients);
        assert!((losses[0] - 0.25).abs() < 1e-15 && (losses[1] - 2.25).abs() < 1e-15, "{losses:?}");
        assert_eq!(gradients, [1.0, -3.0]);
        some.losses(&[0.5], &[1], &mut losses[..1]);
        assert!((losses[0] - 2.25).abs() < 1e-15);
        let mut hessian = [0.0];
        some.add_hessian(&[0.5], &[0, 1], &[1.0, 10.0], &mut hessian);
        assert_eq!(hessian, [22.0]);
    }
}
