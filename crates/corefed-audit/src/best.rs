//! The best deviation known so far.

use corefed_core::{Number, Rival, Scan, Weights, Witness, gain, scan};

/// The largest `kappa` that a known rival reaches.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    pub(crate) kappa: f64,
    witness: Option<(Vec<usize>, Vec<f64>, Vec<f64>)>,
}

impl Best {
    /// The incumbent itself is a rival: everybody together breaks even.
    pub(crate) fn break_even() -> Self {
        Self { kappa: 1.0, witness: None }
    }

    /// Scans a rival for its best coalition and keeps it if it beats the best so far.
    pub(crate) fn offer(&mut self, now: &[f64], then: Vec<f64>, rival: &[f64], weights: &Weights) {
        let Scan { kappa, coalition, .. } = scan(now, &then, weights.values(), &weights.total());
        if kappa.value() > self.kappa {
            self.kappa = kappa.value();
            self.witness = Some((coalition, then, rival.to_vec()));
        }
    }

    /// The deviation behind `kappa`, unless nothing beats staying.
    pub(crate) fn witness(&self, now: &[f64]) -> Option<Witness> {
        let (coalition, then, rival) = self.witness.clone()?;
        let gains = coalition.iter().map(|&i| Number(gain(now[i], then[i]))).collect();
        Some(Witness { coalition, gains, rival: Rival::Parameters(rival) })
    }
}
