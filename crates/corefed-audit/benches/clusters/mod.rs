//! Logistic agents with 500 rows and 20 features each, in three clusters with ground truths of their own, so
//! that coalitions disagree.

use corefed_data::{Agent, Design, Federation};

const ROWS: usize = 500;
const FEATURES: usize = 20;

/// `SplitMix64`, then a sum of twelve uniforms: normal enough for a benchmark, and reproducible.
struct Normal(u64);

impl Normal {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn draw(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// Agents `a0`, `a1`, ... in three clusters.
pub(crate) fn federation(agents: usize, seed: u64) -> Federation {
    let mut normal = Normal(seed);
    let clusters: Vec<Vec<f64>> =
        (0..3).map(|_| (0..FEATURES).map(|_| 0.5 * normal.draw()).collect()).collect();
    let (mut dense, mut target) = (Vec::new(), Vec::new());
    for agent in 0..agents {
        let own: Vec<f64> = clusters[agent % 3].iter().map(|c| c + 0.3 * normal.draw()).collect();
        for _ in 0..ROWS {
            let row: Vec<f64> = (0..FEATURES).map(|_| normal.draw()).collect();
            let margin: f64 = row.iter().zip(&own).map(|(x, t)| x * t).sum();
            target.push(f64::from(normal.uniform() < 1.0 / (1.0 + (-margin).exp())));
            dense.extend(row);
        }
    }
    let rows = agents * ROWS;
    let intercept = vec![u32::try_from(FEATURES).expect("small"); rows];
    let design = Design::new(rows, FEATURES + 1, (FEATURES, dense), (1, intercept));
    let owners = (0..agents)
        .map(|k| Agent { name: format!("a{k}"), rows: k * ROWS..(k + 1) * ROWS })
        .collect();
    Federation::new(design.expect("shape"), target, owners)
}
