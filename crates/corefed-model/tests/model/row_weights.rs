//! A row that counts twice is a row that is there twice.

use corefed_core::Family;
use corefed_data::{Agent, Design, Federation};
use corefed_model::{
    ConvexLosses, FederationLosses, QuadraticLosses, constant_losses, worst_losses,
};

const CLASSES: usize = 3;
const COLUMNS: usize = 5;

/// Two agents with 7 and 1500 rows, so that chunks and blocks have ends of all kinds; the second
/// gives every row as often as its weight says.
fn federations(family: Family) -> (Federation, Federation) {
    let counts: Vec<usize> = (0..1507).map(|row| 1 + row % 3).collect();
    let cell =
        |row: usize, column: usize| ((row * (column + 3) + 5 * column) % 17) as f64 / 8.0 - 1.0;
    let label = |row: usize| match family {
        Family::Linear | Family::Poisson => ((row * 7) % 11) as f64 / 4.0,
        Family::Logistic => ((row * 7) % 11 % 2) as f64,
        Family::Softmax => ((row * 7) % 11 % CLASSES) as f64,
    };
    let build = |times: &dyn Fn(usize) -> usize| {
        let rows: Vec<usize> =
            (0..counts.len()).flat_map(|row| std::iter::repeat_n(row, times(row))).collect();
        let dense = rows.iter().flat_map(|&row| (0..COLUMNS).map(move |c| cell(row, c))).collect();
        let hot = vec![u32::try_from(COLUMNS).unwrap(); rows.len()];
        let design = Design::new(rows.len(), COLUMNS + 1, (COLUMNS, dense), (1, hot)).unwrap();
        let target = rows.iter().map(|&row| label(row)).collect();
        let first = rows.iter().filter(|&&row| row < 7).count();
        let agents = vec![
            Agent { name: "small".into(), rows: 0..first },
            Agent { name: "large".into(), rows: first..rows.len() },
        ];
        Federation::new(design, target, agents)
    };
    let weighted = build(&|_| 1).with_row_weights(counts.iter().map(|&c| 2.5 * c as f64).collect());
    (weighted, build(&|row| counts[row]))
}

/// Everything a solver may ask, in one list.
fn everything(losses: &dyn ConvexLosses) -> Vec<f64> {
    let dim = losses.dim();
    let params: Vec<f64> = (0..dim).map(|k| (k % 5) as f64 / 4.0 - 0.4).collect();
    let direction: Vec<f64> = (0..dim).map(|k| (k % 3) as f64 - 0.7).collect();
    let (mut values, mut gradients) = (vec![0.0; 2], vec![0.0; 2 * dim]);
    losses.gradients(&params, &[0, 1], &mut values, &mut gradients);
    let mut hessian = vec![0.0; dim * dim];
    losses.add_hessian(&params, &[0, 1], &[0.3, 1.7], &mut hessian);
    let mut product = vec![0.0; dim];
    losses.hessian_vector(&params, &[0, 1], &[0.3, 1.7], &direction, &mut product);
    [values, gradients, hessian, product].concat()
}

#[track_caller]
fn same(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= 1e-11 * expected.abs().max(1.0), "{found} {expected}");
    }
}

#[test]
fn weights_of_rows_are_repetitions() {
    for family in Family::ALL {
        let (weighted, repeated) = federations(family);
        let [ours, theirs] =
            [&weighted, &repeated].map(|f| FederationLosses::new(f, family, CLASSES, 0.1));
        same(&everything(&ours), &everything(&theirs));
        let bounds = |model| -> Vec<f64> {
            worst_losses(model, 2.0).iter().map(|worst| worst.bound).collect()
        };
        same(&bounds(&ours), &bounds(&theirs));
        same(
            &constant_losses(&weighted, family, CLASSES),
            &constant_losses(&repeated, family, CLASSES),
        );
    }
}

#[test]
fn compressed_least_squares_knows_weights_of_rows() {
    let (weighted, repeated) = federations(Family::Linear);
    let [ours, theirs] =
        [&weighted, &repeated].map(|f| QuadraticLosses::from_least_squares(f, 0.1));
    same(&everything(&ours), &everything(&theirs));
}
