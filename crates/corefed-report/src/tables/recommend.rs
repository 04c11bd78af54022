//! Which rule to take, and which differences are noise.

use corefed_core::Verdict;
use corefed_documents::{Comparison, DifferenceLine, Measure, PairedDifferences, Rows};
use corefed_evidence::Reading;

/// What a comparison comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recommendation {
    /// In one sentence.
    pub headline: String,
    /// What stands behind it, a sentence each.
    pub said: Vec<String>,
    /// Whether some rules are better than others by more than noise, or stable more often.
    pub clear: bool,
}

/// By log-welfare, on held-out rows where everybody kept some; `None` for a single rule.
#[must_use]
pub fn recommended(document: &Comparison, rules: &[&str]) -> Option<Recommendation> {
    let known = |rows: Rows| {
        let value = |run: &corefed_documents::ComparedRun| run.value(Measure::LogWelfare, rows);
        !document.runs.is_empty() && document.runs.iter().all(|run| value(run).is_some())
    };
    let rows = [Rows::HeldOut, Rows::Training].into_iter().find(|rows| known(*rows))?;
    let judged = Judged { document, rows };
    let rules: Vec<&str> = rules
        .iter()
        .copied()
        .filter(|rule| judged.mean(rule, Measure::LogWelfare).is_some())
        .collect();
    if rules.len() > 1 { judged.recommendation(&rules) } else { None }
}

struct Judged<'a> {
    document: &'a Comparison,
    rows: Rows,
}

impl Judged<'_> {
    fn mean(&self, rule: &str, measure: Measure) -> Option<f64> {
        let own = self.document.runs.iter().filter(|run| run.rule == rule);
        let values: Option<Vec<f64>> = own.map(|run| run.value(measure, self.rows)).collect();
        let values = values.filter(|values| !values.is_empty())?;
        Some(values.iter().sum::<f64>() / values.len() as f64)
    }

    /// The rule with the largest mean; the first of equal ones.
    fn largest<'r>(&self, rules: &[&'r str], measure: Measure) -> Option<&'r str> {
        let mut best: Option<(&str, f64)> = None;
        for rule in rules {
            if let Some(mean) = self.mean(rule, measure)
                && best.is_none_or(|(_, most)| mean > most)
            {
                best = Some((rule, mean));
            }
        }
        best.map(|(rule, _)| rule)
    }

    /// Rules whose log-welfare less the best one's reads like this, seed by seed.
    fn beside<'r>(&self, best: &str, rules: &[&'r str], reading: Reading) -> Vec<&'r str> {
        let runs = &self.document.runs;
        let mut seeds: Vec<u64> = runs.iter().map(|run| run.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        let paired =
            PairedDifferences::between(rules, best, &seeds, |rule, seed, measure, rows| {
                runs.iter().find(|run| run.rule == rule && run.seed == seed)?.value(measure, rows)
            });
        let own = |rule: &&str| {
            let wanted = (*rule, Measure::LogWelfare, self.rows);
            let line =
                |line: &&DifferenceLine| (line.rule.as_str(), line.measure, line.rows) == wanted;
            paired.lines.iter().find(line).is_some_and(|line| line.over_seeds.reading == reading)
        };
        rules.iter().copied().filter(own).collect()
    }

    fn recommendation(&self, rules: &[&str]) -> Option<Recommendation> {
        let on = match self.rows {
            Rows::HeldOut => "held-out rows",
            Rows::Training | Rows::Test => "training rows",
        };
        let best = self.largest(rules, Measure::LogWelfare)?;
        let less = self.beside(best, rules, Reading::Smaller);
        let few = self.beside(best, rules, Reading::TooFew);
        let equal: Vec<&str> = std::iter::once(best)
            .chain(rules.iter().copied().filter(|rule| *rule != best && !less.contains(rule)))
            .collect();
        let mut said = Vec::new();
        if !less.is_empty() && equal.len() > 1 {
            said.push(format!("Less than {best}, beyond noise: {}.", list(&less)));
        }
        let steady = self.steadiest(&equal);
        let headline = if !few.is_empty() {
            format!(
                "Too few seeds to tell: {best} has the largest log-welfare on {on}, which may be noise."
            )
        } else if equal.len() == 1 {
            format!("Take {best}: every other rule has less log-welfare on {on}, beyond noise.")
        } else if steady.len() < equal.len() {
            format!(
                "Take {}: no rule has more log-welfare on {on} beyond noise, and {} stable most often.",
                either(&steady),
                if steady.len() == 1 { "it is" } else { "they are" }
            )
        } else if less.is_empty() {
            format!("Any of them will do: their log-welfare on {on} differs by no more than noise.")
        } else {
            format!(
                "Take {}: their log-welfare on {on} differs by no more than noise.",
                either(&equal)
            )
        };
        let most = self.largest(&equal, Measure::SmallestUtility).filter(|_| equal.len() > 1);
        if let Some((rule, utility)) =
            most.and_then(|rule| Some((rule, self.mean(rule, Measure::SmallestUtility)?)))
        {
            said.push(format!(
                "Among these the worst off has most with {rule}: {utility:.3} in the mean."
            ));
        }
        said.push(self.stability(rules));
        let clear = few.is_empty() && (!less.is_empty() || steady.len() < equal.len());
        Some(Recommendation { headline, said, clear })
    }

    /// From how many seeds the model of a rule is stable, and from how many there is one.
    fn stable(&self, rule: &str) -> (usize, usize) {
        let own = || self.document.runs.iter().filter(|run| run.rule == rule);
        (own().filter(|run| run.verdict == Verdict::Stable).count(), own().count())
    }

    /// Rules that are stable most often; all of them where they are alike.
    fn steadiest<'r>(&self, rules: &[&'r str]) -> Vec<&'r str> {
        let most = rules.iter().map(|rule| self.stable(rule).0).max().unwrap_or_default();
        rules.iter().copied().filter(|rule| self.stable(rule).0 == most).collect()
    }

    fn stability(&self, rules: &[&str]) -> String {
        let part = |rule: &&str| {
            let (stable, all) = self.stable(rule);
            format!("{rule} in {stable} of {all}")
        };
        let parts: Vec<String> = rules.iter().map(part).collect();
        format!("Seeds from which the model is stable: {}.", parts.join(", "))
    }
}

fn list(rules: &[&str]) -> String {
    joined(rules, "and")
}

fn either(rules: &[&str]) -> String {
    joined(rules, "or")
}

fn joined(rules: &[&str], word: &str) -> String {
    match rules {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} {word} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use corefed_core::{KappaInterval, Number};
    use corefed_documents::{ComparedRun, Measured};
    use serde_json::Map;

    use super::*;

    fn run(rule: &str, seed: u64, welfare: f64) -> ComparedRun {
        let one = KappaInterval::new(1.0, 1.0);
        let measured = Measured {
            utilities: vec![welfare, 2.0],
            floored_log_welfare: Some(welfare),
            ..Measured::default()
        };
        ComparedRun {
            rule: rule.to_owned(),
            seed,
            folder: String::new(),
            verdict: match (rule, seed) {
                ("blocked", _) => Verdict::Blocked,
                (_, 1) => Verdict::Stable,
                _ => Verdict::Improvable,
            },
            kappa: one,
            everybody: one,
            headroom: Number(2.0),
            rival: None,
            deviation: None,
            training: measured.clone(),
            held_out: Some(measured),
            test_accuracy: None,
            round: 1,
            setting: Map::new(),
        }
    }

    /// Three seeds of each rule.
    fn found(rules: &[(&str, [f64; 3])]) -> Recommendation {
        let runs: Vec<ComparedRun> = rules
            .iter()
            .flat_map(|(rule, each)| {
                (1..).zip(each).map(|(seed, welfare)| run(rule, seed, *welfare))
            })
            .collect();
        let names: Vec<&str> = rules.iter().map(|(rule, _)| *rule).collect();
        let document = Comparison {
            folder: String::new(),
            agents: vec!["a".into(), "b".into()],
            runs,
            exploded: Vec::new(),
            paired: None,
            tuning: None,
        };
        recommended(&document, &names).unwrap()
    }

    #[test]
    fn noise_is_called_noise_and_a_clear_difference_is_not() {
        let base = ("fedavg", [1.0, 1.1, 0.9]);
        // 0.5, 0.51, 0.5 more than fedavg; afl is 0.2 more, 0.3 less, 0.1 more.
        let ahead = found(&[base, ("corefed", [1.5, 1.61, 1.4]), ("afl", [1.2, 0.8, 1.0])]);
        assert!(ahead.headline.starts_with("Take corefed: every other rule has less"), "{ahead:?}");
        assert!(ahead.clear && ahead.headline.contains("held-out rows"));
        let noisy = found(&[base, ("corefed", [1.2, 0.85, 1.0]), ("afl", [0.5, 0.6, 0.4])]);
        assert_eq!(
            noisy.headline,
            "Take corefed or fedavg: their log-welfare on held-out rows differs by no more than noise."
        );
        assert!(
            noisy.clear && noisy.said[0] == "Less than corefed, beyond noise: afl.",
            "{noisy:?}"
        );
        let equal = found(&[base, ("corefed", [1.2, 0.85, 1.0])]);
        assert!(!equal.clear && equal.headline.starts_with("Any of them will do"), "{equal:?}");
        assert!(equal.said.last().unwrap().contains("fedavg in 1 of 3"), "{equal:?}");
        let steady = found(&[("blocked", [1.0, 1.1, 0.9]), ("corefed", [1.2, 0.85, 1.0])]);
        assert!(
            steady.clear && steady.headline.starts_with("Take corefed: no rule has more"),
            "{steady:?}"
        );
    }
}
