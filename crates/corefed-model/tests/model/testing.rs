//! Small federations with fixed seeds, and derivatives by finite differences.

use corefed_core::Family;
use corefed_data::{Agent, Design, Federation};
use corefed_model::ConvexLosses;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};

/// Numbers uniform in -1..1.
pub(crate) fn uniform(seed: u64, len: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..len).map(|_| (rng.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0).collect()
}

/// Columns of a synthetic federation: numbers, one indicator per entry of `levels`, and perhaps
/// an intercept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns<'a> {
    pub(crate) dense: usize,
    pub(crate) levels: &'a [usize],
    pub(crate) intercept: bool,
}

/// Agents with `samples` rows each and targets that suit the family.
pub(crate) fn federation(
    samples: &[usize],
    columns: Columns<'_>,
    family: Family,
    classes: usize,
) -> Federation {
    let rows = samples.iter().sum();
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let dim = columns.dense + columns.levels.iter().sum::<usize>() + usize::from(columns.intercept);
    let mut hot = Vec::new();
    for _ in 0..rows {
        let mut first = columns.dense;
        for &levels in columns.levels {
            hot.push(u32::try_from(first + rng.next_u32() as usize % levels).unwrap());
            first += levels;
        }
        hot.extend(columns.intercept.then(|| u32::try_from(first).unwrap()));
    }
    let hot_cols = columns.levels.len() + usize::from(columns.intercept);
    let dense = (columns.dense, uniform(8, rows * columns.dense));
    let design = Design::new(rows, dim, dense, (hot_cols, hot)).unwrap();
    let target = match family {
        Family::Linear => uniform(9, rows),
        Family::Logistic => (0..rows).map(|_| f64::from(rng.next_u32() % 2)).collect(),
        Family::Poisson => (0..rows).map(|_| f64::from(rng.next_u32() % 5)).collect(),
        Family::Softmax => {
            (0..rows).map(|_| f64::from(rng.next_u32() % u32::try_from(classes).unwrap())).collect()
        }
    };
    let exposure = uniform(10, if family.takes_exposure() { rows } else { 0 });
    let exposure = exposure.into_iter().map(|u| 1.5 + u).collect();
    Federation::new(design, target, agents(samples)).with_exposure(exposure)
}

/// Agents with consecutive rows.
pub(crate) fn agents(samples: &[usize]) -> Vec<Agent> {
    let mut next = 0;
    let mut owner = |(k, &m): (usize, &usize)| {
        next += m;
        Agent { name: k.to_string(), rows: next - m..next }
    };
    samples.iter().enumerate().map(&mut owner).collect()
}

/// The same matrix with every column stored densely.
pub(crate) fn densified(federation: &Federation) -> Federation {
    let design = federation.design();
    let dim = design.dim();
    let mut values = vec![0.0; design.rows() * dim];
    for (r, row) in values.chunks_exact_mut(dim).enumerate() {
        row[..design.dense_cols()].copy_from_slice(design.dense_rows(r..r + 1));
        for &column in design.hot_rows(r..r + 1) {
            row[column as usize] = 1.0;
        }
    }
    let dense = Design::dense(design.rows(), dim, values).unwrap();
    Federation::new(dense, federation.target().to_vec(), federation.agents().to_vec())
        .with_exposure(federation.exposure(0..design.rows()).to_vec())
}

/// Everything a model says about some members at one point.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) losses: Vec<f64>,
    pub(crate) gradients: Vec<f64>,
    /// Full, mirrored from the lower triangle.
    pub(crate) hessian: Vec<f64>,
    pub(crate) product: Vec<f64>,
}

/// Asks for all derivatives; `coefficients` weigh the members' Hessians.
pub(crate) fn ask(
    model: &impl ConvexLosses,
    (params, direction): (&[f64], &[f64]),
    members: &[usize],
    coefficients: &[f64],
) -> Answer {
    let dim = model.dim();
    // Garbage, which must be overwritten.
    let (mut losses, mut gradients) = (vec![7.0; members.len()], vec![7.0; members.len() * dim]);
    let mut product = vec![7.0; dim];
    let mut hessian = vec![0.0; dim * dim];
    model.gradients(params, members, &mut losses, &mut gradients);
    let mut alone = vec![7.0; members.len()];
    model.losses(params, members, &mut alone);
    assert_eq!(alone, losses, "losses alone differ from those beside gradients");
    model.add_hessian(params, members, coefficients, &mut hessian);
    for i in 0..dim {
        for j in i + 1..dim {
            let upper = hessian[i * dim + j];
            assert!(upper == 0.0, "the upper triangle is left alone: {upper} at {i},{j}");
            hessian[i * dim + j] = hessian[j * dim + i];
        }
    }
    model.hessian_vector(params, members, coefficients, direction, &mut product);
    Answer { losses, gradients, hessian, product }
}

/// Central differences of a vector-valued function, one row per coordinate of the point.
pub(crate) fn central_differences(
    at: &[f64],
    step: f64,
    mut value: impl FnMut(&[f64]) -> Vec<f64>,
) -> Vec<Vec<f64>> {
    let mut point = at.to_vec();
    let mut slopes = Vec::new();
    for (j, &centre) in at.iter().enumerate() {
        point[j] = centre + step;
        let above = value(&point);
        point[j] = centre - step;
        let below = value(&point);
        point[j] = centre;
        slopes.push(above.iter().zip(&below).map(|(a, b)| (a - b) / (2.0 * step)).collect());
    }
    slopes
}

/// Fails with both sides where numbers differ by more than `tolerance` (absolute, or relative
/// to numbers above one).
pub(crate) fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: lengths");
    for (k, (f, e)) in found.iter().zip(expected).enumerate() {
        let error = (f - e).abs() / e.abs().max(1.0);
        assert!(error <= tolerance, "{what}, entry {k}: {f} != {e}, off by {error}");
    }
}
