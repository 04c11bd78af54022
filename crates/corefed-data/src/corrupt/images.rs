//! Corrupting agents that own images.

use super::apply::{Lot, check};
use super::{CorruptError, Corruptions};
use crate::target_kind::TargetKind;
use crate::{AgentRows, Images};
use corefed_core::Seed;

/// The images of an agent after they got worse.
#[derive(Clone, Debug, PartialEq)]
pub struct CorruptedImages {
    /// Numbers, in [0, 1] before noise was added.
    pub numbers: Vec<f32>,
    /// Classes.
    pub labels: Vec<u8>,
}

/// Images of listed agents, worse than they were; `None` for everybody else.
///
/// Noise counts in standard deviations of the channel over all images.
pub fn corrupt_images(
    images: &Images,
    agents: &[AgentRows],
    corruptions: &Corruptions,
    seed: Seed,
) -> Result<Vec<Option<CorruptedImages>>, CorruptError> {
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    let kind = TargetKind::Class { classes: u32::from(images.classes()) };
    check(&names, kind, true, corruptions)?;
    let scales = deviations(images);
    let spoil = |agent: &AgentRows| {
        let steps = corruptions.of(&agent.name);
        (!steps.is_empty()).then(|| {
            let mut lot = lot(images, agent);
            lot.suffer_all(&agent.name, steps, kind, &scales, seed);
            corrupted(&lot)
        })
    };
    Ok(agents.iter().map(spoil).collect())
}

fn lot(images: &Images, agent: &AgentRows) -> Lot {
    let rows: Vec<usize> = agent.rows.iter().map(|row| *row as usize).collect();
    let unit = |byte: &u8| f64::from(*byte) / 255.0;
    Lot {
        dense: rows.iter().flat_map(|row| images.image(*row)).map(unit).collect(),
        target: rows.iter().map(|row| f64::from(images.labels()[*row])).collect(),
        rows,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "pixels are single precision, and classes are counted by bytes"
)]
fn corrupted(lot: &Lot) -> CorruptedImages {
    CorruptedImages {
        numbers: lot.dense.iter().map(|x| *x as f32).collect(),
        labels: lot.target.iter().map(|class| *class as u8).collect(),
    }
}

/// Standard deviation of every channel, of numbers in [0, 1].
fn deviations(images: &Images) -> Vec<f64> {
    let channels = images.channels();
    let count = (images.pixels().len() / channels).max(1) as f64;
    let mean = |channel: usize, term: &dyn Fn(f64) -> f64| -> f64 {
        let own = images.pixels().iter().skip(channel).step_by(channels);
        own.map(|byte| term(f64::from(*byte) / 255.0)).sum::<f64>() / count
    };
    let deviation = |channel: usize| {
        let centre = mean(channel, &|x| x);
        mean(channel, &|x| (x - centre) * (x - centre)).sqrt()
    };
    (0..channels).map(deviation).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images() -> Images {
        let pixels = (0..=255).cycle().take(400 * 4).collect();
        let labels = (0..4).cycle().take(400).collect();
        Images::new(2, 2, 1, pixels, labels, 4).unwrap()
    }

    fn agents() -> Vec<AgentRows> {
        let own = |name: &str, rows: std::ops::Range<u32>| AgentRows {
            name: name.to_owned(),
            rows: rows.collect(),
        };
        vec![own("a", 0..200), own("b", 200..400)]
    }

    #[test]
    fn only_listed_agents_suffer_and_noise_has_its_scale() {
        let images = images();
        let mut corruptions = Corruptions::default();
        corruptions.add_text("b=noise:0.5,labels:0.25").unwrap();
        let corrupted = corrupt_images(&images, &agents(), &corruptions, Seed(1)).unwrap();
        assert_eq!(corrupted[0], None);
        let b = corrupted[1].as_ref().unwrap();
        let clean = images.pixels()[200 * 4..].iter().map(|byte| f32::from(*byte) / 255.0);
        let square: f32 = b.numbers.iter().zip(clean).map(|(x, y)| (x - y) * (x - y)).sum();
        let deviation = (square / b.numbers.len() as f32).sqrt();
        let expected = 0.5 * deviations(&images)[0];
        assert!(
            (f64::from(deviation) / expected - 1.0).abs() < 0.1,
            "{deviation} against {expected}"
        );
        let moved = b.labels.iter().zip(&images.labels()[200..]).filter(|(x, y)| x != y).count();
        assert!((30..=70).contains(&moved), "{moved} of 200 labels moved");
    }

    #[test]
    fn rows_can_be_dropped_and_strangers_are_named() {
        let mut corruptions = Corruptions::default();
        corruptions.add_text("a=drop:0.5").unwrap();
        let corrupted = corrupt_images(&images(), &agents(), &corruptions, Seed(1)).unwrap();
        assert_eq!(corrupted[0].as_ref().unwrap().labels.len(), 100);
        corruptions.add_text("c=drop:0.5").unwrap();
        let error = corrupt_images(&images(), &agents(), &corruptions, Seed(1)).unwrap_err();
        assert!(error.to_string().contains("there is no agent `c`"));
    }
}
