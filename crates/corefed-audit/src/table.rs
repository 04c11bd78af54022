//! The exact audit of a table of utilities: the listed rivals and no others.

use corefed_core::{Kappa, Scan, scan};
use num_rational::BigRational;

use crate::shortlist::shortlist;

/// What a table says about its incumbent.
#[derive(Clone, Debug, PartialEq)]
pub struct TableAudit {
    /// The largest `kappa` over the listed rivals and the coalitions that are not everybody, exactly.
    pub kappa: Kappa<BigRational>,
    /// The largest factor by which everybody gains with a listed rival, exactly.
    pub everybody: Kappa<BigRational>,
    /// The rival that blocks, by its row, with the coalition, not everybody, that leaves for it. When
    /// several block, the one with the largest `kappa`; among equals, the first.
    pub deviation: Option<(usize, Vec<usize>)>,
    /// The row that is better for everybody by the strict rule; among several, the one with the
    /// largest factor, then the first.
    pub improvement: Option<usize>,
}

/// Scans every other row of a table against the incumbent, in exact arithmetic (ledger E3, E4).
///
/// `utilities[row][agent]`; weights are positive. The strict rule of Definition 1 decides, without
/// any tolerance; utilities at or below zero count as nothing. Rows that are clearly not the best for
/// anybody are passed over after a look in floating point.
///
/// ```
/// use corefed_audit::audit_table;
/// use num_rational::BigRational;
///
/// let row = |values: [i64; 3]| values.map(|v| BigRational::from_integer(v.into())).to_vec();
/// // Two of three agents have 2 now and could have 4: (2/3) 4 > 2, so both leave for row 1.
/// let table = [row([2, 2, 5]), row([4, 4, 0])];
/// let found = audit_table(&table, 0, &row([1, 1, 1]));
/// assert_eq!(found.deviation, Some((1, vec![0, 1])));
/// ```
#[must_use]
pub fn audit_table(
    utilities: &[Vec<BigRational>],
    incumbent: usize,
    weights: &[BigRational],
) -> TableAudit {
    over(shortlist(utilities, incumbent, weights), utilities, incumbent, weights)
}

/// The same as long as `go_on` says so, which is asked before every row that takes exact arithmetic: `None`
/// if it ended before all were scanned.
pub fn audit_table_while(
    utilities: &[Vec<BigRational>],
    incumbent: usize,
    weights: &[BigRational],
    mut go_on: impl FnMut() -> bool,
) -> Option<TableAudit> {
    let mut all = true;
    let rows = shortlist(utilities, incumbent, weights).into_iter().take_while(|_| {
        all = go_on();
        all
    });
    let audit = over(rows, utilities, incumbent, weights);
    all.then_some(audit)
}

fn over(
    rows: impl IntoIterator<Item = usize>,
    utilities: &[Vec<BigRational>],
    incumbent: usize,
    weights: &[BigRational],
) -> TableAudit {
    let total = weights.iter().sum();
    let nothing = Kappa::Finite(BigRational::default());
    let mut audit = TableAudit {
        kappa: nothing.clone(),
        everybody: nothing.clone(),
        deviation: None,
        improvement: None,
    };
    let (mut blocked, mut improved) = (nothing.clone(), nothing);
    for row in rows {
        let Scan { kappa, blocking, everybody, improves, .. } =
            scan(&utilities[incumbent], &utilities[row], weights, &total);
        if let Some(coalition) = blocking
            && (audit.deviation.is_none() || kappa > blocked)
        {
            audit.deviation = Some((row, coalition));
            blocked = kappa.clone();
        }
        if improves && (audit.improvement.is_none() || everybody > improved) {
            audit.improvement = Some(row);
            improved = everybody.clone();
        }
        if kappa > audit.kappa {
            audit.kappa = kappa;
        }
        if everybody > audit.everybody {
            audit.everybody = everybody;
        }
    }
    audit
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cents: &[i64]) -> Vec<BigRational> {
        cents.iter().map(|c| BigRational::new((*c).into(), 100.into())).collect()
    }

    #[test]
    fn the_worst_of_several_blocks_is_reported() {
        let table = [row(&[100, 100]), row(&[210, 10]), row(&[300, 10]), row(&[90, 90])];
        let weights = [BigRational::from_integer(1.into()), BigRational::from_integer(1.into())];
        let audit = audit_table(&table, 0, &weights);
        assert_eq!(audit.deviation, Some((2, vec![0])));
        assert_eq!(audit.kappa, Kappa::Finite(BigRational::new(3.into(), 2.into())));
        assert_eq!(audit_table(&table, 2, &weights).deviation, Some((0, vec![1])));
    }

    #[test]
    fn an_audit_that_is_ended_says_nothing() {
        let table = [row(&[100, 100]), row(&[210, 10]), row(&[10, 300])];
        let weights = [BigRational::from_integer(1.into()), BigRational::from_integer(1.into())];
        let whole = audit_table_while(&table, 0, &weights, || true);
        assert_eq!(whole, Some(audit_table(&table, 0, &weights)));
        let mut asked = 0;
        let ended = audit_table_while(&table, 0, &weights, || {
            asked += 1;
            asked < 1
        });
        assert_eq!((ended, asked), (None, 1));
    }

    #[test]
    fn weights_decide_who_can_leave() {
        // Agent 0 triples its utility: enough alone at weight 1/2 or more, not at 1/4.
        let table = [row(&[100, 100]), row(&[300, 10])];
        let weights = |a: i64, b: i64| {
            [BigRational::from_integer(a.into()), BigRational::from_integer(b.into())]
        };
        assert!(audit_table(&table, 0, &weights(1, 1)).deviation.is_some());
        assert!(audit_table(&table, 0, &weights(1, 3)).deviation.is_none());
    }

    #[test]
    fn what_everybody_prefers_is_an_improvement_and_no_block() {
        let table = [row(&[100, 100]), row(&[100, 101]), row(&[120, 110]), row(&[90, 400])];
        let weights = [BigRational::from_integer(1.into()), BigRational::from_integer(9.into())];
        let audit = audit_table(&table, 0, &weights);
        // Row 2 gives everybody a factor of 1.1; row 3 tempts agent 1: 0.9 * 4 = 3.6.
        assert_eq!(audit.everybody, Kappa::Finite(BigRational::new(11.into(), 10.into())));
        assert_eq!((audit.improvement, audit.deviation), (Some(2), Some((3, vec![1]))));
        // Alone, row 1 is better for one and worse for nobody: an improvement by the strict rule.
        let small = audit_table(&table[..2], 0, &weights);
        assert_eq!((small.improvement, small.deviation), (Some(1), None));
        assert_eq!(small.everybody, Kappa::Finite(BigRational::from_integer(1.into())));
    }
}
