//! What an experiment says, in sentences that follow from its rows.

use std::fmt::Write;

use corefed_core::Verdict;
use corefed_spec::{Amount, Model, Spec};

use crate::experiment::Experiment;
use crate::judge::Row;
use crate::results::Results;

/// The rule that ratios are taken against: CoreFed at FedAvg's step length.
const REFERENCE: &str = "corefed";

/// `sum_i u_i / u_i(CoreFed)` of the same seed and ceiling; `None` where CoreFed leaves somebody
/// nothing, and a ratio would mean nothing.
pub(crate) fn ratio_sum(results: &Results<'_>, row: &Row) -> Option<f64> {
    let same = |other: &&Row| other.seed == row.seed;
    let base = results.of(REFERENCE, row.ceiling).into_iter().find(same)?;
    let positive = base.utilities.iter().all(|u| *u > 0.0);
    positive.then(|| row.utilities.iter().zip(&base.utilities).map(|(u, v)| u / v).sum())
}

/// What was run.
pub(crate) fn setting(experiment: &Experiment, spec: &Spec, agents: usize, device: &str) -> String {
    let rounds = spec.train.as_ref().map_or(0, |train| train.rounds.get());
    let seeds = spec.compare.as_ref().map_or(&[][..], |compare| &compare.seeds);
    let seeds: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let mut text = format!(
        "`{}` on `{}`, {agents} agents, {rounds} rounds, seeds {}, corefed {}, {device}. ",
        spec.model,
        spec.data,
        seeds.join(", "),
        env!("CARGO_PKG_VERSION"),
    );
    if let Some(protocol) = shortened(experiment, spec) {
        let _ = write!(text, "**A first look, not the protocol of the paper**: {protocol}. ");
    }
    text.push_str(
        "Everything else, and every choice that the paper leaves open, is in `spec.toml`. Numbers \
         are means over seeds, with standard deviations where there are several.",
    );
    text
}

/// What the preset has and this did not, if anything: such numbers must not be taken for the paper's.
fn shortened(experiment: &Experiment, spec: &Spec) -> Option<String> {
    let preset = Spec::preset(experiment.preset)?;
    let mut less = Vec::new();
    if spec.sample < 1.0 {
        less.push(format!("only {} of every agent's rows were used", spec.sample));
    }
    if spec.model.to_string() != preset.model.to_string() {
        less.push(format!("the model is `{}` instead of `{}`", spec.model, preset.model));
    }
    if let (Some(own), Some(known)) = (&spec.train, &preset.train) {
        if own.rounds < known.rounds {
            less.push(format!("{} rounds instead of {}", own.rounds, known.rounds));
        }
        if own.local.amount != known.local.amount {
            let [own, known] = [own.local.amount, known.local.amount].map(|amount| match amount {
                Amount::Epochs(count) => format!("{count} local epochs"),
                Amount::Steps(count) => format!("{count} local steps"),
            });
            less.push(format!("{own} instead of {known}"));
        }
    }
    (!less.is_empty()).then(|| less.join(", "))
}

/// Where the paper's inequality holds, who would leave, and what the ceiling changes.
pub(crate) fn reading(results: &Results<'_>) -> String {
    let mut text = String::new();
    let agents = results.agents.len() as f64;
    for &ceiling in results.experiment.ceilings {
        let fedavg = results.of("fedavg", ceiling);
        let sums: Vec<f64> = fedavg.iter().filter_map(|row| ratio_sum(results, row)).collect();
        let held = sums.iter().filter(|sum| **sum <= agents).count();
        let larger = fedavg.iter().filter(|row| larger_product(results, row)).count();
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            "- **Ceiling {ceiling}.** The paper's inequality, the sum of FedAvg's utilities over \
             CoreFed's at most {agents}, holds in {held} of {} seeds",
            fedavg.len()
        );
        if sums.len() < fedavg.len() {
            let _ = write!(
                text,
                " (in {} CoreFed leaves somebody no positive utility, and there is no ratio)",
                fedavg.len() - sums.len()
            );
        }
        let _ = write!(
            text,
            ". CoreFed's product of utilities is the larger one in {larger} of {}. ",
            fedavg.len()
        );
        for rule in results.rules() {
            let rows = results.of(rule, ceiling);
            let blocked = rows.iter().filter(|row| row.verdict == Verdict::Blocked).count();
            if blocked > 0 {
                let _ = write!(text, "`{rule}` is blocked in {blocked} of {}. ", rows.len());
            }
        }
        if is_vacuous(results, ceiling) {
            text.push_str(
                "All losses of all rules are below the ceiling over the number of agents, so no \
                 proper coalition can block any of these models: at this ceiling being in the core \
                 says little more than Pareto-optimality.",
            );
        }
        text.push('\n');
    }
    text
}

fn larger_product(results: &Results<'_>, row: &Row) -> bool {
    let same = |other: &&Row| other.seed == row.seed;
    let base = results.of(REFERENCE, row.ceiling).into_iter().find(same);
    let base = base.and_then(|base| product(&base.utilities));
    base.is_some_and(|corefed| product(&row.utilities).is_none_or(|fedavg| corefed > fedavg))
}

/// The product of utilities; `None` where somebody has nothing, and a product would mean nothing.
pub(crate) fn product(utilities: &[f64]) -> Option<f64> {
    let positive = utilities.iter().all(|u| *u > 0.0);
    positive.then(|| utilities.iter().product())
}

/// Whether no proper coalition can block any row, whatever the rival: all `L_i < M/n` (ledger E8).
fn is_vacuous(results: &Results<'_>, ceiling: f64) -> bool {
    let n = results.agents.len() as f64;
    let mut rows = results.rows.iter().filter(|row| row.ceiling == ceiling);
    rows.all(|row| row.utilities.iter().all(|u| ceiling - u < ceiling / n))
}

/// Proven, estimated, searched: by column.
pub(crate) fn columns(results: &Results<'_>) -> String {
    let convex = matches!(results.spec.model, Model::Linear(_));
    let mut text =
        "- *Utilities* are the ceiling minus the mean loss on the rows an agent trained \
                    on: computed, not estimated.\n\
                    - *Held-out rows*: mean utility, and in brackets a 90 % betting interval for \
                    the utility truncated at zero, `max(0, M - loss)` per row, which is bounded \
                    where cross-entropy is not. Intervals hold for each agent alone.\n"
            .to_owned();
    text.push_str(if convex {
        "- *kappa >=* and *kappa <=* come from exact programs over coalitions in the ball of the \
         spec: proven for the rows at hand. Audits that met their time limit are `undecided`.\n"
    } else {
        "- *kappa >=* is the best rival that was **searched**: models of every rule and ceiling, and \
         FedAvg within coalitions (all proper ones up to four agents, agents alone beyond), all of \
         the same seed. There may be better rivals. *witness* names coalition and rival of the \
         worst seed; held-out rows agree where paired differences show every member better off at \
         90 %.\n\
         - *kappa <=* is headroom, **proven** for every model: nobody can do better than loss zero.\n\
         - *verdict*: `blocked` is shown by a witness on training rows; nothing here is certified \
         stable unless headroom alone proves it.\n"
    });
    text.push_str(
        "- *Differences* from FedAvg are over seeds from which both left a model, with two-sided \
         intervals of Student's t at 90 %, each on its own; *log-welfare* is floored, a number for \
         every model (docs/comparing.md).\n\
         - *test accuracy* is on the published test part.\n\
         - *sum of ratios* is taken against `corefed`, whose own is the number of agents.\n",
    );
    text
}
