//! What held-out rows say about a utility.

use corefed_documents::HeldOutUtility;
use corefed_evidence::{
    BlockClaim, HeldOut, Level, Method, RowUtility, SampleError, Samples, SearchResult,
    Unavailable, claim_block,
};
use corefed_sim::Part;

use super::audit::AuditedNetwork;
use super::rivals::unavailable;

/// The utility of one agent from the losses of its rows; `None` where there are none.
pub fn held_out_utility(
    losses: &[f64],
    ceiling: f64,
    level: Level,
) -> Result<Option<HeldOutUtility>, SampleError> {
    if losses.is_empty() {
        return Ok(None);
    }
    let worth: Vec<f64> = losses.iter().map(|loss| (ceiling - loss).max(0.0)).collect();
    Ok(Some(HeldOutUtility {
        rows: losses.len(),
        mean: ceiling - losses.iter().sum::<f64>() / losses.len() as f64,
        truncated: Samples::new(&worth, 0.0, ceiling)?.interval(level, Method::Betting),
    }))
}

impl AuditedNetwork<'_> {
    /// Losses of an agent's held-out rows.
    fn held_out_losses(&self, params: &[f32], agent: usize) -> Result<Vec<f64>, Unavailable> {
        self.federation.sample_losses(params, Part::HeldOut, agent).map_err(unavailable)
    }

    pub(crate) fn held_out_utilities(
        &self,
        params: &[f32],
    ) -> Result<Vec<Option<HeldOutUtility>>, Unavailable> {
        let level = self.level();
        let own = |(agent, ceiling): (usize, &f64)| {
            let losses = self.held_out_losses(params, agent)?;
            // A model may overflow on rows that it was not trained on: that has no mean.
            Ok(held_out_utility(&losses, *ceiling, level).ok().flatten())
        };
        self.terms.ceilings.iter().enumerate().map(own).collect()
    }

    /// Specs are read with levels that are levels.
    fn level(&self) -> Level {
        Level::new(self.settings.level).unwrap_or_default()
    }

    /// Whether held-out rows confirm the deviation that was found, or why nothing is said of it; fails where their losses
    /// cannot be computed.
    pub(crate) fn held_out_block(
        &self,
        params: &[f32],
        search: &SearchResult,
    ) -> Result<Result<BlockClaim, String>, Unavailable> {
        let Some(witness) = &search.witness else {
            return Ok(Err("the search found no coalition to ask about".to_owned()));
        };
        let (names, ceilings) = (&self.terms.names, &self.terms.ceilings);
        let both: Vec<(Vec<f64>, Vec<f64>)> = witness
            .coalition
            .iter()
            .map(|&k| {
                let incumbent = self.held_out_losses(params, k)?;
                Ok((incumbent, self.held_out_losses(&witness.params, k)?))
            })
            .collect::<Result<_, Unavailable>>()?;
        if let Some((&k, _)) = witness.coalition.iter().zip(&both).find(|(_, own)| own.0.is_empty())
        {
            return Ok(Err(format!("`{}` has no held-out rows", names[k])));
        }
        let rows: Vec<HeldOut<'_>> = witness
            .coalition
            .iter()
            .zip(&both)
            .map(|(&k, (incumbent, rival))| HeldOut { ceiling: ceilings[k], incumbent, rival })
            .collect();
        let (utility, weights) = (RowUtility::TruncatedUtility, &self.terms.weights);
        let (level, method) = (self.level(), Method::default());
        let claim = claim_block(&witness.coalition, &rows, weights, utility, level, method);
        Ok(claim.map_err(|error| error.to_string()))
    }
}
