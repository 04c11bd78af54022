//! What the checker knows about families of models: its own copy of every fact, on purpose.
//!
//! The rest of the program asks the table of `corefed-core`; a mistake there must not be repeated here.

use corefed_core::Family;

use crate::enclosed::Enclosed;
use crate::functions::{cross_entropy, deviance, log, log_one_plus_exp};
use crate::sum::Sum;

/// As certificates write it.
pub(crate) fn name(family: Family) -> &'static str {
    match family {
        Family::Linear => "linear",
        Family::Logistic => "logistic",
        Family::Softmax => "softmax",
        Family::Poisson => "poisson",
    }
}

/// Fewest and most classes that an encoding may list.
pub(crate) fn classes(family: Family) -> (usize, usize) {
    match family {
        Family::Linear | Family::Poisson => (0, 0),
        Family::Logistic => (2, 2),
        Family::Softmax => (2, usize::MAX),
    }
}

/// Blocks of parameters.
pub(crate) fn blocks(family: Family, classes: usize) -> usize {
    match family {
        Family::Linear | Family::Logistic | Family::Poisson => 1,
        Family::Softmax => classes,
    }
}

/// Whether losses are squares of affine functions, `|X theta - y|^2 / m`.
pub(crate) fn is_least_squares(family: Family) -> bool {
    match family {
        Family::Linear => true,
        Family::Logistic | Family::Softmax | Family::Poisson => false,
    }
}

/// Whether no loss is below zero, so that no utility exceeds its ceiling.
pub(crate) fn is_nonnegative(family: Family) -> bool {
    match family {
        // A square; logs of numbers that are at least one; and `t - 1 >= log t` with `t = mu / y`.
        Family::Linear | Family::Logistic | Family::Softmax | Family::Poisson => true,
    }
}

/// Checks that a number can be a target, or says what it must be.
pub(crate) fn check_target(family: Family, value: f64, classes: usize) -> Result<(), &'static str> {
    let (known, must) = match family {
        Family::Linear => (value.is_finite(), "finite"),
        Family::Logistic => (value == 0.0 || value == 1.0, "0 or 1"),
        Family::Softmax => (class(value, classes).is_some(), "the index of a class"),
        Family::Poisson => (value >= 0.0 && value.is_finite(), "finite and >= 0"),
    };
    if known { Ok(()) } else { Err(must) }
}

/// Whether the exposure of a row enters its loss.
pub(crate) fn takes_exposure(family: Family) -> bool {
    match family {
        Family::Linear | Family::Logistic | Family::Softmax => false,
        Family::Poisson => true,
    }
}

/// Loss of one sample, and its derivative in each score, from its target and exposure.
pub(crate) fn sample_loss(
    family: Family,
    mut scores: impl Iterator<Item = Sum>,
    (target, exposure): (f64, f64),
) -> (Enclosed, Vec<Sum>) {
    match family {
        Family::Linear => {
            let mut error = scores.next().unwrap_or_default();
            // Subtracted before rounding: a score and a target may be large and their difference small.
            error.add(-target);
            (error.total().square(), vec![error.times(2.0)])
        }
        Family::Logistic => {
            let score = scores.next().unwrap_or_default().total();
            let against = if target == 1.0 { -score } else { score };
            let (loss, slope) = log_one_plus_exp(against);
            (loss, vec![if target == 1.0 { -slope } else { slope }.into()])
        }
        Family::Softmax => {
            let scores: Vec<Enclosed> = scores.map(Sum::total).collect();
            // Every target has been checked.
            let (loss, slopes) = cross_entropy(&scores, class(target, scores.len()).unwrap_or(0));
            (loss, slopes.into_iter().map(Sum::from).collect())
        }
        Family::Poisson => {
            let score = scores.next().unwrap_or_default().total();
            let (loss, slope) = deviance(score, target, exposure);
            (loss, vec![slope.into()])
        }
    }
}

/// At least the loss of one sample anywhere in a ball of this radius, from the length of its row, its
/// target and its exposure; unknown for least squares, which is bounded as a whole.
pub(crate) fn worst_sample_loss(
    family: Family,
    classes: usize,
    (radius, length): (Enclosed, Enclosed),
    (target, exposure): (f64, f64),
) -> Enclosed {
    // No score differs from the label's by more than `spread R |x|`, and `others` classes compete.
    let lead =
        |spread: Enclosed, others: f64| log_one_plus_exp(spread * radius * length + log(others)).0;
    match family {
        Family::Linear => Enclosed::UNKNOWN,
        // One block of parameters: a score is at most `R |x|`.
        Family::Logistic => lead(Enclosed::exact(1.0), 1.0),
        // Two blocks of one vector in the ball: `|(a - b) x| <= sqrt(2) R |x|`.
        Family::Softmax => lead(Enclosed::exact(2.0).sqrt(), classes.saturating_sub(1) as f64),
        // A convex function of the score is largest at one of its ends, `-R |x|` and `R |x|`.
        Family::Poisson => {
            let ends = [-(radius * length), radius * length];
            let [low, high] = ends.map(|score| deviance(score, target, exposure).0);
            Enclosed::exact(low.hi().max(high.hi()))
        }
    }
}

fn class(target: f64, classes: usize) -> Option<usize> {
    (0..classes).find(|&k| k as f64 == target)
}
