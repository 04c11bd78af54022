//! What holds a training steady: corrected local work, and a server that looks before it steps.

/// Whether local steps are corrected for drift (ledger E48).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// Control variates where everybody takes part in every round, the rule can use them and they fit
    /// into memory; else none.
    #[default]
    Auto,
    /// Control variates, mixed by the rule's own weights.
    Control,
    /// Agents follow their own gradients.
    None,
}

/// Whether the server compares several steps before it takes one (ledger E49).
///
/// Off unless asked: it never lets the objective fall, but a step that looks worse now is often the better
/// one for later (docs/networks.md has the runs).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Search {
    /// The best of a few steps by the rule's own objective.
    On,
    /// The rule's step as it is.
    #[default]
    Off,
}

impl Correction {
    /// Every choice with its name in specs.
    pub const NAMES: &[(&str, Self)] =
        &[("auto", Self::Auto), ("control", Self::Control), ("none", Self::None)];
}

impl Search {
    /// Every choice with its name in specs.
    pub const NAMES: &[(&str, Self)] = &[("on", Self::On), ("off", Self::Off)];
}
