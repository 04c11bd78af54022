//! Headroom: no rival gives an agent more than its ceiling.

use corefed_core::AgentStatement;

use crate::deviation::share;
use crate::enclosed::Enclosed;

/// At most what coalitions can reach, and at most what everybody can gain at once (ledger E8), for
/// utilities that are proven positive.
pub(crate) fn headroom(agents: &[AgentStatement], now: &[Enclosed]) -> (f64, f64) {
    let most = |i: usize| {
        let ceiling = agents[i].ceiling.unwrap_or(f64::INFINITY);
        Enclosed::exact(ceiling).over(Enclosed::exact(now[i].lo())).hi()
    };
    let mut gains: Vec<(f64, usize)> = (0..agents.len()).map(|i| (most(i), i)).collect();
    gains.sort_by(|(a, i), (b, j)| b.total_cmp(a).then(i.cmp(j)));
    let everybody = gains.last().map_or(f64::INFINITY, |(gain, _)| *gain);
    // Among coalitions whose smallest gain is the same the largest counts: all that gain as much, or
    // everybody but the lightest.
    let order: Vec<usize> = gains.iter().map(|(_, i)| *i).collect();
    let mut kappa = 0.0_f64;
    for (k, (gain, _)) in gains.iter().enumerate().take(agents.len() - 1) {
        kappa = kappa.max((share(agents, &order[..=k]) * Enclosed::exact(*gain)).hi());
    }
    let lightest = (0..agents.len())
        .fold(0, |light, i| if agents[i].weight < agents[light].weight { i } else { light });
    let others: Vec<usize> = (0..agents.len()).filter(|i| *i != lightest).collect();
    kappa = kappa.max((share(agents, &others) * Enclosed::exact(everybody)).hi());
    (kappa, everybody)
}
