//! The same matrix, stored in different ways, has the same losses.

use corefed_core::Family;
use corefed_model::{ConvexLosses, FederationLosses};

use crate::testing::{Columns, ask, assert_close, densified, federation, uniform};

#[test]
fn indicator_columns_equal_dense_columns_of_zeros_and_ones() {
    let columns = Columns { dense: 4, levels: &[5, 3, 2], intercept: true };
    for (family, classes) in
        [(Family::Linear, 0), (Family::Logistic, 2), (Family::Softmax, 3), (Family::Poisson, 0)]
    {
        let sparse = federation(&[200, 31, 1], columns, family, classes);
        let dense = densified(&sparse);
        let sparse = FederationLosses::new(&sparse, family, classes, 0.2);
        let dense = FederationLosses::new(&dense, family, classes, 0.2);
        let (at, along) = (uniform(1, sparse.dim()), uniform(2, sparse.dim()));
        let found = ask(&sparse, (&at, &along), &[0, 1, 2], &[1.0, 2.0, 3.0]);
        let expected = ask(&dense, (&at, &along), &[0, 1, 2], &[1.0, 2.0, 3.0]);
        assert_close(&found.losses, &expected.losses, 1e-13, "losses");
        assert_close(&found.gradients, &expected.gradients, 1e-13, "gradients");
        assert_close(&found.hessian, &expected.hessian, 1e-13, "hessian");
        assert_close(&found.product, &expected.product, 1e-13, "product");
    }
}

#[test]
fn softmax_with_a_fixed_class_is_logistic() {
    // With the block of class 0 at zero, class 1 has probability sigma(x · theta).
    let columns = Columns { dense: 3, levels: &[4], intercept: true };
    let federation = federation(&[40, 12], columns, Family::Logistic, 2);
    let logistic = FederationLosses::new(&federation, Family::Logistic, 2, 0.0);
    let softmax = FederationLosses::new(&federation, Family::Softmax, 2, 0.0);
    let at = uniform(1, logistic.dim());
    let padded = [vec![0.0; at.len()], at.clone()].concat();
    let (mut found, mut expected) = ([0.0; 2], [0.0; 2]);
    softmax.losses(&padded, &[0, 1], &mut found);
    logistic.losses(&at, &[0, 1], &mut expected);
    assert_close(&found, &expected, 1e-14, "losses");
}
