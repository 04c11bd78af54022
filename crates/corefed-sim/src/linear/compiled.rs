//! Kernels, compiled here for the rows and numbers that are trained on.
//!
//! Left generic, they would be compiled in the crate that names a federation, which is the last but one of a
//! build and has nothing beside it to be compiled meanwhile.

use std::ops::Range;

use corefed_data::Design;
use corefed_rules::Scalar;
use pulp::Arch;

use super::measure::{Pass, Sums, View};
use super::rows::{PixelRows, Rows};
use super::train::{Lesson, Training, Workspace};

/// Rows with kernels for parameters of a type.
pub trait Kernels<T: Scalar>: Rows + Sized {
    /// Summed loss of some rows.
    fn sum(view: &View<'_, Self>, weights: &[T], rows: Range<usize>) -> Sums;

    /// The same in double precision; adds a factor times the gradient where one is asked for.
    fn exact_sum(
        view: &View<'_, Self>,
        weights: &[f64],
        rows: Range<usize>,
        gradient: Option<(f64, &mut [f64])>,
    ) -> Sums;

    /// Trains from `start` and writes what changed.
    fn train(
        lesson: &Lesson<'_, Self, T>,
        start: &[T],
        workspace: &mut Workspace<T>,
        update: &mut [T],
    );
}

impl<T: Scalar, R: Kernels<T>> Kernels<T> for &R {
    fn sum(view: &View<'_, Self>, weights: &[T], rows: Range<usize>) -> Sums {
        R::sum(&view.owned(), weights, rows)
    }

    fn exact_sum(
        view: &View<'_, Self>,
        weights: &[f64],
        rows: Range<usize>,
        gradient: Option<(f64, &mut [f64])>,
    ) -> Sums {
        R::exact_sum(&view.owned(), weights, rows, gradient)
    }

    fn train(
        lesson: &Lesson<'_, Self, T>,
        start: &[T],
        workspace: &mut Workspace<T>,
        update: &mut [T],
    ) {
        R::train(&lesson.owned(), start, workspace, update);
    }
}

macro_rules! compiled {
    ($($rows:ty: $scalar:ty;)*) => {$(
        impl Kernels<$scalar> for $rows {
            fn sum(view: &View<'_, Self>, weights: &[$scalar], rows: Range<usize>) -> Sums {
                dispatch(view, weights, rows, None)
            }

            fn exact_sum(
                view: &View<'_, Self>,
                weights: &[f64],
                rows: Range<usize>,
                gradient: Option<(f64, &mut [f64])>,
            ) -> Sums {
                dispatch(view, weights, rows, gradient)
            }

            fn train(
                lesson: &Lesson<'_, Self, $scalar>,
                start: &[$scalar],
                workspace: &mut Workspace<$scalar>,
                update: &mut [$scalar],
            ) {
                learn(lesson, start, workspace, update);
            }
        }
    )*};
}

compiled! {
    Design: f64;
    PixelRows: f32;
}

/// One chunk, compiled for every vector width and number of lanes.
fn dispatch<R: Rows, T: Scalar>(
    view: &View<'_, R>,
    weights: &[T],
    rows: Range<usize>,
    gradient: Option<(f64, &mut [f64])>,
) -> Sums {
    let arch = Arch::new();
    match view.layout.lanes {
        1 => arch.dispatch(Pass::<_, _, 1> { view, weights, rows, gradient }),
        2 => arch.dispatch(Pass::<_, _, 2> { view, weights, rows, gradient }),
        4 => arch.dispatch(Pass::<_, _, 4> { view, weights, rows, gradient }),
        8 => arch.dispatch(Pass::<_, _, 8> { view, weights, rows, gradient }),
        _ => arch.dispatch(Pass::<_, _, 16> { view, weights, rows, gradient }),
    }
}

/// One agent's training, likewise.
fn learn<R: Rows, T: Scalar>(
    lesson: &Lesson<'_, R, T>,
    start: &[T],
    workspace: &mut Workspace<T>,
    update: &mut [T],
) {
    let arch = Arch::new();
    match lesson.layout.lanes {
        1 => arch.dispatch(Training::<_, _, 1> { lesson, start, workspace, update }),
        2 => arch.dispatch(Training::<_, _, 2> { lesson, start, workspace, update }),
        4 => arch.dispatch(Training::<_, _, 4> { lesson, start, workspace, update }),
        8 => arch.dispatch(Training::<_, _, 8> { lesson, start, workspace, update }),
        _ => arch.dispatch(Training::<_, _, 16> { lesson, start, workspace, update }),
    }
}
