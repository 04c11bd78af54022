//! Five hospitals agree on one model: the optimum of log-welfare, its certificate, and the check.

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;
use std::ops::ControlFlow;

use corefed::audit::{Parties, Progress, certify};
use corefed::data::{EncodeOptions, Encoded, Table, fit, hospitals_csv};
use corefed::model::{FederationLosses, worst_losses};
use corefed::solve::{Problem, Rule, TableReferences, solve};
use corefed::{CeilingPolicy, Family, OPTIMUM_TOLERANCE, Predictor, WeightPolicy, verify};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes())?;
    let options = EncodeOptions::new("hospital", "disease", Family::Logistic);
    let Encoded { encoding, federation, .. } = fit(&table, &options)?;

    let (l2, radius) = (0.01, 10.0);
    let losses = FederationLosses::new(&federation, Family::Logistic, encoding.classes.len(), l2);
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
    let problem = Problem::new(&losses, ceilings, weights, radius);

    let (names, samples): (Vec<String>, Vec<usize>) =
        federation.agents().iter().map(|agent| (agent.name.clone(), agent.samples())).unzip();
    for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
        let solution = solve(&problem, rule, 1e-10)?;
        let predictor = Predictor {
            family: Family::Logistic,
            l2,
            radius,
            encoding: encoding.clone(),
            parameters: solution.params,
        };
        let parties = Parties {
            names: &names,
            samples: &samples,
            weights: &problem.weights,
            ceilings: &problem.ceilings,
        };
        let found = certify(
            &problem,
            &federation,
            &predictor,
            &parties,
            &worst,
            &[],
            OPTIMUM_TOLERANCE,
            table.digest(),
            &mut |_: &Progress| ControlFlow::Continue(()),
        )?;
        let checked = verify::check_on_data(&found.certificate, &federation, table.digest())?;
        println!("{rule}: {}, kappa in {}", found.audit.verdict, found.audit.kappa);
        for (agent, utility) in federation.agents().iter().zip(&found.audit.utilities) {
            println!("  {:12} {utility:.4}", agent.name);
        }
        println!("  the checker accepted {} statements", checked.checked.len());
    }
    Ok(())
}
