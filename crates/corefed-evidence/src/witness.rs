//! The search for a coalition that would leave, and for a model that is better for everybody.
//!
//! Whatever is found is a fact about the losses at hand; that nothing is found proves nothing
//! (ledger E43).

use corefed_core::{Number, Weights, gain, scan, utilities};

use crate::{FoundWitness, Rise, Rivals, SearchError, SearchResult};

/// A search in progress: offer rivals, let it climb, read off what was found.
pub struct Search<'a, R: ?Sized> {
    pub(crate) rivals: &'a mut R,
    pub(crate) weights: &'a Weights,
    pub(crate) incumbent: &'a [f32],
    /// Utilities of the incumbent.
    pub(crate) now: Vec<f64>,
    ceilings: &'a [f64],
    kappa: f64,
    best: Option<FoundWitness>,
    everybody: f64,
    improvement: Option<FoundWitness>,
    rises: Vec<Rise>,
    starts: Vec<Start>,
    keep: usize,
    pub(crate) evaluations: usize,
    pub(crate) bursts: usize,
}

/// The best rival known for one coalition.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    pub(crate) name: String,
    pub(crate) params: Vec<f32>,
    pub(crate) coalition: Vec<usize>,
    pub(crate) kappa: f64,
}

/// How one rival stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Every agent's utility under it; minus infinity where its loss is not finite.
    pub utilities: Vec<f64>,
    /// What the best coalition that is not everybody can make of it.
    pub kappa: f64,
    /// That coalition, ascending; empty when it serves nobody.
    pub coalition: Vec<usize>,
    /// The factor by which everybody gains at once.
    pub everybody: f64,
}

impl<'a, R: Rivals + ?Sized> Search<'a, R> {
    /// Begins with an incumbent. Up to `keep` rivals, each the best of another coalition, are
    /// remembered as places to climb from.
    pub fn new(
        rivals: &'a mut R,
        incumbent: &'a [f32],
        ceilings: &'a [f64],
        weights: &'a Weights,
        keep: usize,
    ) -> Result<Self, SearchError> {
        let agents = rivals.agents();
        for (given, what) in [(ceilings.len(), "ceilings"), (weights.values().len(), "weights")] {
            if given != agents {
                return Err(SearchError::Count { agents, given, what });
            }
        }
        let losses = rivals.losses(incumbent)?;
        if losses.len() != agents {
            return Err(SearchError::Count { agents, given: losses.len(), what: "losses" });
        }
        if let Some(agent) = losses.iter().position(|loss| !loss.is_finite()) {
            return Err(SearchError::Incumbent { agent, loss: losses[agent] });
        }
        let now = utilities(ceilings, &losses);
        // Everybody can stay, which is a lower end of both factors.
        let staying = scan(&now, &now, weights.values(), &weights.total());
        let (kappa, everybody) = (staying.kappa.value(), staying.everybody.value());
        let (best, improvement, rises, starts) = (None, None, Vec::new(), Vec::new());
        let (evaluations, bursts) = (1, 0);
        Ok(Self {
            rivals,
            weights,
            incumbent,
            now,
            ceilings,
            kappa,
            best,
            everybody,
            improvement,
            rises,
            starts,
            keep,
            evaluations,
            bursts,
        })
    }

    /// Tries one rival.
    pub fn offer(&mut self, name: &str, params: &[f32]) -> Result<Standing, SearchError> {
        let expected = self.incumbent.len();
        if params.len() != expected {
            let (name, given) = (name.to_owned(), params.len());
            return Err(SearchError::Parameters { name, given, expected });
        }
        let mut losses = self.rivals.losses(params)?;
        self.evaluations += 1;
        let agents = self.now.len();
        if losses.len() != agents {
            return Err(SearchError::Count { agents, given: losses.len(), what: "losses" });
        }
        for loss in losses.iter_mut().filter(|loss| !loss.is_finite()) {
            *loss = f64::INFINITY;
        }
        let then = utilities(self.ceilings, &losses);
        let found = scan(&self.now, &then, self.weights.values(), &self.weights.total());
        let (kappa, everybody) = (found.kappa.value(), found.everybody.value());
        let standing = Standing { utilities: then, kappa, coalition: found.coalition, everybody };
        if kappa > self.kappa {
            self.rise(name, params, &standing);
        }
        if everybody > self.everybody {
            self.everybody = everybody;
            let all: Vec<usize> = (0..agents).collect();
            self.improvement = self.witness(name, params, &all, &standing.utilities, everybody);
        }
        self.remember(name, params, &standing);
        Ok(standing)
    }

    fn rise(&mut self, name: &str, params: &[f32], standing: &Standing) {
        let Standing { utilities, kappa, coalition, .. } = standing;
        self.kappa = *kappa;
        let (rival, number) = (name.to_owned(), Number(*kappa));
        self.rises.push(Rise { evaluations: self.evaluations, kappa: number, rival });
        self.best = self.witness(name, params, coalition, utilities, *kappa);
    }

    /// What a coalition gains with a rival; nothing is witnessed by factors up to one.
    fn witness(
        &self,
        name: &str,
        params: &[f32],
        coalition: &[usize],
        utilities: &[f64],
        kappa: f64,
    ) -> Option<FoundWitness> {
        let gains = coalition.iter().map(|&agent| Number(gain(self.now[agent], utilities[agent])));
        (kappa > 1.0).then(|| FoundWitness {
            rival: name.to_owned(),
            params: params.to_vec(),
            coalition: coalition.to_vec(),
            gains: gains.collect(),
            kappa: Number(kappa),
        })
    }

    /// Keeps the best rival of each of the best coalitions.
    fn remember(&mut self, name: &str, params: &[f32], standing: &Standing) {
        let Standing { kappa, coalition, .. } = standing;
        let known = self.starts.iter().position(|start| &start.coalition == coalition);
        if coalition.is_empty() || known.is_some_and(|k| self.starts[k].kappa >= *kappa) {
            return;
        }
        if known.is_none()
            && self.starts.len() >= self.keep
            && self.starts.last().is_none_or(|worst| worst.kappa >= *kappa)
        {
            return;
        }
        if let Some(known) = known {
            self.starts.remove(known);
        }
        let at = self.starts.partition_point(|start| start.kappa >= *kappa);
        let (name, params, coalition) = (name.to_owned(), params.to_vec(), coalition.clone());
        self.starts.insert(at, Start { name, params, coalition, kappa: *kappa });
        self.starts.truncate(self.keep);
    }

    /// `A + B + C`, as coalitions are named.
    pub(crate) fn members(&self, coalition: &[usize]) -> String {
        let names: Vec<String> = coalition.iter().map(|&k| self.rivals.name(k)).collect();
        names.join(" + ")
    }

    /// Where to climb from, best first.
    pub(crate) fn starts(&self) -> Vec<Start> {
        self.starts.clone()
    }

    /// Whether nothing better can be found: an agent without utility blocks alone.
    pub(crate) fn is_settled(&self) -> bool {
        self.kappa.is_infinite()
    }

    /// The utilities of the incumbent.
    #[must_use]
    pub fn utilities(&self) -> &[f64] {
        &self.now
    }

    /// The lower end of kappa so far; it never falls.
    #[must_use]
    pub fn kappa(&self) -> f64 {
        self.kappa
    }

    /// Ends the search.
    #[must_use]
    pub fn finish(self) -> SearchResult {
        SearchResult {
            kappa: Number(self.kappa),
            witness: self.best,
            everybody: Number(self.everybody),
            improvement: self.improvement,
            rises: self.rises,
            evaluations: self.evaluations,
            bursts: self.bursts,
            utilities: self.now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Unavailable;

    /// The only parameter says which row of losses holds.
    struct Listed(Vec<[f64; 3]>);

    impl Rivals for Listed {
        fn agents(&self) -> usize {
            3
        }

        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small index"
        )]
        fn losses(&mut self, params: &[f32]) -> Result<Vec<f64>, Unavailable> {
            Ok(self.0[params[0] as usize].to_vec())
        }

        fn improve(
            &mut self,
            _: &[f32],
            _: &[f64],
            _: usize,
        ) -> Result<Option<Vec<f32>>, Unavailable> {
            Ok(None)
        }
    }

    #[test]
    fn the_best_rival_of_each_of_the_best_coalitions_is_kept() {
        // M = 1 and 0.5 each now. Row 1 and 2 suit agent 0 alone (gains 1.6 and 1.8, the others'
        // 0.1), row 3 agents 1 and 2 (1.6), row 4 everybody (1.2), row 5 nobody.
        let mut listed = Listed(vec![
            [0.5, 0.5, 0.5],
            [0.2, 0.95, 0.95],
            [0.1, 0.95, 0.95],
            [0.95, 0.2, 0.2],
            [0.4, 0.4, 0.4],
            [1.5, 1.5, 1.5],
        ]);
        let weights = Weights::equal(3);
        let mut search = Search::new(&mut listed, &[0.0], &[1.0; 3], &weights, 2).unwrap();
        for row in [1.0, 2.0, 1.0, 3.0, 4.0, 5.0] {
            search.offer(&format!("row {row}"), &[row]).unwrap();
        }
        let kept: Vec<_> = search.starts().into_iter().map(|s| (s.name, s.coalition)).collect();
        // 2/3 * 1.6 by two, 1/3 * 1.8 by one; two make only 2/3 * 1.2 of what suits everybody.
        let expected = [("row 3", vec![1, 2]), ("row 2", vec![0])];
        assert_eq!(kept, expected.map(|(name, members)| (name.to_owned(), members)));
        let found = search.finish();
        assert!((found.kappa.0 - 3.2 / 3.0).abs() < 1e-12, "{found:?}");
        let rises: Vec<_> = found.rises.iter().map(|rise| rise.rival.as_str()).collect();
        assert_eq!(rises, ["row 3"]);
        assert!((found.everybody.0 - 1.2).abs() < 1e-12, "{found:?}");
        let improvement = found.improvement.unwrap();
        assert_eq!((improvement.rival.as_str(), improvement.coalition), ("row 4", vec![0, 1, 2]));
        assert_eq!(found.evaluations, 7);
    }
}
