//! The paper's experiments, and what it printed for them.

use corefed_spec::{Ceiling, Contender, Spec};

use crate::ReproduceError;
use crate::request::{Request, Table};

/// One row of the paper's tables.
pub(crate) struct Experiment {
    /// Of its preset.
    pub(crate) preset: &'static str,
    /// As a heading.
    pub(crate) title: &'static str,
    /// Ceilings to look at, the printed one first.
    pub(crate) ceilings: &'static [f64],
    /// What the paper printed, for FedAvg and for CoreFed.
    pub(crate) printed: [&'static [f64]; 2],
    /// The paper's sum of ratios.
    pub(crate) printed_sum: f64,
}

#[expect(clippy::approx_constant, reason = "a utility that the paper printed")]
const ALL: [Experiment; 6] = [
    Experiment {
        preset: "table1-adult",
        title: "Table 1, Adult, logistic regression, three agents",
        ceilings: &[3.0, 1.0, 0.8],
        printed: [&[2.59, 0.77, 1.46], &[2.62, 0.90, 1.53]],
        printed_sum: 2.80,
    },
    Experiment {
        preset: "table1-mnist",
        title: "Table 1, MNIST, small network, three agents",
        ceilings: &[1.0, 0.5, 3.0],
        printed: [&[0.34, 0.29, 0.92], &[0.36, 0.41, 0.91]],
        printed_sum: 2.66,
    },
    Experiment {
        preset: "table1-cifar10",
        title: "Table 1, CIFAR-10, small network, three agents",
        ceilings: &[3.0, 1.5, 5.0],
        printed: [&[0.63, 1.40, 0.51], &[0.73, 1.35, 0.71]],
        printed_sum: 2.62,
    },
    Experiment {
        preset: "table2",
        title: "Table 2, CIFAR-10, VGG-11, three agents",
        ceilings: &[3.0, 1.5, 3.5],
        printed: [&[0.25, 3.25, 3.46], &[1.63, 3.17, 3.32]],
        printed_sum: 2.25,
    },
    Experiment {
        preset: "table3",
        title: "Table 3, CIFAR-10, VGG-11, noise on two of three agents",
        ceilings: &[3.0, 1.5, 3.5],
        printed: [&[3.28, 3.30, 1.42], &[3.26, 3.27, 1.95]],
        printed_sum: 2.74,
    },
    Experiment {
        preset: "table4",
        title: "Table 4, CIFAR-10, VGG-11, ten agents",
        ceilings: &[3.0, 1.5, 3.5],
        printed: [
            &[2.11, 2.30, 3.04, 3.28, 1.15, 2.70, 2.00, 2.72, 2.76, 3.14],
            &[2.26, 2.50, 3.12, 3.32, 1.42, 2.50, 1.99, 2.80, 2.65, 2.99],
        ],
        printed_sum: 9.77,
    },
];

/// What a table consists of.
pub(crate) fn experiments(table: Table) -> Vec<&'static Experiment> {
    let belongs = |experiment: &&Experiment| match table {
        Table::All => true,
        Table::Table1 => experiment.preset.starts_with("table1"),
        Table::Table2 => experiment.preset == "table2",
        Table::Table3 => experiment.preset == "table3",
        Table::Table4 => experiment.preset == "table4",
        Table::Adult => experiment.preset == "table1-adult",
        Table::Mnist => experiment.preset == "table1-mnist",
        Table::Cifar10 => experiment.preset == "table1-cifar10",
    };
    ALL.iter().filter(belongs).collect()
}

/// The spec of an experiment as it is to be run.
pub(crate) fn spec(experiment: &Experiment, request: &Request) -> Result<Spec, ReproduceError> {
    let spec = Spec::preset(experiment.preset)
        .ok_or(ReproduceError::NoPreset { name: experiment.preset })?;
    let mut settings: Vec<(String, String)> = Vec::new();
    let mut set = |key: &str, value: String| settings.push((key.to_owned(), value));
    let seeds: Vec<String> = (1..=request.seeds).map(|seed| seed.to_string()).collect();
    set("compare.seeds", format!("[{}]", seeds.join(", ")));
    if spec.model.network().is_some() {
        // Rows are judged together, against each other and coalitions, after all are trained.
        for key in ["audit.bursts", "audit.climbs", "audit.lanczos"] {
            set(key, "0".to_owned());
        }
        set("network.device", request.device.clone());
        if let Some(precision) = &request.precision {
            set("network.precision", precision.clone());
        }
        if request.quick {
            // A tenth of the images, a few rounds: minutes on two cores.
            set("sample", "0.1".to_owned());
            set("train.rounds", "10".to_owned());
            set("train.local.epochs", "2".to_owned());
        }
    }
    if request.quick && experiment.preset.starts_with("table") && spec.model.to_string() == "vgg11"
    {
        set("model", "cnn".to_owned());
    }
    if let Some(rounds) = request.rounds {
        set("train.rounds", rounds.to_string());
    }
    if let Some(tolerance) = request.tolerance {
        set("tolerance", format!("{tolerance:?}"));
    }
    let pairs: Vec<(&str, &str)> = settings
        .iter()
        .chain(&request.set)
        .map(|(key, value)| (key.as_str(), value.as_str()))
        .collect();
    Ok(spec.with_all(&pairs)?)
}

/// A spec for one training.
pub(crate) fn trained(spec: &Spec, contender: &Contender, ceiling: f64, seed: u64) -> Spec {
    let mut own = spec.clone();
    own.seed = seed;
    own.compare = None;
    own.ceiling = Ceiling::Fixed(ceiling);
    own.name = format!("{}-{}", spec.name, contender.label);
    if let Some(train) = &mut own.train {
        contender.enter(train);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_experiment_has_a_preset_with_rules_and_its_printed_ceiling() {
        for experiment in &ALL {
            let spec = Spec::preset(experiment.preset).unwrap();
            assert_eq!(spec.ceiling, Ceiling::Fixed(experiment.ceilings[0]), "{}", spec.name);
            assert_eq!(spec.compare.unwrap().rules.len(), 6);
        }
    }

    #[test]
    fn printed_sums_of_ratios_follow_from_printed_utilities() {
        for experiment in &ALL {
            let [fedavg, corefed] = experiment.printed;
            let sum: f64 = fedavg.iter().zip(corefed).map(|(u, v)| u / v).sum();
            assert!((sum - experiment.printed_sum).abs() < 0.06, "{}: {sum}", experiment.preset);
        }
    }
}
