//! How exactly products are computed.

/// How products are computed. Small pooled convolutions, which are not matrix products here, are single precision in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Single precision throughout.
    Fp32 = 0,
    /// Factors are rounded to 11 bits on their way into tensor cores; sums are single precision.
    Tf32 = 1,
    /// Factors go into tensor cores as sums of two: 22 bits, a third of TF32's speed.
    Tf32x3 = 2,
    /// Weights are single precision. What is multiplied, their copies and the numbers between layers, is rounded to
    /// the 8 bits of bf16 where it is written, and takes half the memory; sums are single precision. Where an operand
    /// is not bf16, as in layers that read images or whose number of channels is not a multiple of 8, a product is computed
    /// as in TF32.
    Bf16 = 3,
}
