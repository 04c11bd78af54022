//! Linear predictors of every family by rounds.
//!
//! Parameters are `f64` where certificates are the point, and `f32` where speed is (images). Losses and
//! gradients that a bound rests on are computed in `f64` either way.

mod aligned;
mod kernel;
mod layout;
mod link;
mod measure;
mod rows;
mod train;

use std::marker::PhantomData;
use std::ops::Range;

use corefed_core::Family;
use corefed_core::Seed;
use corefed_core::linalg::axpy;
use corefed_rules::{Scalar, norm_sqr};
use pulp::Arch;

use self::aligned::Aligned;
use self::layout::Layout;
use self::link::Link;
use self::measure::{Sums, View};
pub use self::rows::{PixelRows, Rows};
pub use self::train::Workspace;
use self::train::{Lesson, Training};
use crate::{DeviceFailure, Evaluation, Federated, Job, Part};

/// Rows with targets, and who owns which run of them.
#[derive(Clone, Debug)]
pub struct Samples<R> {
    /// The rows.
    pub rows: R,
    /// A number, or the index of a class, per row.
    pub target: Vec<f64>,
    /// What is added to the margin of each row; empty where nothing is.
    pub offsets: Vec<f64>,
    /// Rows of every agent, empty for one without.
    pub owned: Vec<Range<usize>>,
}

/// A federation with a linear predictor.
#[derive(Clone, Debug)]
pub struct LinearFederation<R, T> {
    link: Link,
    layout: Layout,
    l2: f64,
    train: Samples<R>,
    held_out: Option<Samples<R>>,
    validation: Option<Samples<R>>,
    test: Option<Samples<R>>,
    scalar: PhantomData<T>,
}

/// Parameters, packed, and half their ridge.
#[derive(Clone, Debug)]
pub struct Packed<T> {
    weights: Aligned<T>,
    ridge: f64,
}

impl<R: Rows, T: Scalar> LinearFederation<R, T> {
    /// Joins the parts; `classes` counts for softmax only.
    #[must_use]
    pub fn new(family: Family, classes: usize, l2: f64, train: Samples<R>) -> Self {
        let blocks = family.blocks(classes);
        let layout = Layout::new(train.rows.dim(), blocks);
        let link = Link { family, blocks };
        let (held_out, validation, test) = (None, None, None);
        Self { link, layout, l2, train, held_out, validation, test, scalar: PhantomData }
    }

    /// Adds rows kept back, owned by the same agents.
    ///
    /// # Panics
    /// If they have another width or other agents.
    #[must_use]
    pub fn with_held_out(mut self, samples: Samples<R>) -> Self {
        assert_eq!(samples.rows.dim(), self.layout.dim, "rows of one width");
        assert_eq!(samples.owned.len(), self.train.owned.len(), "the same agents");
        self.held_out = Some(samples);
        self
    }

    /// Adds rows to choose a round by, owned by the same agents.
    ///
    /// # Panics
    /// If they have another width or other agents.
    #[must_use]
    pub fn with_validation(mut self, samples: Samples<R>) -> Self {
        assert_eq!(samples.rows.dim(), self.layout.dim, "rows of one width");
        assert_eq!(samples.owned.len(), self.train.owned.len(), "the same agents");
        self.validation = Some(samples);
        self
    }

    /// Adds a test set that belongs to nobody.
    ///
    /// # Panics
    /// If it has another width.
    #[must_use]
    pub fn with_test(mut self, samples: Samples<R>) -> Self {
        assert_eq!(samples.rows.dim(), self.layout.dim, "rows of one width");
        self.test = Some(samples);
        self
    }

    /// What agents train on.
    #[must_use]
    pub fn train_samples(&self) -> &Samples<R> {
        &self.train
    }

    /// The ridge penalty.
    #[must_use]
    pub fn l2(&self) -> f64 {
        self.l2
    }

    /// Loss of every row of an agent, without ridge, and whether the prediction is right; never, where
    /// targets are not classes.
    #[must_use]
    pub fn row_losses(&self, params: &[T], part: Part, agent: usize) -> Vec<(f64, bool)> {
        let Some(samples) = self.part(part) else { return Vec::new() };
        let weights = self.layout.pack(params);
        let each = self.view(samples).each(weights.as_slice(), samples.owned[agent].clone());
        each.into_iter().map(|sums| (sums.loss, sums.correct == 1)).collect()
    }

    fn part(&self, part: Part) -> Option<&Samples<R>> {
        match part {
            Part::Train => Some(&self.train),
            Part::HeldOut => self.held_out.as_ref(),
            Part::Validation => self.validation.as_ref(),
        }
    }

    fn view<'a>(&'a self, samples: &'a Samples<R>) -> View<'a, R> {
        View {
            rows: &samples.rows,
            target: &samples.target,
            offsets: &samples.offsets,
            layout: self.layout,
            link: self.link,
        }
    }

    fn evaluation(&self, sums: Sums, rows: usize, ridge: f64) -> Option<Evaluation> {
        let count = rows as f64;
        let is_class = self.link.family.targets().is_class();
        let accuracy = is_class.then(|| sums.correct as f64 / count);
        (rows > 0).then(|| Evaluation { loss: sums.loss / count + ridge, accuracy })
    }
}

impl<R: Rows, T: Scalar> Federated for LinearFederation<R, T> {
    type Scalar = T;
    type Model = Packed<T>;
    type Workspace = Workspace<T>;

    fn dim(&self) -> usize {
        self.layout.dim * self.layout.blocks
    }

    fn agents(&self) -> usize {
        self.train.owned.len()
    }

    fn samples(&self, part: Part, agent: usize) -> usize {
        self.part(part).map_or(0, |samples| samples.owned[agent].len())
    }

    fn initial(&self, _: Seed) -> Vec<T> {
        vec![T::ZERO; self.dim()]
    }

    fn prepare(&self, params: &[T]) -> Packed<T> {
        let ridge = 0.5 * self.l2 * norm_sqr(params);
        Packed { weights: self.layout.pack(params), ridge }
    }

    fn workspace(&self) -> Workspace<T> {
        Workspace::default()
    }

    fn evaluate(
        &self,
        model: &Packed<T>,
        part: Part,
        agents: &[usize],
    ) -> Result<Vec<Option<Evaluation>>, DeviceFailure> {
        let Some(samples) = self.part(part) else { return Ok(vec![None; agents.len()]) };
        let ranges: Vec<Range<usize>> =
            agents.iter().map(|&agent| samples.owned[agent].clone()).collect();
        let sums = self.view(samples).sums(model.weights.as_slice(), &ranges);
        let evaluation =
            |(sums, range): (Sums, &Range<usize>)| self.evaluation(sums, range.len(), model.ridge);
        Ok(sums.into_iter().zip(&ranges).map(evaluation).collect())
    }

    fn test(&self, model: &Packed<T>) -> Result<Option<Evaluation>, DeviceFailure> {
        let Some(samples) = &self.test else { return Ok(None) };
        let all = 0..samples.target.len();
        let sums = self.view(samples).sums(model.weights.as_slice(), std::slice::from_ref(&all));
        Ok(self.evaluation(sums[0], all.len(), model.ridge))
    }

    fn train(
        &self,
        model: &Packed<T>,
        agent: usize,
        job: &Job<'_, T>,
        workspace: &mut Workspace<T>,
        update: &mut [T],
    ) {
        let own = self.train.owned[agent].clone();
        let drift = job.drift.map(|drift| self.layout.pack(&drift.values().collect::<Vec<_>>()));
        let lesson = &Lesson {
            rows: &self.train.rows,
            target: &self.train.target,
            offsets: &self.train.offsets,
            first: own.start,
            count: own.len(),
            layout: self.layout,
            link: self.link,
            l2: self.l2,
            job,
            drift: drift.as_ref().map_or(&[], Aligned::as_slice),
        };
        let (arch, start) = (Arch::new(), model.weights.as_slice());
        match self.layout.lanes {
            1 => arch.dispatch(Training::<_, _, 1> { lesson, start, workspace, update }),
            2 => arch.dispatch(Training::<_, _, 2> { lesson, start, workspace, update }),
            4 => arch.dispatch(Training::<_, _, 4> { lesson, start, workspace, update }),
            8 => arch.dispatch(Training::<_, _, 8> { lesson, start, workspace, update }),
            _ => arch.dispatch(Training::<_, _, 16> { lesson, start, workspace, update }),
        }
    }

    fn exact_losses(&self, model: &Packed<T>) -> Option<Vec<f64>> {
        let sums = self.view(&self.train).sums(&exact(&model.weights), &self.train.owned);
        let mean = |(sums, range): (Sums, &Range<usize>)| sums.loss / range.len() as f64;
        let losses = sums.into_iter().zip(&self.train.owned).map(mean);
        Some(losses.map(|loss| loss + model.ridge).collect())
    }

    fn convex_gradient(&self, model: &Packed<T>, coefficients: &[f64]) -> Option<Vec<f64>> {
        let parts: Vec<(f64, Range<usize>)> = coefficients
            .iter()
            .zip(&self.train.owned)
            .map(|(c, range)| (c / range.len() as f64, range.clone()))
            .collect();
        let weights = exact(&model.weights);
        let mut packed = self.view(&self.train).gradient(&weights, &parts);
        // The ridge: sum_i c_i l2 theta.
        axpy(self.l2 * coefficients.iter().sum::<f64>(), &weights, &mut packed);
        let mut gradient = vec![0.0; self.dim()];
        self.layout.unpack_difference(&packed, &vec![0.0; packed.len()], &mut gradient);
        Some(gradient)
    }
}

fn exact<T: Scalar>(weights: &Aligned<T>) -> Vec<f64> {
    weights.as_slice().iter().map(|w| w.to_f64()).collect()
}
