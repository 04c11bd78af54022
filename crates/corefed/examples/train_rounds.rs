//! The same hospitals by rounds: every rule of the table, side by side.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::num::NonZeroUsize;

use corefed::data::{EncodeOptions, Encoded, Table, fit, hospitals_csv};
use corefed::model::{FederationLosses, worst_losses};
use corefed::rules::RULES;
use corefed::solve::TableReferences;
use corefed::train::{Engine, LinearFederation, LocalWork, Samples, Terms, Train};
use corefed::{CeilingPolicy, Family, Seed, WeightPolicy};

const ROUNDS: usize = 50;

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes())?;
    let options = EncodeOptions::new("hospital", "disease", Family::Logistic);
    let Encoded { encoding, federation, .. } = fit(&table, &options)?;
    let (l2, radius, classes) = (0.01, 10.0, encoding.classes.len());
    let losses = FederationLosses::new(&federation, Family::Logistic, classes, l2);
    let worst = worst_losses(&losses, radius);
    let weights = WeightPolicy::Equal.resolve(&federation.sizes())?;
    let known = TableReferences {
        model: &losses,
        weights: &weights,
        radius,
        held_out: None,
        worst: &worst,
    };
    let ceilings = CeilingPolicy::Initial(1.5).resolve(&known)?;
    let terms = Terms {
        names: federation.agents().iter().map(|agent| agent.name.clone()).collect(),
        weights,
        average: WeightPolicy::Samples.resolve(&federation.sizes())?,
        ceilings,
        radius,
        premise: false,
        nonnegative: Family::Logistic.nonnegative_loss(),
    };
    let samples = Samples {
        rows: federation.design(),
        target: federation.target().to_vec(),
        offsets: Vec::new(),
        owned: federation.agents().iter().map(|agent| agent.rows.clone()).collect(),
    };
    let agents = LinearFederation::<_, f64>::new(Family::Logistic, classes, l2, samples);

    // Newton exchanges Hessians instead of updates.
    for info in RULES.iter().filter(|info| !info.takes_derivatives) {
        let train = Train {
            rule: info.default,
            rounds: NonZeroUsize::new(ROUNDS).ok_or("at least one round")?,
            local: LocalWork { learning_rate: 0.5, ..LocalWork::default() },
            ..Train::default()
        };
        let mut engine = Engine::new(&agents, None, &terms, &train, Seed(8))?;
        let (mut state, _) = engine.start()?;
        let mut last = None;
        while state.round < ROUNDS {
            last = Some(engine.round(&mut state)?);
        }
        let spread = last.and_then(|outcome| outcome.round.utility_spread);
        let worst_off = spread.map_or(f64::NAN, |spread| spread.min);
        println!("{:10} the worst-off hospital has {worst_off:.4}", info.title);
    }
    Ok(())
}
