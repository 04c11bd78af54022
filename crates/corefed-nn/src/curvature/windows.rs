//! Which places of a window see which pixels.

use crate::{Layer, Stage};

/// A pixel and a place, and the cell of the window by which the one is seen from the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    pub(super) pixel: usize,
    pub(super) place: usize,
    pub(super) cell: usize,
}

/// All sights of a layer, in three orders.
#[derive(Clone, Debug)]
pub(super) struct Windows {
    /// From each place.
    pub(super) places: Vec<Vec<Sight>>,
    /// Of each pixel.
    pub(super) pixels: Vec<Vec<Sight>>,
    /// By each cell.
    pub(super) cells: Vec<Vec<Sight>>,
}

impl Windows {
    /// Of a convolution or a pool; a linear layer is a convolution over one pixel.
    pub(super) fn new(stage: &Stage) -> Self {
        let (Layer::Conv { window, .. } | Layer::AvgPool(window)) = stage.layer else {
            let one = vec![vec![Sight { pixel: 0, place: 0, cell: 0 }]];
            return Self { places: one.clone(), pixels: one.clone(), cells: one };
        };
        let (input, output) = (stage.input.as_maps(), stage.output.as_maps());
        let empty = |count: usize| vec![Vec::new(); count];
        let mut all = Self {
            places: empty(output.height * output.width),
            pixels: empty(input.height * input.width),
            cells: empty(window.size * window.size),
        };
        let inside = |place: usize, cell: usize, size: usize| {
            (place * window.stride + cell).checked_sub(window.padding).filter(|at| *at < size)
        };
        for place in 0..all.places.len() {
            for cell in 0..all.cells.len() {
                let y = inside(place / output.width, cell / window.size, input.height);
                let x = inside(place % output.width, cell % window.size, input.width);
                if let (Some(y), Some(x)) = (y, x) {
                    let sight = Sight { pixel: y * input.width + x, place, cell };
                    all.places[place].push(sight);
                    all.pixels[sight.pixel].push(sight);
                    all.cells[cell].push(sight);
                }
            }
        }
        all
    }
}
