//! The loops that take all the time, one source for every instruction set.
#![expect(clippy::inline_always, reason = "vector features reach only what is inlined")]

mod bundle;
mod loops;
mod multiply;
mod outer;
mod pack;
mod sides;
mod square;
mod stream;
mod tile;
mod tiles;

pub(crate) use bundle::{
    BundleMultiply, BundleOuter, Line, MostPlaces, OUTPUTS, Reach, Span, blocks_of,
};
pub(crate) use loops::{Loops, Run};
pub(crate) use multiply::{Multiply, Row, Segment};
pub(crate) use outer::Outer;
pub(crate) use pack::{Pack, PackTransposed};
pub(crate) use stream::{Stream, streams};
pub(crate) use tile::{Panels, even_parts, panels};
pub(crate) use tiles::{Cut, Join, Matrices, Strides, Transforms, Winograd};
