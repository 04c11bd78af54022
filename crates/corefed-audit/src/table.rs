//! The exact audit of a table of utilities: the listed rivals and no others.

use corefed_core::{Kappa, Scan, scan};
use num_rational::BigRational;

/// What a table says about its incumbent.
#[derive(Clone, Debug, PartialEq)]
pub struct TableAudit {
    /// The largest `kappa` over the listed rivals, exactly.
    pub kappa: Kappa<BigRational>,
    /// The rival that blocks, by its row, with the coalition that leaves for it. When several
    /// block, the one with the largest `kappa`; among equals, the first.
    pub deviation: Option<(usize, Vec<usize>)>,
}

/// Scans every other row of a table against the incumbent, in exact arithmetic (ledger E3, E4).
///
/// `utilities[row][agent]`; weights are positive. The strict rule of Definition 1 decides, for
/// every sign of the utilities, without any tolerance.
#[must_use]
pub fn audit_table(
    utilities: &[Vec<BigRational>],
    incumbent: usize,
    weights: &[BigRational],
) -> TableAudit {
    let total = weights.iter().sum();
    let mut audit = TableAudit { kappa: Kappa::Finite(BigRational::default()), deviation: None };
    let mut deviation_kappa = audit.kappa.clone();
    for (row, rival) in utilities.iter().enumerate().filter(|(row, _)| *row != incumbent) {
        let Scan { kappa, blocking, .. } = scan(&utilities[incumbent], rival, weights, &total);
        if let Some(coalition) = blocking
            && (audit.deviation.is_none() || kappa > deviation_kappa)
        {
            audit.deviation = Some((row, coalition));
            deviation_kappa = kappa.clone();
        }
        if kappa > audit.kappa {
            audit.kappa = kappa;
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
    fn weights_decide_who_can_leave() {
        // Agent 0 triples its utility: enough alone at weight 1/2 or more, not at 1/4.
        let table = [row(&[100, 100]), row(&[300, 10])];
        let weights = |a: i64, b: i64| {
            [BigRational::from_integer(a.into()), BigRational::from_integer(b.into())]
        };
        assert!(audit_table(&table, 0, &weights(1, 1)).deviation.is_some());
        assert!(audit_table(&table, 0, &weights(1, 3)).deviation.is_none());
    }
}
