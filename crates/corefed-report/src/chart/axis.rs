//! Numbers to pixels, and where to put ticks.

/// A scale from values to positions, linear or logarithmic.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) log: bool,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that holds all finite values, with some air, from pixel to pixel.
    pub(crate) fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Self {
        let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|value| value.is_finite()) {
            (min, max) = (min.min(value), max.max(value));
        }
        if min > max {
            (min, max) = (0.0, 1.0);
        }
        if max - min < 1e-9 * (1.0 + max.abs()) {
            let air = 0.5 * max.abs().max(0.1);
            (min, max) = (min - air, max + air);
        }
        Self { min, max, log: false, from, to }
    }

    /// The same with zero on it, if it is near.
    pub(crate) fn with_zero(mut self) -> Self {
        if self.min > 0.0 {
            self.min = 0.0;
        } else if self.max < 0.0 {
            self.max = 0.0;
        }
        self
    }

    /// The same with room on both sides.
    pub(crate) fn with_air(mut self, share: f64) -> Self {
        let air = share * (self.max - self.min);
        if self.min != 0.0 {
            self.min -= air;
        }
        self.max += air;
        self
    }

    /// An axis of ratios.
    pub(crate) fn logarithmic(min: f64, max: f64, from: f64, to: f64) -> Self {
        Self { min, max, log: true, from, to }
    }

    /// Where a value lies; beyond the ends it is kept at the end.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let value = value.clamp(self.min, self.max);
        let share = if self.log {
            (value / self.min).ln() / (self.max / self.min).ln()
        } else {
            (value - self.min) / (self.max - self.min)
        };
        self.from + share * (self.to - self.from)
    }

    /// About `count` round values.
    pub(crate) fn ticks(&self, count: usize) -> Vec<f64> {
        if self.log {
            return self.log_ticks(count);
        }
        let rough = (self.max - self.min) / count.max(1) as f64;
        let unit = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * unit)
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(rough);
        let first = (self.min / step).ceil();
        (0..=4 * count)
            .map(|k| (first + k as f64) * step)
            .take_while(|tick| *tick <= self.max + 1e-9 * step)
            // Zero, not a rounding error.
            .map(|tick| if tick.abs() < 1e-9 * step { 0.0 } else { tick })
            .collect()
    }

    fn log_ticks(&self, count: usize) -> Vec<f64> {
        let fine: &[f64] = if self.max / self.min < 3.0 {
            &[1.0, 1.1, 1.2, 1.3, 1.5, 2.0, 2.5]
        } else {
            &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0]
        };
        let mut found = Vec::new();
        let mut decade = 10_f64.powf(self.min.log10().floor());
        while decade <= self.max {
            found.extend(
                fine.iter().map(|f| f * decade).filter(|t| (self.min..=self.max).contains(t)),
            );
            decade *= 10.0;
        }
        while found.len() > count.max(2) {
            // One always stays: it is what kappa is compared with.
            let mut keep = false;
            found.retain(|tick| {
                keep = !keep;
                keep || *tick == 1.0
            });
            if found.len() <= 2 {
                break;
            }
        }
        found
    }
}

/// A tick as short as it can be without two being the same; ratios have no common step.
pub(crate) fn tick_label(value: f64, step: Option<f64>) -> String {
    if value != 0.0 && (value.abs() >= 1e5 || value.abs() < 1e-3) {
        return format!("{value:e}").replace('-', "−");
    }
    let step = step.unwrap_or(value);
    let is_whole = |digits: usize| {
        let scaled = step * 10_f64.powf(digits as f64);
        (scaled - scaled.round()).abs() < 1e-6
    };
    let digits = (0..6).find(|digits| is_whole(*digits)).unwrap_or(6);
    format!("{value:.digits$}").replace('-', "−")
}

/// The distance of neighbouring ticks, where there is one.
pub(crate) fn tick_step(axis: &Axis, ticks: &[f64]) -> Option<f64> {
    (!axis.log && ticks.len() > 1).then(|| ticks[1] - ticks[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::around([0.0, 0.83].into_iter(), 0.0, 100.0);
        let ticks = axis.ticks(5);
        let shown: Vec<String> =
            ticks.iter().map(|t| tick_label(*t, tick_step(&axis, &ticks))).collect();
        assert_eq!(shown, ["0.0", "0.2", "0.4", "0.6", "0.8"]);
        assert_eq!(axis.at(0.415), 50.0);
    }

    #[test]
    fn one_is_always_a_tick_of_ratios() {
        for max in [1.25, 2.7, 13.0, 400.0] {
            let axis = Axis::logarithmic(0.9, max, 0.0, 100.0);
            assert!(axis.ticks(6).contains(&1.0), "{max}: {:?}", axis.ticks(6));
        }
    }

    #[test]
    fn equal_values_still_have_an_axis() {
        let axis = Axis::around([2.0, 2.0].into_iter(), 0.0, 10.0);
        assert!(axis.min < 2.0 && axis.max > 2.0);
        assert!(Axis::around(std::iter::empty(), 0.0, 1.0).max > 0.0);
    }
}
