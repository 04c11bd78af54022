//! A spec with what its caller changes about it; what would have no effect is refused.

use corefed_data::source::catalogue;
use corefed_spec::{Overrides, Spec};

use crate::{PrepareError, RunError};

/// The spec with these values in place of its own. A device is for networks, and a limit for audits that search:
/// asked of others they would mislead.
pub fn overridden(spec: &Spec, by: &Overrides<'_>) -> Result<Spec, RunError> {
    let found = spec.overridden(by);
    let plain = Overrides { device: None, ..*by };
    if let (Err(_), Some(_), Ok(plain)) = (&found, by.device, spec.overridden(&plain))
        && plain.model.network().is_none()
    {
        return Err(PrepareError::IdleDevice { model: plain.model.to_string() }.into());
    }
    let spec = found?;
    // Images have labels instead of a target column.
    let set = spec.data.known().and_then(|name| catalogue::find(name).ok());
    if by.time_limit.is_some() && set.is_some_and(|set| set.target.is_none()) {
        return Err(PrepareError::IdleTimeLimit.into());
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use corefed_spec::Device;

    use super::*;

    #[test]
    fn what_has_no_effect_is_refused() {
        let by = |preset: &str, by: &Overrides<'_>| {
            overridden(&Spec::preset(preset).expect("a preset"), by)
                .map_err(|error| error.message())
        };
        let device = Overrides { device: Some(Device::Cpu), ..Overrides::default() };
        let said = by("hospitals-rounds", &device).expect_err("refused");
        assert_eq!(said, "`@device` has no effect on `logistic`, which is not a network");
        let network = by("table1-cifar10", &device).expect("a network");
        assert_eq!(network.model.network().map(|own| own.device), Some(Device::Cpu));
        let limit = Overrides { time_limit: Some(5.0), ..Overrides::default() };
        let said = by("mnist", &limit).expect_err("refused");
        assert_eq!(said, "`@time-limit` has no effect on images, whose audit does not search");
        assert_eq!(by("hospitals", &limit).expect("searched").time_limit, 5.0);
    }
}
