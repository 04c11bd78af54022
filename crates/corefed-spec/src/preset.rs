//! Specs that come with the program.

/// A spec by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preset {
    /// As a user calls it.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// The spec as it is written.
    pub text: &'static str,
}

/// All of them.
static PRESETS: [Preset; 4] = [
    Preset {
        name: "hospitals",
        about: "five generated hospitals, solved exactly under three rules",
        text: include_str!("../presets/hospitals.toml"),
    },
    Preset {
        name: "hospitals-rounds",
        about: "the same hospitals, trained by rounds",
        text: include_str!("../presets/hospitals-rounds.toml"),
    },
    Preset {
        name: "adult",
        about: "Adult among three agents, as in the paper's first table",
        text: include_str!("../presets/adult.toml"),
    },
    Preset {
        name: "mnist",
        about: "MNIST among three agents, softmax regression",
        text: include_str!("../presets/mnist.toml"),
    },
];

/// The specs that come with the program.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}
