//! How many numbers are read and written at once.

use crate::form::Form;
use crate::kind::Kind;
use crate::product::Product;

/// Numbers that are moved at once: lines of bf16 are whole vectors of this many.
pub(crate) const EIGHT: usize = 8;

/// Channels of what a product reads, as they lie in memory.
pub(crate) fn wide(product: &Product, form: Form) -> usize {
    if product.first && form.width > form.channels { form.width } else { product.input.channels }
}

/// Numbers that are read at once on the left and on the right, and written at once.
pub(crate) fn vectors(product: &Product, kind: Kind, form: Form) -> [usize; 3] {
    let inputs = vector(wide(product, form));
    let outputs = vector(product.output.channels);
    let weights = outputs.min(vector(product.offset));
    match kind {
        Kind::Forward => [inputs, weights, outputs],
        Kind::Input => [outputs, weights, inputs],
        Kind::Weight => [inputs, outputs, weights],
    }
}

/// The same of operands that are bf16.
pub(crate) fn halved(product: &Product, kind: Kind) -> (usize, usize) {
    let weights = divisor(product.output.channels, EIGHT).min(divisor(product.offset, EIGHT));
    (EIGHT, if kind == Kind::Weight { EIGHT } else { weights })
}

/// Numbers that are moved at once, where lines are so long.
pub(crate) fn vector(line: usize) -> usize {
    divisor(line, 4)
}

/// The largest power of two that divides a line, up to `most`, which is one.
fn divisor(line: usize, most: usize) -> usize {
    1 << line.trailing_zeros().min(most.trailing_zeros())
}
