//! The audit of rows that stay at their agents, against the audit of the same rows pooled.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use corefed_model::{FederationLosses, convex_losses, worst_losses};
use corefed_remote::{Options, Task};
use corefed_solve::{Problem, TableReferences, ball_for, solve};
use rayon::prelude::*;

use crate::audited_twice::{Both, Question};
use crate::draws::Draws;
use crate::remote_federation::{CLASSES, Drawn};
use crate::remote_figures::figures;

#[derive(Args)]
pub(crate) struct RemoteArgs {
    /// How many random federations.
    #[arg(long, default_value_t = 1000)]
    instances: u64,
    /// What they are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of the first one.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Prints every federation, not only those that differ.
    #[arg(long)]
    all: bool,
    /// Instead of random federations, rounds and bytes of those that are always the same.
    #[arg(long)]
    figures: bool,
    /// Writes the drafts of random federations into this folder, by their numbers.
    #[arg(long)]
    drafts: Option<PathBuf>,
    /// Where published sets are kept, one folder each.
    #[arg(long)]
    data: Option<PathBuf>,
}

/// Does what the arguments say.
pub(crate) fn run(args: &RemoteArgs) -> Result<()> {
    if args.figures { figures(args.data.as_deref()) } else { random(args) }
}

/// One federation of many.
struct Audited {
    number: u64,
    what: String,
    both: Result<Both>,
}

/// Random federations: verdicts and both ends of both intervals are compared.
fn random(args: &RemoteArgs) -> Result<()> {
    let found: Vec<Audited> = (args.first..args.first + args.instances)
        .into_par_iter()
        .filter_map(|number| {
            let drawn = Drawn::draw(&mut Draws::new(args.seed, number))?;
            let both = question(&drawn)?.ask();
            Some(Audited { number, what: drawn.describe(), both })
        })
        .collect();
    let mut out = stdout().lock();
    let (mut audited, mut differ, mut open) = (0_usize, 0, 0_usize);
    let mut rounds: Vec<usize> = Vec::new();
    let mut verdicts = std::collections::BTreeMap::<String, usize>::new();
    for Audited { number, what, both } in found {
        let both = both?;
        audited += 1;
        if let Some(folder) = &args.drafts {
            let text = serde_json::to_string(&both.remote.draft)?;
            std::fs::write(folder.join(format!("{number}.json")), text)?;
        }
        rounds.push(both.remote.rounds);
        *verdicts.entry(both.remote.verdict.to_string()).or_default() += 1;
        let difference = both.difference();
        if let Some(difference) = &difference {
            let kind = if both.is_open() { "open" } else { "DIFFERS" };
            if kind == "open" {
                open += 1;
            } else {
                differ += 1;
            }
            writeln!(out, "{kind} {number} {what}: {difference}")?;
        } else if args.all {
            let Both { remote, pooled, .. } = &both;
            writeln!(
                out,
                "{number} {what}: {} in {} rounds, {} points, {} programs (pooled {}), {:.3} s (pooled {:.3})",
                remote.verdict,
                remote.rounds,
                remote.points,
                remote.programs,
                pooled.progress.programs,
                both.server_seconds,
                both.pooled_seconds
            )?;
        }
    }
    rounds.sort_unstable();
    let middle = rounds.get(rounds.len() / 2).copied().unwrap_or(0);
    let most = rounds.last().copied().unwrap_or(0);
    writeln!(
        out,
        "{audited} federations audited twice, seed {}: {verdicts:?}, {differ} differ, {open} left open; rounds: median {middle}, most {most}",
        args.seed
    )?;
    ensure!(differ == 0, "{differ} audits differ");
    ensure!(open * 200 <= audited, "{open} of {audited} audits were left open");
    Ok(())
}

/// The predictor that a drawn federation is asked about; `None` where there is none.
fn question(drawn: &Drawn) -> Option<Question<'_>> {
    let model = FederationLosses::new(&drawn.federation, drawn.family, CLASSES, drawn.l2);
    let worst = worst_losses(&model, drawn.radius);
    let known = TableReferences {
        model: &model,
        weights: &drawn.weights,
        radius: drawn.radius,
        held_out: None,
        worst: &worst,
    };
    let ceilings = drawn.policy.resolve(&known).ok()?;
    let losses = convex_losses(&drawn.federation, drawn.family, CLASSES, drawn.l2);
    let problem =
        Problem::new(losses.as_ref(), ceilings.clone(), drawn.weights.clone(), drawn.radius);
    let parameters = match drawn.rule {
        Some(rule) => solve(&problem, rule, 1e-10).ok()?.params,
        None => vec![0.0; losses.dim()],
    };
    let radius = ball_for(drawn.radius, &parameters)?;
    Some(Question {
        federation: &drawn.federation,
        predictor: drawn.predictor(radius, parameters),
        classes: CLASSES,
        ceilings,
        weights: drawn.weights.clone(),
        options: Options::default(),
        task: Task::Audit,
    })
}
