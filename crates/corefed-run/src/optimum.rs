//! The optimum of a rule on a case.

use std::time::{Duration, Instant};

use corefed_solve::{Problem, Rule, Solution};

use crate::{Case, RunError, TermsError};

/// Gap asked of an optimum, relative to the total weight.
pub(crate) const SOLVER_GAP: f64 = 1e-10;
/// A fit may take this long, in seconds, however short a limit is: without a model there is nothing to audit.
const LEAST: f64 = 10.0;

impl Case {
    /// The optimum of a rule.
    pub fn solve(&self, problem: &Problem<'_>, rule: Rule) -> Result<Solution, RunError> {
        corefed_solve::solve(problem, rule, SOLVER_GAP)
            .map_err(|error| self.infeasible(&error).into())
    }

    /// The same within some seconds, or ten: looked at after every step. What is half fitted is an error, since a
    /// verdict on it would not be about the rule.
    pub fn solve_within(
        &self,
        problem: &Problem<'_>,
        rule: Rule,
        seconds: f64,
    ) -> Result<Solution, RunError> {
        // An absurd limit means no limit.
        let limit = Duration::try_from_secs_f64(seconds.max(LEAST)).unwrap_or(Duration::MAX);
        let begin = Instant::now();
        self.solve_unless(problem, rule, limit, &|| begin.elapsed() > limit)
    }

    fn solve_unless(
        &self,
        problem: &Problem<'_>,
        rule: Rule,
        limit: Duration,
        late: &(dyn Fn() -> bool + Sync),
    ) -> Result<Solution, RunError> {
        let found = self.solve(&problem.halted_by(late), rule);
        let done = match &found {
            Ok(solution) => solution.converged,
            // That nobody can serve these agents together is proven, however long it took.
            Err(error) => !matches!(error, RunError::Terms(TermsError::NotFound { .. })),
        };
        if done || !late() {
            return found;
        }
        let (file, seconds) = (self.file.clone(), limit.as_secs_f64());
        Err(TermsError::FitTime { file, rule, seconds }.into())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use corefed_core::{CeilingPolicy, Family, Weights};
    use corefed_data::{EncodeOptions, Encoded, Table, fit, hospitals_csv};

    use super::*;
    use crate::CaseTerms;

    /// The hospitals, with one ceiling for all.
    fn hospitals(ceiling: f64) -> Case {
        let table = Table::parse("hospitals.csv", hospitals_csv(8).as_bytes()).unwrap();
        let options = EncodeOptions::new("hospital", "disease", Family::Logistic);
        let Encoded { encoding, federation, .. } = fit(&table, &options).unwrap();
        let terms = CaseTerms {
            family: Family::Logistic,
            l2: 0.01,
            radius: 10.0,
            weights: Weights::equal(5),
            ceiling: CeilingPolicy::Fixed(ceiling),
            held_out: None,
        };
        let name = "hospitals.csv".to_owned();
        Case::of(Arc::new(federation), encoding, table.digest().to_owned(), name, terms).unwrap()
    }

    #[test]
    fn a_fit_that_is_halted_after_any_step_is_the_optimum_or_an_error() {
        let case = hospitals(1.0);
        let losses = case.losses();
        let problem = case.problem(&*losses);
        for rule in [Rule::Core, Rule::Utilitarian, Rule::Egalitarian] {
            let whole = case.solve(&problem, rule).unwrap();
            let mut late = 0;
            for steps in 0..60 {
                let asked = AtomicUsize::new(0);
                let halt = || asked.fetch_add(1, Ordering::Relaxed) >= steps;
                match case.solve_unless(&problem, rule, Duration::from_secs(7), &halt) {
                    // As good as asked, if not as good as rounding lets it become.
                    Ok(found) => assert!(found.converged && found.gap <= 1e-6, "{rule}: {found:?}"),
                    Err(error) => {
                        late += 1;
                        let said = format!(
                            "`hospitals.csv`: the {rule} predictor was not found within 7 s"
                        );
                        assert_eq!(error.to_string(), said);
                        assert!(error.hint().unwrap().contains("@time-limit"));
                    }
                }
            }
            assert!((1..60).contains(&late), "{rule}: {late}");
            assert!(whole.converged, "{whole:?}");
        }
    }

    #[test]
    fn nobody_who_is_proven_to_be_without_a_model_waits_longer() {
        let case = hospitals(0.3);
        let losses = case.losses();
        let problem = case.problem(&*losses);
        let asked = AtomicUsize::new(0);
        let late = || asked.fetch_add(1, Ordering::Relaxed) >= 1000;
        let found = case.solve_unless(&problem, Rule::Core, Duration::ZERO, &late);
        let infeasible = matches!(found, Err(RunError::Terms(TermsError::Infeasible { .. })));
        assert!(infeasible, "{found:?}");
        // Too early to know who cannot be served together.
        let found = case.solve_unless(&problem, Rule::Core, Duration::ZERO, &|| true);
        let late = matches!(found, Err(RunError::Terms(TermsError::FitTime { .. })));
        assert!(late || matches!(found, Err(RunError::Terms(TermsError::Infeasible { .. }))));
    }
}
