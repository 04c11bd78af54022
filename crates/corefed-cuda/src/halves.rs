//! Which numbers have 16 bits in memory.

use crate::direct::direct;
use crate::kind::Kind;
use crate::precision::Precision;
use crate::product::Product;
use crate::vectors::EIGHT;

/// What lies as bf16 around a product. Loss, points, dropout and direct kernels read floats, and so do products that read
/// images; what goes into a slope, before an activation, is float as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Halves {
    /// What it reads, and what it makes.
    pub(crate) activations: (bool, bool),
    /// Of what it reads, and of what it makes.
    pub(crate) gradients: (bool, bool),
}

/// How the operands of a product lie in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    Floats,
    /// All are bf16, and may be multiplied as such.
    Halves,
    /// Some are bf16: they become floats on their way.
    Mixed,
}

impl Product {
    /// Direct kernels can make bf16 for a product of matrices, but read floats.
    pub(crate) fn halves(&self, precision: Precision) -> Halves {
        let chosen = |(input, output): (bool, bool)| {
            let half = precision == Precision::Bf16;
            (half && input, half && output)
        };
        let activations = chosen(self.eights);
        let gradients = (activations.0 && self.between.0, activations.1 && self.between.1);
        Halves { activations, gradients }
    }

    pub(crate) fn lie(&self, kind: Kind, precision: Precision) -> Lie {
        let halves = self.halves(precision);
        let (input, gradient) = (halves.activations.0, halves.gradients.1);
        // Less than two weights cannot be copied at once.
        let pairs = self.output.channels.is_multiple_of(2) && self.offset.is_multiple_of(2);
        let (left, right) = match kind {
            Kind::Forward => (input, input && pairs),
            Kind::Input => (gradient, gradient && pairs),
            Kind::Weight => (input, gradient),
        };
        match (left, right) {
            (false, false) => Lie::Floats,
            (true, true) => Lie::Halves,
            _ => Lie::Mixed,
        }
    }

    /// Whether what one product makes for the next, which may be this one, comes in whole vectors of bf16.
    pub(crate) fn passes_eights(&self, next: Option<&Self>) -> bool {
        let multiplied = next.is_some_and(|next| !direct(next));
        multiplied && self.output.channels.is_multiple_of(EIGHT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::{known, network};
    use crate::plan::{Op, plan};

    fn halves(ops: &[Op], place: usize) -> (Halves, [Lie; 3]) {
        let Op::Product(product) = ops[place] else { panic!("a product") };
        let kinds = [Kind::Forward, Kind::Input, Kind::Weight];
        let precision = Precision::Bf16;
        (product.halves(precision), kinds.map(|kind| product.lie(kind, precision)))
    }

    #[test]
    fn what_lies_between_products_is_kept_as_halves() {
        let ops = plan(&known("vgg11"));
        let (first, lies) = halves(&ops, 0);
        assert_eq!(first, Halves { activations: (false, true), gradients: (false, true) });
        assert_eq!(lies, [Lie::Floats, Lie::Halves, Lie::Mixed]);
        for place in 1..10 {
            let (inner, lies) = halves(&ops, place);
            assert_eq!(inner, Halves { activations: (true, true), gradients: (true, true) });
            assert_eq!(lies, [Lie::Halves; 3]);
        }
        // Ten columns are pairs; slopes of logits are floats.
        let (last, lies) = halves(&ops, 10);
        assert_eq!(last, Halves { activations: (true, false), gradients: (true, false) });
        assert_eq!(lies, [Lie::Halves, Lie::Floats, Lie::Mixed]);
    }

    #[test]
    fn direct_kernels_make_halves_but_read_floats() {
        let ops = plan(&known("cnn-wide"));
        let (first, _) = halves(&ops, 0);
        assert_eq!(first, Halves { activations: (false, true), gradients: (false, false) });
        let (second, lies) = halves(&ops, 1);
        assert_eq!(second, Halves { activations: (true, true), gradients: (false, true) });
        assert_eq!(lies, [Lie::Halves; 3]);
    }

    #[test]
    fn other_numbers_of_channels_and_other_precisions_stay_floats() {
        let ops = plan(&network(&["conv 12 3", "relu", "flatten", "linear 10"]));
        // Flattened, there are whole vectors; as images they lie otherwise.
        let floats = Halves { activations: (false, false), gradients: (false, false) };
        assert_eq!((halves(&ops, 0).0, halves(&ops, 1).0), (floats, floats));
        let Op::Product(product) = plan(&known("vgg11"))[3] else { panic!("a product") };
        for precision in [Precision::Fp32, Precision::Tf32, Precision::Tf32x3] {
            assert_eq!(product.halves(precision), floats);
        }
    }
}
