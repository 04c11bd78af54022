//! Prints how often intervals of paired differences hold the mean, and how often groups are said to leave or
//! to stay: rightly, and wrongly.
//!
//! `participation [TRIALS]`; `docs/stay.md` quotes the tables.

#[path = "../tests/suite/simulated.rs"]
mod simulated;

use std::io::Write;

use simulated::{Federation, POPULATIONS, coverage, sum_coverage};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let trials = std::env::args().nth(1).map_or(Ok(2000), |trials| trials.parse())?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "coverage of intervals at 90 %: both ends, and how often the mean is below or above"
    )?;
    for population in &POPULATIONS {
        for units in [15, 30, 60, 150, 500] {
            let found = coverage(population, units, trials);
            writeln!(
                out,
                "  {:28} {units:4} units: {:.3} (below {:.3}, above {:.3})",
                population.name, found.both, found.below, found.above
            )?;
        }
    }
    writeln!(out, "\ncoverage of intervals of sums over three agents, by their units")?;
    for units in [[15, 15, 15], [30, 30, 30], [15, 60, 200], [150, 150, 150]] {
        let found = sum_coverage(units, trials);
        let (below, above) = (found.below, found.above);
        writeln!(out, "  {units:?}: {:.3} (below {below:.3}, above {above:.3})", found.both)?;
    }
    writeln!(out, "\ngroups said to leave: agents, held-out rows, gain in standard deviations")?;
    for (agents, trials) in [(4, trials), (5, trials), (8, trials / 4), (11, trials / 20)] {
        for units in [40, 90, 300] {
            for effect in [0.0, 0.2, 0.4] {
                let found = Federation { agents, units, effect }.claims(trials);
                writeln!(
                    out,
                    "  {agents:2} agents, {units:3} rows, gain {effect}: holm {:.3}, halves {:.3}; said to stay {:.3}",
                    found.holm, found.halves, found.stays
                )?;
            }
        }
    }
    Ok(())
}
