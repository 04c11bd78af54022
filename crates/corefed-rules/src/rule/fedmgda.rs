//! FedMGDA+: the shortest convex combination of normalised updates, a direction that is good for
//! everybody (Hu, Shaloudegi, Zhang, Yu, *Federated Learning Meets Multi-objective Optimization*,
//! IEEE TNSE 2022, arXiv 2006.11489).

use corefed_core::Range;

use super::directions::Directions;
use super::{Knob, KnobValues, Length, Member, Products, RuleInfo, SteadiedBy, Weighing};
use crate::{Rule, min_norm_weights};

pub(crate) const INFO: RuleInfo = RuleInfo {
    about: "The shortest convex combination of normalised updates.",
    needs_gram: true,
    needs_each: Some("everybody's update, of which it seeks the shortest combination"),
    // Weights follow from the very updates that a correction would change.
    steadied: SteadiedBy::Nothing,
    knobs: &[Knob {
        name: "spread",
        takes: KnobValues::Numbers(Range::CHANCE),
        about: "How far multipliers may lie from equal ones (the paper's epsilon); one means no limit.",
    }],
    ..RuleInfo::new("fedmgda", "FedMGDA+", Rule::Fedmgda { epsilon: 1.0 })
};

/// Nobody's loss matters: pulls are one until the Gram matrix is known (ledger E31).
pub(crate) fn equal_pulls(members: &[Member]) -> Weighing {
    Weighing { length: Length::Gram, ..Weighing::normalised(vec![1.0; members.len()]) }
}

/// Coefficients of the updates in `mean |D| sum_s lambda_s D_s/|D_s|` (ledger E31).
/// The paper leaves the length to the server's step size.
pub(crate) fn common_descent(products: &Products<'_>, epsilon: f64) -> Vec<f64> {
    let directions = Directions::of(products);
    let weights = min_norm_weights(&directions.cosines, epsilon);
    directions.coefficients(directions.mean_length(products), &weights)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::close;

    fn common_descent(norms: &[f64], gram: &[f64], epsilon: f64) -> Vec<f64> {
        let pulls = vec![1.0; norms.len()];
        super::common_descent(&Products { pulls: &pulls, norms, gram }, epsilon)
    }

    #[test]
    fn orthogonal_updates_share_equally_whatever_their_length() {
        // D = (3, 0), (0, 1): normalised they are the axes, lambda = (1/2, 1/2), mean norm 2,
        // so coefficients 2*0.5/3 and 2*0.5/1.
        let coefficients = common_descent(&[3.0, 1.0], &[9.0, 0.0, 0.0, 1.0], 1.0);
        close(coefficients[0], 1.0 / 3.0);
        close(coefficients[1], 1.0);
    }

    #[test]
    fn the_combination_helps_everybody() {
        // d_1 = (1, 0), d_2 = d_3 = (0, 1): the shortest combination has 1/2 on the first and 1/4
        // on each of the others, where FedAvg would favour the pair.
        let gram = [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let coefficients = common_descent(&[1.0; 3], &gram, 1.0);
        for (coefficient, expected) in coefficients.iter().zip([0.5, 0.25, 0.25]) {
            assert!((coefficient - expected).abs() < 1e-9, "{coefficients:?}");
        }
        // Held within 0.1 of 1/3: 13/30 and 17/60 each.
        let near = common_descent(&[1.0; 3], &gram, 0.1);
        for (coefficient, expected) in near.iter().zip([13.0 / 30.0, 17.0 / 60.0, 17.0 / 60.0]) {
            assert!((coefficient - expected).abs() < 1e-9, "{near:?}");
        }
    }

    #[test]
    fn agents_that_did_not_move_are_left_out() {
        let coefficients = common_descent(&[0.0, 2.0], &[0.0, 0.0, 0.0, 4.0], 1.0);
        assert_eq!(coefficients, [0.0, 1.0]);
        assert_eq!(common_descent(&[0.0; 2], &[0.0; 4], 1.0), [0.0, 0.0]);
        // Of no length to speak of beside the other's.
        let tiny = common_descent(&[1e-30, 1.0], &[1e-60, 0.0, 0.0, 1.0], 1.0);
        assert_eq!(tiny, [0.0, 1.0]);
    }

    #[test]
    fn clipping_shortens_the_step_only() {
        let gram = [9.0, 0.0, 0.0, 1.0];
        let free = common_descent(&[3.0, 1.0], &gram, 1.0);
        let clipped = common_descent(&[1.0, 1.0], &gram, 1.0);
        for (free, clipped) in free.iter().zip(clipped) {
            close(free / 2.0, clipped);
        }
    }
}
