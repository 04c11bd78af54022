//! What agents could have without the federation, and whether everybody could have more.

use corefed_core::{KappaInterval, Number, proportionality};
use corefed_solve::{Problem, Until};
use rayon::prelude::*;

use crate::program::{best_alone, coalition_program};

/// Where each agent stands beside its best alternatives.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// The largest utility each agent could have if the predictor were made for it alone.
    pub alone: Vec<f64>,
    /// `(w_i/W) alone_i / u_i`: above one, the agent gets less than its share (ledger E12).
    pub proportionality: Vec<f64>,
    /// Bounds on the factor by which everybody could gain at once (ledger E13); absent when some
    /// utility is not positive.
    pub pareto: Option<KappaInterval>,
}

/// How well the program of everybody is solved, relative to its value.
const TOLERANCE: f64 = 1e-9;

/// Computes the standing of every agent under an incumbent with these utilities.
#[must_use]
pub fn standing(problem: &Problem<'_>, incumbent: &[f64], utilities: &[f64]) -> Standing {
    let everybody = problem.everybody();
    let alone: Vec<f64> =
        everybody.par_iter().map(|&agent| best_alone(problem, agent, incumbent).lower).collect();
    let pareto = utilities.iter().all(|u| *u > 0.0).then(|| {
        let until = Until::Gap(TOLERANCE);
        let bounds = coalition_program(problem, utilities, &everybody, incumbent, until).bounds;
        KappaInterval { lo: Number(bounds.lower), hi: Number(bounds.upper) }
    });
    let proportionality = proportionality(utilities, &alone, &problem.weights);
    Standing { alone, proportionality, pareto }
}
