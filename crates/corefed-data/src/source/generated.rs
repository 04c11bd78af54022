//! Sets that code draws from a seed, as the catalogue has them.

use std::fmt::Write;

use super::Rows;
use crate::shapes::draw_shapes;
use crate::{DataError, Federation, Synthetic, Table, hospitals_csv};
use corefed_core::Seed;

/// Images of the set of shapes.
const SHAPES: usize = 6000;

/// Five made-up hospitals.
pub(super) fn hospitals(seed: Seed) -> Result<Rows, DataError> {
    let text = hospitals_csv(seed.0);
    Ok(Rows::Table(Table::parse("hospitals.csv", text.as_bytes())?))
}

/// Devices with a model each, as in experiments on heterogeneous federations.
pub(super) fn synthetic(seed: Seed) -> Result<Rows, DataError> {
    let text = devices(&Synthetic::default().generate(seed)?);
    Ok(Rows::Table(Table::parse("synthetic.csv", text.as_bytes())?))
}

/// Small grey pictures.
pub(super) fn shapes(seed: Seed) -> Result<Rows, DataError> {
    Ok(Rows::Images(draw_shapes(SHAPES, seed)?))
}

/// The generated devices as a table: `device`, `x1` to `x60`, `class`.
fn devices(federation: &Federation) -> String {
    let design = federation.design();
    let mut text = String::from("device");
    // Writing to a String cannot fail.
    for k in 1..=design.dense_cols() {
        let _ = write!(text, ",x{k}");
    }
    text.push_str(",class\n");
    for agent in federation.agents() {
        for row in agent.rows.clone() {
            text.push_str(&agent.name);
            for x in design.dense_rows(row..row + 1) {
                let _ = write!(text, ",{x}");
            }
            let _ = writeln!(text, ",{}", federation.target()[row]);
        }
    }
    text
}
