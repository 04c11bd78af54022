//! Random federations against brute force: does any verdict lie, is any certificate refused?
//!
//! Every instance is drawn from the seed and its own number, audited, certified, read back, checked, and
//! held against a search over every coalition in code of its own. `cargo xtask campaign` runs it.

mod audited_twice;
mod brute_force;
#[path = "../../corefed-audit/benches/clusters/mod.rs"]
mod clusters;
mod draws;
mod instance;
mod judge;
mod losses;
mod remote;
mod remote_federation;
mod remote_figures;

use std::collections::BTreeMap;
use std::io::{Write, stdout};

use anyhow::{Result, ensure};
use clap::{Parser, Subcommand};
use corefed_core::Family;
use rayon::prelude::*;

use crate::judge::{Outcome, judge};
use crate::remote::RemoteArgs;

#[derive(Parser)]
#[command(about = "Audits random federations and compares every verdict with brute force")]
struct Args {
    #[command(subcommand)]
    other: Option<Other>,
    /// How many federations.
    #[arg(long, default_value_t = 1000)]
    instances: u64,
    /// What they are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first one.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Of this family only; without it least squares, logistic and softmax regression are mixed.
    #[arg(long)]
    family: Option<Family>,
    /// Cases of each kind to print.
    #[arg(long, default_value_t = 10)]
    show: usize,
}

#[derive(Subcommand)]
enum Other {
    /// Audits of rows that stay at their agents, against audits of the same rows pooled.
    Remote(RemoteArgs),
}

fn main() -> Result<()> {
    let args = Args::parse();
    match &args.other {
        Some(Other::Remote(remote)) => remote::run(remote),
        None => brute_force(&args),
    }
}

/// Random federations against brute force.
fn brute_force(args: &Args) -> Result<()> {
    let outcomes: Vec<(u64, Outcome)> = (args.first..args.first + args.instances)
        .into_par_iter()
        .map(|number| (number, judge(args.seed, number, args.family)))
        .collect();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let (mut near, mut decided) = (0_usize, 0_usize);
    let mut cases: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (number, outcome) in outcomes {
        let (kind, detail) = match outcome {
            Outcome::Nothing => ("no model to audit".to_owned(), None),
            Outcome::Decided(verdict, close) => {
                near += usize::from(close);
                decided += 1;
                (verdict.to_string(), None)
            }
            Outcome::Undecided(why) => ("undecided".to_owned(), Some(("undecided", why))),
            Outcome::False(lie) => ("FALSE".to_owned(), Some(("FALSE", lie))),
            Outcome::Refused(why) => ("REFUSED".to_owned(), Some(("REFUSED", why))),
        };
        *counts.entry(kind).or_default() += 1;
        if let Some((kind, detail)) = detail {
            cases.entry(kind).or_default().push(format!("{number}: {detail}"));
        }
    }
    let mut out = stdout().lock();
    writeln!(out, "{} federations, seed {}, from {}", args.instances, args.seed, args.first)?;
    for (kind, count) in &counts {
        writeln!(out, "  {kind:<18} {count}")?;
    }
    for (kind, cases) in &cases {
        for case in cases.iter().take(args.show) {
            writeln!(out, "{kind} {case}")?;
        }
    }
    writeln!(
        out,
        "brute force alone came within 0.1 % of the best rival in {near} of {decided} decided cases"
    )?;
    let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
    let audited = counts.values().sum::<usize>() - count("no model to audit");
    let undecided = count("undecided");
    writeln!(
        out,
        "{audited} audited: {} false, {} refused, {undecided} undecided ({:.3} %)",
        count("FALSE"),
        count("REFUSED"),
        100.0 * undecided as f64 / audited.max(1) as f64
    )?;
    ensure!(count("FALSE") + count("REFUSED") == 0, "the campaign found lies");
    Ok(())
}
