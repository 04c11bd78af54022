//! What a caller changes about a spec by values of its own.

use corefed_core::Choice;

use crate::keys::{network, root};
use crate::write::ceiling_text;
use crate::{Ceiling, Device, Spec, SpecErrors, WeightsBy, toml_text};

/// Values in place of a spec's own. Each is checked as if the spec said it, so a flag needs no check of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Overrides<'a> {
    /// Keys by their dotted path, as text; the fields below come after them.
    pub set: &'a [(String, String)],
    /// `seed`.
    pub seed: Option<u64>,
    /// `ceiling`.
    pub ceiling: Option<&'a Ceiling>,
    /// `radius`.
    pub radius: Option<f64>,
    /// `weights`.
    pub weights: Option<&'a WeightsBy>,
    /// `held_out`.
    pub held_out: Option<f64>,
    /// `tolerance`.
    pub tolerance: Option<f64>,
    /// `time_limit`.
    pub time_limit: Option<f64>,
    /// `network.device`.
    pub device: Option<Device>,
}

impl Spec {
    /// The spec with all of them, set at once: keys which need each other may come in any order.
    pub fn overridden(&self, by: &Overrides<'_>) -> Result<Self, SpecErrors> {
        let number = |value: Option<f64>| value.map(toml_text::number);
        let device = format!("{}.{}", network::SECTION.path, network::DEVICE.name);
        let fields = [
            (root::SEED.name, by.seed.map(|seed| seed.to_string())),
            (root::CEILING.name, by.ceiling.map(ceiling_text)),
            (root::RADIUS.name, number(by.radius)),
            (root::WEIGHTS.name, by.weights.map(|weights| toml_text::text(&weights.to_string()))),
            (root::HELD_OUT.name, number(by.held_out)),
            (root::TOLERANCE.name, number(by.tolerance)),
            (root::TIME_LIMIT.name, number(by.time_limit)),
            (&device, by.device.map(|device| device.word().to_owned())),
        ];
        let set = by.set.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let told = fields.iter().filter_map(|(key, value)| Some((*key, value.as_deref()?)));
        let all: Vec<(&str, &str)> = set.chain(told).collect();
        // A spec that is written and read again is the same, but need not be.
        if all.is_empty() { Ok(self.clone()) } else { self.with_all(&all) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_refused_as_the_key_would_be() {
        let spec = Spec::preset("hospitals").expect("a preset");
        let refused = |by: Overrides<'_>| spec.overridden(&by).expect_err("refused").to_string();
        let bad = [-1.0, f64::NAN, f64::INFINITY];
        for value in bad {
            let said = refused(Overrides { radius: Some(value), ..Overrides::default() });
            assert!(said.contains("`radius`: must be"), "{said}");
        }
        let said = refused(Overrides { time_limit: Some(-1.0), ..Overrides::default() });
        assert!(said.contains("`time_limit`"), "{said}");
        let said = refused(Overrides { tolerance: Some(0.2), ..Overrides::default() });
        assert!(said.contains("`tolerance`"), "{said}");
    }

    #[test]
    fn values_come_after_keys_and_are_exact() {
        let spec = Spec::preset("hospitals").expect("a preset");
        let file = Ceiling::File("terms/a \"b\".csv".into());
        let by = Overrides {
            set: &[("radius".to_owned(), "3".to_owned()), ("l2".to_owned(), "0.5".to_owned())],
            seed: Some(u64::MAX),
            ceiling: Some(&file),
            radius: Some(0.1 + 0.2),
            weights: Some(&WeightsBy::Samples),
            ..Overrides::default()
        };
        let changed = spec.overridden(&by).expect("a spec");
        assert_eq!((changed.seed, changed.radius, changed.l2), (u64::MAX, 0.1 + 0.2, 0.5));
        assert_eq!((changed.ceiling, changed.weights), (file, WeightsBy::Samples));
        for ceiling in [Ceiling::Fixed(1e300), Ceiling::Fixed(2.0), Ceiling::Worst] {
            let by = Overrides { ceiling: Some(&ceiling), ..Overrides::default() };
            assert_eq!(spec.overridden(&by).expect("a spec").ceiling, ceiling);
        }
    }
}
