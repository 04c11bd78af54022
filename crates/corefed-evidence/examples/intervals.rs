//! Prints confidence intervals of the samples on standard input, one JSON object per line of input.
//!
//! `intervals LEVEL`; a line holds the ends of the range and then the samples, in order,
//! separated by spaces. The independent derivation in `reference/` compares its own with these.

use std::io::{BufRead, Write};

use corefed_evidence::{Level, Method, Samples};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let level = std::env::args().nth(1).ok_or("usage: intervals LEVEL")?;
    let level = Level::new(level.parse()?)?;
    let methods = [Method::Hoeffding, Method::EmpiricalBernstein, Method::Better, Method::Betting];
    for line in std::io::stdin().lock().lines() {
        let numbers: Vec<f64> =
            line?.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let [lo, hi, values @ ..] = numbers.as_slice() else {
            return Err("a line holds the ends of the range and then samples".into());
        };
        let samples = Samples::new(values, *lo, *hi)?;
        let each = methods.map(|method| {
            let both = samples.interval(level, method);
            let (lower, upper) = (samples.lower(level, method), samples.upper(level, method));
            serde_json::json!({
                "method": method,
                "interval": [both.lo, both.hi],
                "lower": lower.lo,
                "upper": upper.hi,
            })
        });
        writeln!(std::io::stdout(), "{}", serde_json::Value::from(each.to_vec()))?;
    }
    Ok(())
}
