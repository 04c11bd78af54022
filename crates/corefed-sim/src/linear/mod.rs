//! Linear predictors of every family by rounds.
//!
//! Parameters are `f64` where certificates are the point, and `f32` where speed is (images). Losses and
//! gradients that a bound rests on are computed in `f64` either way.

mod aligned;
mod compiled;
mod federated;
mod kernel;
mod layout;
mod link;
mod measure;
mod rows;
mod train;

use std::marker::PhantomData;
use std::ops::Range;

use corefed_core::Family;
use corefed_rules::Scalar;

use self::aligned::Aligned;
pub use self::compiled::Kernels;
use self::layout::Layout;
use self::link::Link;
use self::measure::View;
pub use self::rows::{PixelRows, Rows};
pub use self::train::Workspace;
use crate::Part;

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

    /// Adds held-out rows, owned by the same agents.
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
}
