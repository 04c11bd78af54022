//! The best deviations known so far: by a coalition that leaves somebody behind, and by everybody.

use corefed_core::{Number, Rival, Scan, Weights, Witness, gain, scan};
use corefed_solve::Problem;

/// What agents with nothing get counts only beyond this share of their ceilings: less is rounding.
const ROUNDING: f64 = 1e-12;

/// The largest factors that known rivals reach.
#[derive(Clone, Debug)]
pub struct Best {
    /// By a coalition that is not everybody; zero while none is known.
    pub kappa: f64,
    /// By everybody at once; staying counts where everybody has something.
    pub everybody: f64,
    witness: Option<Found>,
    improvement: Option<Found>,
}

#[derive(Clone, Debug)]
struct Found {
    coalition: Vec<usize>,
    then: Vec<f64>,
    rival: Vec<f64>,
}

impl Best {
    /// Nothing is known yet but that everybody can stay.
    #[must_use]
    pub fn staying(now: &[f64]) -> Self {
        let everybody = if now.iter().all(|u| *u > 0.0) { 1.0 } else { 0.0 };
        Self { kappa: 0.0, everybody, witness: None, improvement: None }
    }

    /// Scans a rival, moved into the ball if need be, and keeps it where it beats the best so far.
    pub(crate) fn offer(&mut self, problem: &Problem<'_>, now: &[f64], rival: &[f64]) {
        let rival = problem.ball.project(rival);
        let then = problem.utilities_at(&rival);
        self.consider((&problem.ceilings, &problem.weights), now, &rival, then);
    }

    /// Keeps a rival of the ball, which gives agents the utilities `then`, where it beats the best so far.
    pub fn consider(
        &mut self,
        (ceilings, weights): (&[f64], &Weights),
        now: &[f64],
        rival: &[f64],
        mut then: Vec<f64>,
    ) {
        for ((then, now), ceiling) in then.iter_mut().zip(now).zip(ceilings) {
            if *now <= 0.0 && *then <= ROUNDING * ceiling.abs() {
                *then = then.min(0.0);
            }
        }
        let Scan { kappa, coalition, everybody, .. } =
            scan(now, &then, weights.values(), &weights.total());
        if everybody.value() > self.everybody {
            self.everybody = everybody.value();
            let coalition = (0..now.len()).collect();
            let found = Found { coalition, then: then.clone(), rival: rival.to_vec() };
            self.improvement = Some(found);
        }
        if kappa.value() > self.kappa {
            self.kappa = kappa.value();
            self.witness = Some(Found { coalition, then, rival: rival.to_vec() });
        }
    }

    /// The deviation behind `kappa`.
    #[must_use]
    pub fn witness(&self, now: &[f64]) -> Option<Witness> {
        self.witness.as_ref().map(|found| found.write(now))
    }

    /// The deviation behind `everybody`, unless that is staying.
    #[must_use]
    pub fn improvement(&self, now: &[f64]) -> Option<Witness> {
        self.improvement.as_ref().map(|found| found.write(now))
    }
}

impl Found {
    fn write(&self, now: &[f64]) -> Witness {
        let gains = self.coalition.iter().map(|&i| Number(gain(now[i], self.then[i]))).collect();
        let rival = Rival::Parameters(self.rival.clone());
        Witness { coalition: self.coalition.clone(), gains, rival }
    }
}
