//! Charts as SVG, drawn twice: wide for a desk and for print, narrow for a phone.
//!
//! Colours are classes, so that the page's theme decides; a figure that stands alone brings its own
//! style sheet. No colour carries a meaning that a shape, a dash or a word does not carry, too.

mod axis;
mod dots;
mod gains;
mod heat;
mod kappa;
mod lines;
mod steps;
mod svg;

pub(crate) use axis::Axis;
pub(crate) use dots::{Dots, Row, Strip};
pub(crate) use gains::{Gain, GainRow, Gains};
pub(crate) use heat::Heat;
pub(crate) use kappa::{Scale, ScaleRow};
pub(crate) use lines::{Lines, Series, Zone};
pub(crate) use steps::{Step, Steps};
pub(crate) use svg::{NARROW, STYLES, WIDE};
