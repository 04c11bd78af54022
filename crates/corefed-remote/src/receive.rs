//! Answers are checked before anything of them is kept.

use corefed_core::linalg::dot;
use corefed_model::{Cholesky, damped};
use corefed_solve::Ball;

use crate::bad_answer::BadAnswer;
use crate::bundle::{Bundle, distance, unpack};
use crate::questions::{Answers, Request, points_digest};

/// Losses may fall below a tangent by this much of the terms compared: sums differ by their order.
const ROUNDING: f64 = 1e-10;
/// A Hessian may be indefinite by this share of its diagonal.
const INDEFINITE: f64 = 1e-8;

/// What an answer is checked against.
pub(crate) struct Door<'a> {
    pub(crate) bundle: &'a Bundle,
    pub(crate) agent: usize,
    pub(crate) name: &'a str,
    pub(crate) l2: f64,
    pub(crate) ball: &'a Ball,
}

impl Door<'_> {
    /// Passes an answer or says what is wrong with it.
    pub(crate) fn check(&self, request: &Request, answers: &Answers) -> Result<(), BadAnswer> {
        let agent = || self.name.to_owned();
        if answers.round != request.round {
            let (got, round) = (answers.round, request.round);
            return Err(BadAnswer::Round { agent: agent(), got, round });
        }
        if answers.points != points_digest(&request.points) {
            return Err(BadAnswer::Points { agent: agent(), round: request.round });
        }
        self.shapes(request, answers)?;
        self.declared(request, answers)?;
        self.same(request, answers)?;
        self.convex(request, answers)
    }

    fn shapes(&self, request: &Request, answers: &Answers) -> Result<(), BadAnswer> {
        let dim = self.ball.center().len();
        let count = |what, got, want| {
            let agent = self.name.to_owned();
            if got == want { Ok(()) } else { Err(BadAnswer::Count { agent, what, got, want }) }
        };
        let finite = |what, point, values: &[f64]| {
            let agent = self.name.to_owned();
            let good = values.iter().all(|value| value.is_finite());
            if good { Ok(()) } else { Err(BadAnswer::NotFinite { agent, what, point }) }
        };
        let asked = &request.asked;
        count("losses", answers.losses.len(), request.points.len())?;
        count("gradients", answers.gradients.len(), asked.gradients.len())?;
        count("Hessians", answers.hessians.len(), asked.hessians.len())?;
        for (point, loss) in answers.losses.iter().enumerate() {
            finite("loss", point, &[*loss])?;
        }
        for (&point, gradient) in asked.gradients.iter().zip(&answers.gradients) {
            count("numbers in a gradient", gradient.len(), dim)?;
            finite("gradient", point, gradient)?;
        }
        for (&point, hessian) in asked.hessians.iter().zip(&answers.hessians) {
            count("numbers in a Hessian", hessian.len(), dim * (dim + 1) / 2)?;
            finite("Hessian", point, hessian)?;
            if !semidefinite(&unpack(hessian, dim), dim) {
                return Err(BadAnswer::Indefinite { agent: self.name.to_owned(), point });
            }
        }
        Ok(())
    }

    fn declared(&self, request: &Request, answers: &Answers) -> Result<(), BadAnswer> {
        let bad = |what| Err(BadAnswer::Declared { agent: self.name.to_owned(), what });
        let ceiling = answers.ceiling.is_some_and(f64::is_finite);
        if request.asked.ceiling != answers.ceiling.is_some() || (request.asked.ceiling && !ceiling)
        {
            return bad("ceiling");
        }
        let own = answers
            .own
            .as_ref()
            .is_some_and(|own| own.len() == self.ball.center().len() && self.ball.contains(own));
        // An own predictor may be withheld: it only proposes points.
        if answers.own.is_some() && !(own && request.asked.own) {
            return bad("own predictor");
        }
        Ok(())
    }

    fn same(&self, request: &Request, answers: &Answers) -> Result<(), BadAnswer> {
        for (point, (params, &now)) in request.points.iter().zip(&answers.losses).enumerate() {
            let place = self.bundle.place(params);
            let Some(known) = place.and_then(|place| self.bundle.at(self.agent, place)) else {
                continue;
            };
            let before = known.loss;
            if (before - now).abs() > ROUNDING * before.abs().max(now.abs()).max(known.scale) {
                let agent = self.name.to_owned();
                return Err(BadAnswer::Changed { agent, point, before, now });
            }
        }
        Ok(())
    }

    /// Every loss lies above every tangent of the same agent, old and new (ledger E78).
    fn convex(&self, request: &Request, answers: &Answers) -> Result<(), BadAnswer> {
        let new = request.asked.gradients.iter().zip(&answers.gradients).map(|(&k, gradient)| {
            let tangent = Tangent { at: &request.points[k], loss: answers.losses[k], gradient };
            (tangent, format!("point {k}"))
        });
        let old = self.bundle.of(self.agent).filter_map(|(place, known)| {
            let gradient = known.gradient.as_deref()?;
            let tangent = Tangent { at: self.bundle.point(place), loss: known.loss, gradient };
            Some((tangent, "a point of an earlier round".to_owned()))
        });
        let new: Vec<_> = new.collect();
        for (tangent, other) in new.iter().cloned().chain(old) {
            for (point, (params, &loss)) in request.points.iter().zip(&answers.losses).enumerate() {
                if let Some(short) = tangent.short(params, loss, self.l2) {
                    let agent = self.name.to_owned();
                    return Err(BadAnswer::NotConvex { agent, point, other, short });
                }
            }
        }
        for (place, known) in self.bundle.of(self.agent) {
            for (tangent, other) in &new {
                let params = self.bundle.point(place);
                if let Some(short) = tangent.short(params, known.loss, self.l2) {
                    let point = request.points.iter().position(|p| p == tangent.at).unwrap_or(0);
                    let (agent, other) = (self.name.to_owned(), other.clone());
                    return Err(BadAnswer::NotConvex { agent, point, other, short });
                }
            }
        }
        Ok(())
    }
}

/// Whether a full matrix is positive semidefinite but for rounding. Where its diagonal is zero, so is the
/// row.
fn semidefinite(matrix: &[f64], dim: usize) -> bool {
    let row = |k: usize| &matrix[k * dim..(k + 1) * dim];
    let flat = |k: usize| row(k).iter().all(|entry| *entry == 0.0);
    (0..dim).all(|k| row(k)[k] > 0.0 || flat(k))
        && Cholesky::new(matrix, dim, |entry| damped(entry, INDEFINITE)).is_some()
}

#[derive(Clone)]
struct Tangent<'a> {
    at: &'a [f64],
    loss: f64,
    gradient: &'a [f64],
}

impl Tangent<'_> {
    /// By how much a loss falls below this tangent, beyond rounding.
    fn short(&self, params: &[f64], loss: f64, l2: f64) -> Option<f64> {
        let step: Vec<f64> = params.iter().zip(self.at).map(|(p, y)| p - y).collect();
        let slope = dot(self.gradient, &step);
        let bend = 0.5 * l2 * distance(params, self.at);
        let short = self.loss + slope + bend - loss;
        let terms = step.iter().zip(self.gradient).map(|(s, g)| (s * g).abs()).sum::<f64>();
        let size = self.loss.abs().max(loss.abs()).max(terms).max(bend);
        (short > ROUNDING * size).then_some(short)
    }
}
