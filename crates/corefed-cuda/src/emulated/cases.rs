//! Networks whose kernels are run.

use corefed_nn::Shape;

const COLOUR: Shape = Shape { height: 9, width: 8, channels: 3 };

/// Rows that batches have room for; agents use less.
pub(super) fn room(name: &str) -> usize {
    if name.starts_with("border") { 16 } else { 6 }
}

/// Names, images and layers.
pub(super) const CASES: [(&str, Shape, &[&str]); 14] = [
    // Even maps behind pools: gradients of all pixels are kept.
    (
        "spread",
        COLOUR,
        &[
            "conv 16 2 stride=2",
            "relu",
            "max-pool 2",
            "conv 32 3 pad=1",
            "relu",
            "max-pool 2",
            "flatten",
            "linear 5",
        ],
    ),
    // Small images in large batches: what windows do not see at the border is left out.
    (
        "border",
        COLOUR,
        &[
            "conv 16 2 stride=2",
            "relu",
            "conv 32 3 pad=1",
            "relu",
            "conv 16 5 pad=2",
            "relu",
            "max-pool 2",
            "conv 32 3 pad=1",
            "gelu",
            "conv 16 2 pad=1",
            "relu",
            "flatten",
            "linear 5",
        ],
    ),
    // Enough channels for tiles that are inside taps.
    (
        "channels",
        COLOUR,
        &[
            "conv 32 3 pad=1",
            "relu",
            "conv 64 3",
            "relu",
            "conv 32 3 pad=1",
            "relu",
            "max-pool 2",
            "flatten",
            "linear 5",
        ],
    ),
    // No kinks: rounding changes little.
    (
        "smooth",
        COLOUR,
        &[
            "conv 16 3 pad=1",
            "gelu",
            "conv 32 3",
            "tanh",
            "conv 16 2 pad=1",
            "softplus",
            "flatten",
            "linear 24",
            "tanh",
            "linear 5",
        ],
    ),
    // What a product of many channels reads was not made by one.
    (
        "averages",
        COLOUR,
        &[
            "conv 16 3 pad=1",
            "gelu",
            "avg-pool 2",
            "conv 64 2",
            "tanh",
            "conv 16 2",
            "gelu",
            "avg-pool 2",
            "flatten",
            "linear 5",
        ],
    ),
    ("linears", COLOUR, &["flatten", "linear 33", "relu", "linear 5"]),
    (
        "pools",
        COLOUR,
        &[
            "conv 8 3 pad=1",
            "relu",
            "max-pool 2",
            "conv 12 3 pad=1",
            "relu",
            "max-pool 2",
            "flatten",
            "linear 5",
        ],
    ),
    (
        "strides",
        COLOUR,
        &[
            "conv 6 3 stride=2 pad=1",
            "tanh",
            "conv 5 2 stride=2",
            "gelu",
            "flatten",
            "linear 9",
            "softplus",
            "linear 5",
        ],
    ),
    (
        "points",
        COLOUR,
        &[
            "avg-pool 2 stride=1",
            "conv 6 3",
            "softplus",
            "max-pool 3 stride=2",
            "conv 4 2 pad=1",
            "gelu",
            "avg-pool 2 stride=1",
            "flatten",
            "tanh",
            "linear 5",
        ],
    ),
    (
        "dropout",
        COLOUR,
        &[
            "conv 6 3",
            "relu",
            "max-pool 2",
            "dropout 0.25",
            "flatten",
            "linear 20",
            "relu",
            "dropout 0.5",
            "linear 5",
        ],
    ),
    // Computed directly: one channel, odd sizes, a place that no pool covers; then no activation.
    (
        "grey",
        Shape { height: 13, width: 11, channels: 1 },
        &["conv 6 5 pad=2", "relu", "max-pool 2", "conv 7 3", "max-pool 2", "flatten", "linear 5"],
    ),
    // More channels than a block has warps for at once.
    ("broad", COLOUR, &["conv 20 3 pad=1", "relu", "max-pool 2", "flatten", "linear 5"]),
    // Matrices before and after what is computed directly.
    (
        "mixed",
        COLOUR,
        &[
            "conv 6 3 pad=1",
            "gelu",
            "conv 8 2",
            "relu",
            "max-pool 2",
            "conv 12 2 pad=1",
            "tanh",
            "flatten",
            "linear 5",
        ],
    ),
    // A pool that is not computed directly, behind one that is.
    (
        "many",
        COLOUR,
        &[
            "conv 10 3 pad=1",
            "relu",
            "max-pool 2",
            "conv 14 3 pad=1",
            "relu",
            "max-pool 2",
            "flatten",
            "linear 5",
        ],
    ),
];

/// Names, rows that batches have room for, and layers that keep whole numbers whole.
pub(super) const WHOLE: [(&str, usize, &[&str]); 6] = [
    // Windows that are padded or not, then lines without windows, of 24 and for 10 columns.
    (
        "plain",
        5,
        &[
            "conv 16 3 pad=1",
            "relu",
            "conv 32 3 pad=1",
            "conv 48 2",
            "relu",
            "flatten",
            "linear 24",
            "relu",
            "linear 10",
        ],
    ),
    // Maxima of 2x2 behind others: gradients are spread.
    (
        "pooled",
        4,
        &[
            "conv 16 2 stride=2",
            "relu",
            "max-pool 2",
            "conv 32 3 pad=1",
            "relu",
            "max-pool 2",
            "flatten",
            "linear 10",
        ],
    ),
    // Maxima that leave a line over, and windows that move by two pixels: nothing can be copied on the way back.
    (
        "rests",
        4,
        &[
            "conv 16 3 pad=1",
            "relu",
            "conv 24 3 pad=1",
            "relu",
            "max-pool 2",
            "conv 32 3 stride=2 pad=1",
            "relu",
            "conv 8 2",
            "flatten",
            "linear 10",
        ],
    ),
    // Small images in large batches: places are in the order of pixels.
    (
        "small",
        16,
        &[
            "conv 16 2 stride=2",
            "relu",
            "conv 64 3 pad=1",
            "relu",
            "conv 16 5 pad=2",
            "relu",
            "max-pool 2",
            "conv 48 3 pad=1",
            "flatten",
            "linear 10",
        ],
    ),
    // Behind a layer that is computed directly.
    (
        "direct",
        4,
        &[
            "conv 8 3 pad=1",
            "relu",
            "max-pool 2",
            "conv 32 2 pad=1",
            "relu",
            "flatten",
            "linear 10",
        ],
    ),
    // Numbers of channels that do not fill whole vectors, and weights that begin at any place.
    (
        "odd",
        4,
        &[
            "conv 9 2",
            "relu",
            "conv 16 2",
            "relu",
            "conv 32 2",
            "relu",
            "conv 7 2",
            "relu",
            "flatten",
            "linear 10",
        ],
    ),
];
