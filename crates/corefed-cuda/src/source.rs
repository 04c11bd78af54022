//! CUDA text of the kernels a network needs, with sizes as constants.

mod product;

use std::fmt::Write as _;

use corefed_nn::{Activation, Loss};

use crate::form::Form;
use crate::plan::{Point, Pool};

/// Rows of a batch that a block keeps beside it.
const LISTED: usize = 1024;

const COMMON: &str = include_str!("../kernels/common.cu");
const TENSOR: &str = include_str!("../kernels/tensor.cu");
/// Parts in the order in which they build on each other.
const PRODUCT: &str = concat!(
    include_str!("../kernels/vectors.cu"),
    include_str!("../kernels/pixels.cu"),
    include_str!("../kernels/border.cu"),
    include_str!("../kernels/block.cu"),
    include_str!("../kernels/halves.cu"),
    include_str!("../kernels/sums.cu"),
    include_str!("../kernels/staged.cu"),
    include_str!("../kernels/copied.cu"),
    include_str!("../kernels/parts.cu"),
    include_str!("../kernels/step.cu"),
    include_str!("../kernels/ending.cu"),
    include_str!("../kernels/product.cu"),
);
const DIRECT: &str = concat!(
    include_str!("../kernels/vectors.cu"),
    include_str!("../kernels/parts.cu"),
    include_str!("../kernels/step.cu"),
    include_str!("../kernels/direct.cu"),
    include_str!("../kernels/direct_forward.cu"),
    include_str!("../kernels/direct_weight.cu"),
    include_str!("../kernels/direct_input.cu"),
);
const POINT: &str = include_str!("../kernels/point.cu");
const LOSS: &str = include_str!("../kernels/loss.cu");

/// One kernel: the text it is compiled from is also its name in a cache.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    /// What is specific to it.
    own: String,
    library: &'static str,
    /// Of the function.
    pub(crate) name: &'static str,
}

impl Source {
    pub(crate) fn text(&self) -> String {
        let tensor = if self.library == POINT { "" } else { TENSOR };
        format!("{COMMON}{tensor}{}{}", self.library, self.own)
    }

    /// For a host that stands in for the device, which brings its own tensor cores.
    #[cfg(test)]
    pub(crate) fn emulated(&self) -> String {
        format!("{COMMON}{}{}", self.library, self.own)
    }

    /// Kernels without sizes: `tick`, `difference`, `spread`, `spread_halves`, `fold`.
    pub(crate) fn plain(name: &'static str) -> Self {
        Self { own: String::new(), library: LOSS, name }
    }

    pub(crate) fn loss(loss: Loss, classes: usize) -> Self {
        let (bounded, smoothing) = match loss {
            Loss::CrossEntropy => (false, 0.0),
            Loss::Bounded { smoothing } => (true, smoothing),
        };
        let own = format!(
            "extern \"C\" __global__ void __launch_bounds__(1024) step(const Args a) {{ \
             loss<{classes}, {bounded}>(a, (float){smoothing:e}); }}\n"
        );
        Self { own, library: LOSS, name: "step" }
    }

    pub(crate) fn point(point: &Point, back: bool) -> Self {
        let pool = match point.pool {
            None => 0,
            Some(Pool::Max) => 1,
            Some(Pool::Avg) => 2,
        };
        let constants = [
            ("H", point.input.height),
            ("W", point.input.width),
            ("CI", point.input.channels),
            ("OH", point.output.height),
            ("OW", point.output.width),
            ("KS", point.window.size),
            ("ST", point.window.stride),
            ("ACT", number(point.activation)),
            ("POOL", pool),
        ];
        let call = if back { "point_backward" } else { "point_forward" };
        let own = format!(
            "{}extern \"C\" __global__ void __launch_bounds__(256) step(const Args a) {{ \
             {call}<Sizes>(a); }}\n",
            sizes(&constants)
        );
        Self { own, library: POINT, name: "step" }
    }

    pub(crate) fn dropout(len: usize, rate: f32, back: bool) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of 2^32"
        )]
        let threshold = (f64::from(rate) * 4_294_967_296.0) as u32;
        let scale = 1.0 / (1.0 - rate);
        let own = format!(
            "extern \"C\" __global__ void __launch_bounds__(256) step(const Args a) {{ \
             dropout<{back}>(a, {len}u, {threshold}u, (float){scale:e}); }}\n"
        );
        Self { own, library: POINT, name: "step" }
    }

    pub(crate) fn gather(len: usize, form: Form) -> Self {
        let (bytes, channels) = (u8::from(form.bytes), form.channels);
        let own = format!(
            "extern \"C\" __global__ void __launch_bounds__(256) step(const Args a) {{ \
             gather<{bytes}, {channels}>(a, {len}u); }}\n"
        );
        Self { own, library: POINT, name: "step" }
    }
}

fn sizes(constants: &[(&str, usize)]) -> String {
    let mut text = String::from("struct Sizes {\n");
    for (name, value) in constants {
        let _ = writeln!(text, "    static constexpr int {name} = {value};");
    }
    text.push_str("};\n");
    text
}

fn number(activation: Option<Activation>) -> usize {
    match activation {
        None => 0,
        Some(Activation::Relu) => 1,
        Some(Activation::Gelu) => 2,
        Some(Activation::Softplus) => 3,
        Some(Activation::Tanh) => 4,
    }
}
