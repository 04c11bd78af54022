//! Utilities as a paper prints them: does any group of agents prefer another row?

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use std::error::Error;

use corefed::audit::audit_table;
use corefed::data::UtilityTable;
use num_rational::BigRational;

const PRINTED: &str = "\
model,north,south,west
fedavg,0.70,0.90,0.40
corefed,0.72,0.81,0.62
local,0.65,0.55,0.90
";

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let table = UtilityTable::parse("printed.csv", PRINTED.as_bytes())?;
    let weights = vec![BigRational::from_integer(1.into()); table.agents.len()];
    for (row, model) in table.models.iter().enumerate() {
        // Decimals are exact fractions: no rounding decides.
        let found = audit_table(&table.utilities, row, &weights);
        match found.deviation {
            None => println!("{model}: no listed model tempts a group; kappa {}", found.kappa),
            Some((rival, coalition)) => {
                let names: Vec<&str> =
                    coalition.iter().map(|&agent| table.agents[agent].as_str()).collect();
                println!("{model}: {} would leave for `{}`", names.join(", "), table.models[rival]);
            }
        }
    }
    Ok(())
}
