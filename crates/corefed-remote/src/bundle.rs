//! Everything agents have answered, by agent and point.

use std::collections::BTreeMap;

use corefed_core::linalg::dot;

/// What one agent answered at one point.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) loss: f64,
    pub(crate) gradient: Option<Vec<f64>>,
    /// Row-major and full.
    pub(crate) hessian: Option<Vec<f64>>,
    /// How large the terms were that the loss was summed from, where the coordinator computed it.
    pub(crate) scale: f64,
}

/// A loss about a point, to second order.
#[derive(Clone, Copy)]
pub(crate) struct Taylor<'a> {
    /// The point, by its place.
    pub(crate) place: usize,
    pub(crate) at: &'a [f64],
    pub(crate) loss: f64,
    pub(crate) gradient: &'a [f64],
    /// From the nearest point that has one; none while no Hessian is known.
    pub(crate) hessian: Option<&'a [f64]>,
}

/// Points, and what is known there.
#[derive(Clone, Debug)]
pub(crate) struct Bundle {
    points: Vec<Vec<f64>>,
    places: BTreeMap<Vec<u64>, usize>,
    /// By agent, then by place.
    known: Vec<BTreeMap<usize, Known>>,
}

impl Bundle {
    pub(crate) fn new(agents: usize) -> Self {
        let known = vec![BTreeMap::new(); agents];
        Self { points: Vec::new(), places: BTreeMap::new(), known }
    }

    /// Where a point is kept, if it was ever asked.
    pub(crate) fn place(&self, point: &[f64]) -> Option<usize> {
        self.places.get(&bits(point)).copied()
    }

    /// Where a point is kept from now on.
    pub(crate) fn add(&mut self, point: &[f64]) -> usize {
        let next = self.points.len();
        let place = *self.places.entry(bits(point)).or_insert(next);
        if place == next {
            self.points.push(point.to_vec());
        }
        place
    }

    pub(crate) fn point(&self, place: usize) -> &[f64] {
        &self.points[place]
    }

    pub(crate) fn points(&self) -> &[Vec<f64>] {
        &self.points
    }

    pub(crate) fn at(&self, agent: usize, place: usize) -> Option<&Known> {
        self.known[agent].get(&place)
    }

    /// Everything one agent answered, by place.
    pub(crate) fn of(&self, agent: usize) -> impl Iterator<Item = (usize, &Known)> {
        self.known[agent].iter().map(|(place, known)| (*place, known))
    }

    /// Keeps an answer; derivatives known before stay.
    pub(crate) fn record(&mut self, agent: usize, place: usize, answer: Known) {
        let known = self.known[agent].entry(place).or_insert(Known {
            gradient: None,
            hessian: None,
            ..answer.clone()
        });
        known.gradient = known.gradient.take().or(answer.gradient);
        known.hessian = known.hessian.take().or(answer.hessian);
    }

    /// An agent's gradients, by place.
    pub(crate) fn with_gradient(&self, agent: usize) -> impl Iterator<Item = (usize, &[f64])> {
        self.of(agent).filter_map(|(place, known)| Some((place, known.gradient.as_deref()?)))
    }

    /// Where an agent's loss is known to be least, among points with a gradient.
    pub(crate) fn lowest(&self, agent: usize) -> Option<usize> {
        let known = self.of(agent).filter(|(_, known)| known.gradient.is_some());
        known.min_by(|(_, a), (_, b)| a.loss.total_cmp(&b.loss)).map(|(place, _)| place)
    }

    /// The first point at which an agent answered to second order.
    pub(crate) fn base(&self, agent: usize) -> Option<Taylor<'_>> {
        self.of(agent).find_map(|(place, known)| {
            let (gradient, hessian) = (known.gradient.as_deref()?, known.hessian.as_deref()?);
            let at = self.point(place);
            Some(Taylor { place, at, loss: known.loss, gradient, hessian: Some(hessian) })
        })
    }

    /// The loss of an agent about the point nearest to `x` at which its gradient is known.
    pub(crate) fn nearest(&self, agent: usize, x: &[f64]) -> Option<Taylor<'_>> {
        let near = |place: usize| distance(&self.points[place], x);
        let closer = |a: &usize, b: &usize| near(*a).total_cmp(&near(*b));
        let place = self.with_gradient(agent).map(|(place, _)| place).min_by(closer)?;
        let known = self.at(agent, place)?;
        let hessian = known.hessian.as_deref().or_else(|| {
            let bent = self.of(agent).filter(|(_, known)| known.hessian.is_some());
            let place = bent.map(|(place, _)| place).min_by(closer)?;
            self.at(agent, place)?.hessian.as_deref()
        });
        let gradient = known.gradient.as_deref()?;
        Some(Taylor { place, at: &self.points[place], loss: known.loss, gradient, hessian })
    }
}

impl Taylor<'_> {
    /// Loss and gradient at `x`, and the size of the largest term of the loss.
    pub(crate) fn evaluate(&self, x: &[f64]) -> (f64, Vec<f64>, f64) {
        let step: Vec<f64> = x.iter().zip(self.at).map(|(x, y)| x - y).collect();
        let bent: Vec<f64> = match self.hessian {
            Some(hessian) => hessian.chunks_exact(x.len()).map(|row| dot(row, &step)).collect(),
            None => vec![0.0; x.len()],
        };
        let (slope, bend) = (dot(self.gradient, &step), 0.5 * dot(&bent, &step));
        let gradient = self.gradient.iter().zip(&bent).map(|(g, b)| g + b).collect();
        (self.loss + slope + bend, gradient, self.loss.abs().max(slope.abs()).max(bend.abs()))
    }
}

/// A packed lower triangle as a full row-major matrix.
pub(crate) fn unpack(packed: &[f64], dim: usize) -> Vec<f64> {
    let mut full = vec![0.0; dim * dim];
    let mut entries = packed.iter();
    for row in 0..dim {
        for (col, value) in (0..=row).zip(&mut entries) {
            full[row * dim + col] = *value;
            full[col * dim + row] = *value;
        }
    }
    full
}

fn bits(point: &[f64]) -> Vec<u64> {
    point.iter().map(|value| value.to_bits()).collect()
}

/// Squared.
pub(crate) fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}
