//! Our dense routines beside faer's: Gram matrices, Cholesky factors, the largest value on a ball.
//!
//! One thread each, alternating; the least of this many repetitions.

use std::hint::black_box;
use std::time::{Duration, Instant};

use corefed_core::Family;
use corefed_data::{Agent, Design, Federation};
use corefed_model::{Cholesky, ConvexLosses, FederationLosses, Quadratic, maximum_on_ball};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatMut, MatRef, Par, Spec, diag::Diag};

/// Numbers in [-1, 1) that are the same in every run.
fn numbers(count: usize) -> Vec<f64> {
    let mut state = 1_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Least times of both, called in turns for at least a second.
fn least(mut ours: impl FnMut(), mut theirs: impl FnMut()) -> [Duration; 2] {
    let (begin, mut least) = (Instant::now(), [Duration::MAX; 2]);
    let mut rounds = 0;
    while rounds < 3 || begin.elapsed() < Duration::from_secs(1) {
        for (least, run) in least.iter_mut().zip([&mut ours as &mut dyn FnMut(), &mut theirs]) {
            let start = Instant::now();
            run();
            *least = start.elapsed().min(*least);
        }
        rounds += 1;
    }
    least
}

fn line(what: &str, size: &str, [ours, theirs]: [Duration; 2]) {
    let [ours, theirs] = [ours, theirs].map(|time| time.as_secs_f64() * 1e6);
    println!("| {what} | {size} | {ours:.1} | {theirs:.1} | {:.2} |", theirs / ours);
}

/// A positive definite matrix, row-major.
fn definite(dim: usize) -> Vec<f64> {
    let mut matrix = vec![0.0; dim * dim];
    let values = numbers(dim * dim);
    let x = MatRef::from_row_major_slice(&values, dim, dim);
    let out = MatMut::from_row_major_slice_mut(&mut matrix, dim, dim);
    faer::linalg::matmul::matmul(out, Accum::Replace, x, x.transpose(), 1.0, Par::Seq);
    (0..dim).for_each(|k| matrix[k * dim + k] += 1.0);
    matrix
}

fn factor(dim: usize) {
    let matrix = definite(dim);
    let rhs = numbers(dim);
    let ours = || {
        let mut x = rhs.clone();
        Cholesky::new(&matrix, dim, |a| a).expect("definite").solve(&mut x);
        black_box(x);
    };
    let theirs = || {
        let (mut x, mut factor) = (rhs.clone(), matrix.clone());
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(dim, Par::Seq, Spec::default());
        llt::factor::cholesky_in_place(
            MatMut::from_column_major_slice_mut(&mut factor, dim, dim),
            llt::factor::LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut MemBuffer::new(scratch)),
            Spec::default(),
        )
        .expect("definite");
        llt::solve::solve_in_place(
            MatRef::from_column_major_slice(&factor, dim, dim),
            MatMut::from_column_major_slice_mut(&mut x, dim, 1),
            Par::Seq,
            MemStack::new(&mut []),
        );
        black_box(x);
    };
    line("Cholesky factor and one solution", &dim.to_string(), least(ours, theirs));
}

fn ball(dim: usize) {
    let quadratic = Quadratic { matrix: definite(dim), linear: numbers(dim), constant: 0.0 };
    let ours = || {
        black_box(maximum_on_ball(&quadratic, 10.0));
    };
    let theirs = || {
        let matrix = MatRef::from_row_major_slice(&quadratic.matrix, dim, dim);
        let (mut values, mut vectors) = (Diag::<f64>::zeros(dim), Mat::<f64>::zeros(dim, dim));
        let (wanted, par) = (ComputeEigenvectors::Yes, Par::Seq);
        let scratch = self_adjoint_evd_scratch::<f64>(dim, wanted, par, Spec::default());
        let stack = &mut MemBuffer::new(scratch);
        let (values, vectors) = (values.as_mut(), Some(vectors.as_mut()));
        self_adjoint_evd(matrix, values, vectors, par, MemStack::new(stack), Spec::default())
            .expect("a finite symmetric matrix has an eigendecomposition");
    };
    line("Largest value on a ball, theirs: eigenvectors alone", &dim.to_string(), least(ours, theirs));
}

/// A whole pass of ours, weights of a logistic Hessian included, beside their bare product.
fn gram(rows: usize, cols: usize) {
    let design = Design::new(rows, cols, (cols, numbers(rows * cols)), (0, Vec::new()));
    let target = (0..rows).map(|row| (row % 2) as f64).collect();
    let agents = vec![Agent { name: "all".to_owned(), rows: 0..rows }];
    let federation = Federation::new(design.expect("a dense table"), target, agents);
    let losses = FederationLosses::new(&federation, Family::Logistic, 2, 1e-3);
    let (at, mut hessian) = (numbers(cols), vec![0.0; cols * cols]);
    let ours = || losses.add_hessian(&at, &[0], &[1.0], &mut hessian);
    let x = federation.design().dense_rows(0..rows);
    let mut out = vec![0.0; cols * cols];
    let theirs = || {
        let x = MatRef::from_row_major_slice(x, rows, cols);
        matmul(
            MatMut::from_row_major_slice_mut(&mut out, cols, cols),
            BlockStructure::TriangularLower,
            Accum::Replace,
            x.transpose(),
            BlockStructure::Rectangular,
            x,
            BlockStructure::Rectangular,
            1.0,
            Par::Seq,
        );
    };
    line("Hessian, theirs: triangular product alone", &format!("{rows} x {cols}"), least(ours, theirs));
}

fn main() {
    println!("| what | size | corefed, us | faer, us | ratio |");
    println!("|---|---:|---:|---:|---:|");
    [10, 21, 50, 109, 250, 500, 1000, 2000].into_iter().for_each(factor);
    [21, 109, 250].into_iter().for_each(ball);
    [(500, 21), (32_561, 105)].into_iter().for_each(|(rows, cols)| gram(rows, cols));
}
