//! Keys of `[network]`.

use corefed_nn::Init;

use crate::key::{Key, Section};
use crate::takes::{Choice, Flag, Free, Number, Whole, Without};
use crate::{Device, Precision};
use corefed_core::Range;

pub(crate) static LAYERS: Key<Free> = Key::new(
    "layers",
    Free {
        wanted: "a list such as `[\"conv 32 5 pad=2\", \"relu\", \"max-pool 2\", \"flatten\", \
                 \"linear 10\"]`",
        without: Without::Told("those of the preset; required for `model = \"network\"`"),
    },
    "From image to logits: `conv CHANNELS SIZE [pad=N] [stride=N]`, `max-pool SIZE [stride=N]`, \
     `avg-pool SIZE [stride=N]`, `relu`, `gelu`, `softplus`, `tanh`, `flatten`, `linear FEATURES`, \
     `dropout SHARE`.",
);
pub(crate) static SMOOTHING: Key<Number> = Key::new(
    "smoothing",
    Number { range: Range::PART, default: 0.0 },
    "Share `s` of every prediction that is spread over all K classes: the loss is then at most \
     `log(K / s)`, a ceiling that needs no assumption. 0 is plain cross-entropy, which has no \
     largest value.",
);
pub(crate) static INIT: Key<Choice<Init>> = Key::new(
    "init",
    Choice {
        options: &[("kaiming", Init::Kaiming), ("he", Init::He), ("glorot", Init::Glorot)],
        default: Some("kaiming"),
    },
    "How parameters are drawn before training: PyTorch's default, normal with variance 2 over the \
     inputs, or uniform by inputs and outputs.",
);
pub(crate) static STANDARDISE: Key<Flag> = Key::new(
    "standardise",
    Flag { default: true },
    "Bring every channel of the images to mean zero and deviation one; otherwise pixels are in \
     [0, 1].",
);
pub(crate) static DEVICE: Key<Choice<Device>> = Key::new(
    "device",
    Choice { options: &[("cpu", Device::Cpu), ("cuda", Device::Cuda)], default: Some("cpu") },
    "Where agents train: on the cores of the machine, or all together on its first NVIDIA GPU. \
     Results of the two agree to rounding, not to the bit.",
);
pub(crate) static PRECISION: Key<Choice<Precision>> = Key::new(
    "precision",
    Choice { options: Precision::NAMES, default: Some("fp32") },
    "Matrix products of training on a GPU: single precision, or faster with factors rounded to 10 bits, \
     or to 7 that take half the memory. Only `fp32` with `device = \"cpu\"`.",
);

pub(crate) static TOGETHER: Key<Whole> = Key::new(
    "together",
    Whole { least: 1, most: 1024, default: Some(64) },
    "Agents that train at once on a GPU; fewer need less of its memory.",
);

pub(crate) static SECTION: Section = Section {
    path: "network",
    meaning: "A network, for models that are one; only for images.",
    keys: &[&LAYERS, &SMOOTHING, &INIT, &STANDARDISE, &DEVICE, &PRECISION, &TOGETHER],
    selector: None,
    rivals: &[],
};
