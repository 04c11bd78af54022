//! Least squares compressed to Gram matrices is the same least squares.

use corefed_core::Family;
use corefed_model::{ConvexLosses, FederationLosses, QuadraticLosses};

use crate::testing::{Columns, ask, assert_close, federation, uniform};

#[test]
fn gram_matrices_give_the_losses_of_the_rows() {
    for columns in [
        Columns { dense: 11, levels: &[], intercept: false },
        Columns { dense: 3, levels: &[4, 2], intercept: true },
    ] {
        let federation = federation(&[1, 1500, 37], columns, Family::Linear, 0);
        for l2 in [0.0, 0.4] {
            let rows = FederationLosses::new(&federation, Family::Linear, 0, l2);
            let gram = QuadraticLosses::from_least_squares(&federation, l2);
            assert_eq!((gram.dim(), gram.agents()), (rows.dim(), rows.agents()));
            assert_eq!(gram.strong_convexity().to_bits(), l2.to_bits());
            let (at, along) = (uniform(1, rows.dim()), uniform(2, rows.dim()));
            for members in [vec![0, 1, 2], vec![2]] {
                let coefficients = &[1.0, 2.0, 3.0][..members.len()];
                let found = ask(&gram, (&at, &along), &members, coefficients);
                let expected = ask(&rows, (&at, &along), &members, coefficients);
                assert_close(&found.losses, &expected.losses, 1e-13, "losses");
                assert_close(&found.gradients, &expected.gradients, 1e-13, "gradients");
                assert_close(&found.hessian, &expected.hessian, 1e-13, "hessian");
                assert_close(&found.product, &expected.product, 1e-13, "product");
            }
        }
    }
}
