//! A generated federation of five hospitals, for the demo, tests and benchmarks.
//!
//! Three hospitals see the same disease, a fourth mislabels a large share of its patients, and
//! a fifth is small and sees a different disease. One model for all must let someone down, and
//! the question is whom.

use std::fmt::Write as _;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// Everything that can be tuned about the generated federation.
#[derive(Clone, Copy, Debug)]
struct Knobs {
    measurements: [Measurement; 5],
    hospitals: [Hospital; 5],
}

/// One numeric column.
#[derive(Clone, Copy, Debug)]
struct Measurement {
    name: &'static str,
    /// In the unit of the column, over the patients of an average hospital.
    mean: f64,
    deviation: f64,
    /// Values are clamped to what a living patient can have.
    range: (f64, f64),
    /// Digits after the point.
    decimals: usize,
    /// Correlation with age, in -1..1.
    with_age: f64,
}

/// One agent.
#[derive(Clone, Copy, Debug)]
struct Hospital {
    name: &'static str,
    patients: usize,
    /// How much older its patients are, in deviations of age.
    older: f64,
    truth: Truth,
    /// Share of labels that are replaced by their opposite, in 0..1.
    flipped: f64,
}

/// Log-odds of the disease, linear in the standardised measurements.
#[derive(Clone, Copy, Debug)]
struct Truth {
    /// One per measurement, per deviation.
    slopes: [f64; 5],
    male: f64,
    intercept: f64,
}

/// What Aachen, Bergen, Coimbra and, behind its mislabelling, Dresden see.
const COMMON: Truth = Truth { slopes: [1.9, 1.5, 1.7, -1.1, 1.3], male: 1.2, intercept: -0.8 };

/// What Evora sees: pressure and cholesterol protect, and sugar hardly matters.
const DIFFERENT: Truth = Truth { slopes: [1.4, -0.9, -0.7, 1.1, 0.3], male: -0.8, intercept: 0.6 };

const KNOBS: Knobs = Knobs {
    measurements: [
        measurement("age", (58.0, 11.0), (18.0, 95.0), 0, 1.0),
        measurement("blood_pressure", (132.0, 17.0), (80.0, 220.0), 0, 0.4),
        measurement("cholesterol", (5.6, 1.1), (2.0, 12.0), 1, 0.2),
        measurement("heart_rate", (74.0, 12.0), (40.0, 160.0), 0, -0.1),
        measurement("glucose", (5.8, 1.3), (3.0, 20.0), 1, 0.3),
    ],
    hospitals: [
        Hospital { name: "Aachen", patients: 420, older: 0.0, truth: COMMON, flipped: 0.0 },
        Hospital { name: "Bergen", patients: 400, older: 0.1, truth: COMMON, flipped: 0.0 },
        Hospital { name: "Coimbra", patients: 380, older: -0.1, truth: COMMON, flipped: 0.0 },
        Hospital { name: "Dresden", patients: 300, older: 0.2, truth: COMMON, flipped: 0.42 },
        Hospital { name: "Evora", patients: 60, older: 0.3, truth: DIFFERENT, flipped: 0.0 },
    ],
};

const fn measurement(
    name: &'static str,
    (mean, deviation): (f64, f64),
    range: (f64, f64),
    decimals: usize,
    with_age: f64,
) -> Measurement {
    Measurement { name, mean, deviation, range, decimals, with_age }
}

/// The federation as CSV text: `hospital`, five measurements, `sex` and `disease` (0 or 1).
///
/// Equal seeds give equal text. Each hospital draws from a stream of its own, so changing one
/// leaves the others as they were.
#[must_use]
pub fn hospitals_csv(seed: u64) -> String {
    let mut text = String::from("hospital");
    for measurement in KNOBS.measurements {
        text.push(',');
        text.push_str(measurement.name);
    }
    text.push_str(",sex,disease\n");
    for (stream, hospital) in (0..).zip(&KNOBS.hospitals) {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        for _ in 0..hospital.patients {
            push_patient(&mut text, hospital, &mut rng);
        }
    }
    text
}

fn push_patient(text: &mut String, hospital: &Hospital, rng: &mut ChaCha8Rng) {
    text.push_str(hospital.name);
    let age = hospital.older + normal(rng);
    let mut log_odds = hospital.truth.intercept;
    for (measurement, slope) in KNOBS.measurements.iter().zip(hospital.truth.slopes) {
        let Measurement { mean, deviation, range: (least, most), decimals, with_age, .. } =
            *measurement;
        let own = (1.0 - with_age * with_age).sqrt() * normal(rng);
        let value = (mean + deviation * (with_age * age + own)).clamp(least, most);
        let start = text.len();
        // Writing to a string cannot fail.
        let _ = write!(text, ",{value:.decimals$}");
        // The disease follows what the file says, not the digits that rounding dropped.
        let written = text[start + 1..].parse().unwrap_or(value);
        log_odds += slope * (written - mean) / deviation;
    }
    let male = uniform(rng) < 0.5;
    log_odds += if male { hospital.truth.male } else { 0.0 };
    let sick = uniform(rng) < 1.0 / (1.0 + (-log_odds).exp());
    let flipped = uniform(rng) < hospital.flipped;
    let sex = if male { "male" } else { "female" };
    let _ = writeln!(text, ",{sex},{}", u8::from(sick != flipped));
}

/// A multiple of 2^-53 in 0..1.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
}

/// A standard normal number by Marsaglia's polar method.
fn normal(rng: &mut ChaCha8Rng) -> f64 {
    loop {
        let (x, y) = (2.0 * uniform(rng) - 1.0, 2.0 * uniform(rng) - 1.0);
        let square = x * x + y * y;
        if square > 0.0 && square < 1.0 {
            return x * (-2.0 * square.ln() / square).sqrt();
        }
    }
}

#[cfg(test)]
mod tests {
    use corefed_core::{Family, Feature};

    use super::*;
    use crate::{Checks, EncodeOptions, Encoded, Table, fit};

    fn encoded(seed: u64) -> Encoded {
        let table = Table::parse("hospitals.csv", hospitals_csv(seed).as_bytes()).unwrap();
        let options = EncodeOptions {
            agent_column: "hospital".to_owned(),
            target_column: "disease".to_owned(),
            exposure_column: None,
            family: Family::Logistic,
            intercept: true,
            raw: false,
            l2: 0.0,
            allow: Checks::default(),
            missing: crate::Missing::default(),
            written: corefed_core::Writing::default(),
            na: Vec::new(),
            types: Vec::new(),
        };
        fit(&table, &options).unwrap()
    }

    #[test]
    fn hospitals_pass_every_check_at_many_seeds() {
        for seed in 0..20 {
            let Encoded { encoding, federation, .. } = encoded(seed);
            assert_eq!(encoding.classes, ["0", "1"]);
            let names: Vec<_> = encoding.features.iter().map(Feature::name).collect();
            assert_eq!(
                names,
                [
                    "age",
                    "blood_pressure",
                    "cholesterol",
                    "heart_rate",
                    "glucose",
                    "sex=female",
                    "sex=male",
                    "(intercept)"
                ]
            );
            let patients: Vec<_> = federation.agents().iter().map(crate::Agent::samples).collect();
            assert_eq!(patients, [420, 400, 380, 300, 60]);
        }
    }

    #[test]
    fn the_seed_decides_everything() {
        assert_eq!(hospitals_csv(7), hospitals_csv(7));
        assert_ne!(hospitals_csv(7), hospitals_csv(8));
    }

    /// Class mean of a standardised feature among the sick less that among the healthy.
    fn contrast(encoded: &Encoded, agent: usize, feature: usize) -> f64 {
        let federation = &encoded.federation;
        let rows = federation.agents()[agent].rows.clone();
        let mut sums = [(0.0, 0.0); 2];
        for row in rows {
            let sum = &mut sums[usize::from(federation.target()[row] > 0.5)];
            *sum = (sum.0 + federation.design().dense_rows(row..row + 1)[feature], sum.1 + 1.0);
        }
        sums[1].0 / sums[1].1 - sums[0].0 / sums[0].1
    }

    #[test]
    fn labels_carry_signal_where_they_should() {
        let encoded = encoded(1);
        // Cholesterol marks the sick in Aachen, faintly in Dresden, and the healthy in Evora.
        let [aachen, dresden, evora] = [0, 3, 4].map(|agent| contrast(&encoded, agent, 2));
        assert!(aachen > 0.4, "{aachen}");
        assert!(dresden < aachen / 2.0, "{dresden}");
        assert!(evora < 0.0, "{evora}");
    }

    #[test]
    fn normal_numbers_have_mean_zero_and_variance_one() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let draws: Vec<f64> = (0..10_000).map(|_| normal(&mut rng)).collect();
        let mean = draws.iter().sum::<f64>() / 1e4;
        let variance = draws.iter().map(|z| z * z).sum::<f64>() / 1e4;
        // Four standard errors: 4 / 100 and 4 sqrt(2) / 100.
        assert!(mean.abs() < 0.04 && (variance - 1.0).abs() < 0.057, "{mean} {variance}");
    }
}
