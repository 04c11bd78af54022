//! Text of products and of convolutions that are computed directly.

use crate::direct::Direct;
use crate::vectors::{halved, vectors, wide};
use corefed_nn::{Activation, Shape};

use super::{DIRECT, LISTED, PRODUCT, Source, number, sizes};
use crate::form::Form;
use crate::kind::Kind;
use crate::layout::ProductLayout;
use crate::precision::Precision;
use crate::product::Product;

impl Source {
    pub(crate) fn product(
        product: &Product,
        cut: &ProductLayout,
        precision: Precision,
        form: Form,
        batch: usize,
        ticks: bool,
    ) -> Self {
        let (input, output, made) = (product.input, product.output, product.made());
        let tile = cut.tile;
        let source = origin(product, form);
        let wide = wide(product, form);
        let [mut left, mut right, ends] = vectors(product, cut.kind, form);
        if tile.half {
            (left, right) = halved(product, cut.kind);
        }
        let halves = product.halves(precision);
        let activation = activation(product, cut.kind);
        let forward = cut.kind == Kind::Forward;
        let pools = product.pools && (forward || !product.spreads);
        // Factors are rounded in memory, other numbers only between products. Weights beside factors of bf16 are not.
        let half = precision == Precision::Bf16;
        let (input_raw, gradient_raw) = (!product.between.0, !product.between.1);
        let (left_raw, right_raw) = match cut.kind {
            Kind::Forward => (input_raw, half),
            Kind::Input => (gradient_raw, half),
            Kind::Weight => (input_raw, gradient_raw),
        };
        let computed = match precision {
            Precision::Bf16 if !tile.half => Precision::Tf32,
            other => other,
        };
        // What is staged is rounded on its way.
        let copies = tile.copies();
        let rounds = match cut.kind {
            Kind::Forward => product.between.1 && !halves.activations.1,
            Kind::Input => product.between.0 && !halves.gradients.0,
            Kind::Weight => false,
        };
        let rounds = rounds && matches!(precision, Precision::Tf32 | Precision::Bf16);
        let behind = product.behind.unwrap_or(Shape { height: 1, width: 1, channels: 1 });
        let constants = [
            ("KIND", cut.kind as usize),
            ("H", input.height),
            ("W", input.width),
            ("CI", input.channels),
            ("CIP", wide),
            ("OH", output.height),
            ("OW", output.width),
            ("CO", output.channels),
            ("KS", product.window.size),
            ("ST", product.window.stride),
            ("PAD", product.window.padding),
            ("POOL", usize::from(pools)),
            ("PH", made.height),
            ("PW", made.width),
            ("ACT", number(activation)),
            ("SOURCE", source),
            ("CHANNELS", form.channels),
            ("IMAGES", if tile.by_pixel(cut.extent) { batch } else { 0 }),
            ("LISTED", if batch <= LISTED { batch } else { 0 }),
            ("PRECISION", computed as usize),
            ("HALF_W", usize::from(half)),
            ("HALF_X", usize::from(halves.activations.0)),
            ("HALF_Y", usize::from(halves.activations.1)),
            ("HALF_DX", usize::from(halves.gradients.0)),
            ("HALF_DY", usize::from(halves.gradients.1)),
            ("BM", tile.rows),
            ("BN", tile.cols),
            ("BK", tile.depth),
            ("WARPS_M", tile.warps.0),
            ("WARPS_N", tile.warps.1),
            ("WARPS_K", tile.layers),
            ("STAGES", tile.stages),
            ("CLUSTER", tile.cluster),
            ("COPIES", usize::from(copies)),
            ("ROUND_A", usize::from(copies && left_raw)),
            ("ROUND_B", usize::from(copies && right_raw)),
            ("ROUND_OUT", usize::from(rounds)),
            ("SPREADS", usize::from(product.behind.is_some())),
            ("BW", behind.width),
            ("BC", behind.channels),
            ("VA", left),
            ("VB", right),
            ("VC", ends),
            ("OFFSET", product.offset),
            ("TICK", usize::from(ticks)),
            ("SHARED", tile.shared(cut.kind)),
        ];
        let cluster = if tile.cluster > 1 {
            format!("__cluster_dims__(1, {}, 1) ", tile.cluster)
        } else {
            String::new()
        };
        let own = format!(
            "{}extern \"C\" __global__ void {cluster}__launch_bounds__({}, {}) step(const Args a) {{ \
             product<Sizes>(a); }}\n",
            sizes(&constants),
            tile.threads(),
            tile.resident()
        );
        Self { own, library: PRODUCT, name: "step" }
    }

    /// A pooled convolution without matrices; `own` are the constants that its kind needs.
    pub(crate) fn direct(
        product: &Product,
        cut: Direct,
        precision: Precision,
        form: Form,
        ticks: bool,
    ) -> Self {
        let Direct { kind, threads, .. } = cut;
        let (input, output, made) = (product.input, product.output, product.made());
        let mut constants = vec![
            ("KIND", kind as usize),
            ("H", input.height),
            ("W", input.width),
            ("CI", input.channels),
            ("CIP", wide(product, form)),
            ("CO", output.channels),
            ("KS", product.window.size),
            ("PAD", product.window.padding),
            ("PH", made.height),
            ("PW", made.width),
            ("ACT", number(activation(product, kind))),
            ("SOURCE", origin(product, form)),
            ("CHANNELS", form.channels),
            ("OFFSET", product.offset),
            ("HALF_W", usize::from(precision == Precision::Bf16)),
            ("HALF_Y", usize::from(product.halves(precision).activations.1)),
            ("THREADS", threads),
        ];
        constants.extend(cut.constants(product, ticks));
        let call = match kind {
            Kind::Forward => "direct_forward",
            Kind::Input => "direct_input",
            Kind::Weight => "direct_weight",
        };
        // Registers are saved where two blocks are to be resident.
        let resident = if kind == Kind::Weight { 2 } else { 1 };
        let own = format!(
            "{}extern \"C\" __global__ void __launch_bounds__({threads}, {resident}) step(const Args a) {{ \
             {call}<Sizes>(a); }}\n",
            sizes(&constants)
        );
        Self { own, library: DIRECT, name: "step" }
    }
}

/// What a product reads, as `common.cu` counts.
fn origin(product: &Product, form: Form) -> usize {
    match (product.first, form.bytes) {
        (false, _) => 0,
        (true, true) => 1,
        (true, false) => 2,
    }
}

/// The activation that a kernel applies or takes the slope of.
fn activation(product: &Product, kind: Kind) -> Option<Activation> {
    match kind {
        Kind::Forward => product.activation,
        Kind::Input => product.before,
        Kind::Weight => None,
    }
}
