//! Sums of updates: the same bits as the plain loop, at every number of threads.

use corefed_rules::{Scalar, combine, fold, gram, norm_sqr};
use rayon::ThreadPoolBuilder;

/// Lengths around the edges of vectors and blocks.
const LENGTHS: [usize; 8] = [0, 1, 7, 33, 1000, 8191, 8193, 70_001];

fn updates<T: Scalar>(count: usize, len: usize) -> Vec<Vec<T>> {
    let number = |s: usize, i: usize| {
        let mixed = ((i + 1) * (2 * s + 3)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        T::from_f64(mixed as f64 / f64::from(1 << 23) - 1.0)
    };
    (0..count).map(|s| (0..len).map(|i| number(s, i)).collect()).collect()
}

fn terms<T: Scalar>(updates: &[Vec<T>]) -> Vec<(f64, &[T])> {
    updates.iter().enumerate().map(|(s, u)| (0.1 + s as f64 / 3.0, u.as_slice())).collect()
}

fn plain_loop<T: Scalar>(terms: &[(f64, &[T])], len: usize) -> Vec<T> {
    let mut sum = vec![T::ZERO; len];
    for (coefficient, delta) in terms {
        let coefficient = T::from_f64(*coefficient);
        for (sum, &value) in sum.iter_mut().zip(*delta) {
            *sum = *sum + coefficient * value;
        }
    }
    sum
}

fn combination_is_the_plain_loop<T: Scalar>() {
    for len in LENGTHS {
        for count in [0, 1, 3, 4, 9] {
            let updates = updates::<T>(count, len);
            let terms = terms(&updates);
            let expected = plain_loop(&terms, len);
            let mut combined = vec![T::from_f64(9.0); len];
            combine(&mut combined, &terms);
            assert_eq!(combined, expected, "{count} updates of {len} {}", T::NAME);
            let mut folded = vec![T::ZERO; len];
            for (coefficient, delta) in &terms {
                fold(&mut folded, *coefficient, delta);
            }
            assert_eq!(folded, expected, "folding {count} updates of {len} {}", T::NAME);
        }
    }
}

#[test]
fn combining_and_folding_give_the_bits_of_the_plain_loop() {
    combination_is_the_plain_loop::<f32>();
    combination_is_the_plain_loop::<f64>();
}

#[test]
fn bits_do_not_depend_on_threads() {
    let updates = updates::<f32>(7, 300_007);
    let terms = terms(&updates);
    let rows: Vec<&[f32]> = updates.iter().map(Vec::as_slice).collect();
    let results: Vec<_> = [1, 2, 8]
        .into_iter()
        .map(|threads| {
            ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let mut out = vec![0.0; 300_007];
                combine(&mut out, &terms);
                let bits: Vec<u32> = out.iter().map(|value| value.to_bits()).collect();
                let numbers = [gram(&rows), vec![norm_sqr(rows[0])]].concat();
                (bits, numbers.iter().map(|n| n.to_bits()).collect::<Vec<u64>>())
            })
        })
        .collect();
    assert!(results[0] == results[1] && results[1] == results[2]);
}

#[test]
fn single_precision_sums_are_right_to_a_few_roundings() {
    let updates = updates::<f32>(100, 1000);
    let terms: Vec<(f64, &[f32])> = updates.iter().map(|u| (0.01, u.as_slice())).collect();
    let mut out = vec![0.0; 1000];
    combine(&mut out, &terms);
    for (i, &found) in out.iter().enumerate() {
        let exact: f64 = updates.iter().map(|u| 0.01 * f64::from(u[i])).sum();
        let size: f64 = updates.iter().map(|u| 0.01 * f64::from(u[i]).abs()).sum();
        assert!((f64::from(found) - exact).abs() <= 101.0 * 6e-8 * size, "{found} {exact}");
    }
}
