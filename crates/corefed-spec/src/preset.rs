//! Specs that come with the program.

use crate::Spec;

impl Spec {
    /// A spec that comes with the program; see [`presets`].
    #[must_use]
    pub fn preset(name: &str) -> Option<Self> {
        let preset = presets().iter().find(|preset| preset.name == name)?;
        Self::parse(&format!("{name}.toml"), preset.text).ok()
    }
}

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
static PRESETS: [Preset; 10] = [
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
    Preset {
        name: "table1-adult",
        about: "the paper's table 1 on Adult: logistic regression, six rules",
        text: include_str!("../presets/table1-adult.toml"),
    },
    Preset {
        name: "table1-mnist",
        about: "the paper's table 1 on MNIST: a small network",
        text: include_str!("../presets/table1-mnist.toml"),
    },
    Preset {
        name: "table1-cifar10",
        about: "the paper's table 1 on CIFAR-10: a small network",
        text: include_str!("../presets/table1-cifar10.toml"),
    },
    Preset {
        name: "table2",
        about: "the paper's table 2: VGG-11 on CIFAR-10, three agents",
        text: include_str!("../presets/table2.toml"),
    },
    Preset {
        name: "table3",
        about: "the paper's table 3: as table 2, with noise on two agents",
        text: include_str!("../presets/table3.toml"),
    },
    Preset {
        name: "table4",
        about: "the paper's table 4: as table 2, with ten agents",
        text: include_str!("../presets/table4.toml"),
    },
];

/// The specs that come with the program.
#[must_use]
pub fn presets() -> &'static [Preset] {
    &PRESETS
}
