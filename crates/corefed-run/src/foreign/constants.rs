//! What agents would lose without a model: the references of ceilings (ledger E75).

use corefed_core::{ReferenceLosses, Weights};

use super::owned::OwnedRows;
use super::row_loss::{Predicted, RowLoss, Targets};

/// The losses of constant predictions on the rows of agents.
pub(super) struct Constants<'a> {
    pub(super) rows: &'a OwnedRows,
    pub(super) loss: RowLoss,
    pub(super) weights: &'a Weights,
}

/// One prediction for every row.
enum Constant {
    Number(f64),
    Class(usize),
    Shares(Vec<f64>),
}

impl Constant {
    fn predicted(&self) -> Predicted<'_> {
        match self {
            Self::Number(number) => Predicted::Number(*number),
            Self::Class(class) => Predicted::Class(*class),
            Self::Shares(shares) => Predicted::Shares(shares),
        }
    }
}

impl Constants<'_> {
    /// The constant with the least loss where row `k` counts `weights[k]`.
    fn best(&self, weights: &[f64]) -> Option<Constant> {
        let total: f64 = weights.iter().sum();
        Some(match (&self.rows.targets, self.loss) {
            (Targets::Numbers(y), RowLoss::Squared | RowLoss::Poisson) => {
                let sum: f64 = y.iter().zip(weights).map(|(y, w)| y * w).sum();
                Constant::Number(sum / total)
            }
            (Targets::Numbers(y), RowLoss::Absolute) => Constant::Number(median(y, weights)),
            (Targets::Classes { labels, names }, loss) => {
                let mut shares = vec![0.0; names.len()];
                for (label, weight) in labels.iter().zip(weights) {
                    shares[*label] += weight / total;
                }
                if loss == RowLoss::ZeroOne {
                    let most = shares.iter().copied().fold(0.0, f64::max);
                    let first = shares.iter().position(|share| *share == most);
                    Constant::Class(first.unwrap_or_default())
                } else {
                    Constant::Shares(shares)
                }
            }
            _ => return None,
        })
    }

    /// What each agent loses with a constant of its own, or with one for all.
    fn losses(&self, constants: &[Constant]) -> Vec<f64> {
        let of = |row: usize, agent: usize| {
            let own = constants.get(agent).unwrap_or(&constants[0]);
            self.rows.targets.loss(row, self.loss, own.predicted())
        };
        let rows: Vec<f64> =
            self.rows.owners.iter().enumerate().map(|(row, agent)| of(row, *agent)).collect();
        self.rows.means(&rows)
    }
}

impl ReferenceLosses for Constants<'_> {
    fn names(&self) -> Vec<String> {
        self.rows.agents.clone()
    }

    /// Zero; one for a mean count, all classes alike for probabilities. Classes themselves have no such prediction.
    fn initial(&self) -> Option<Vec<f64>> {
        let constant = match (self.loss, &self.rows.targets) {
            (RowLoss::Squared | RowLoss::Absolute, _) => Constant::Number(0.0),
            (RowLoss::Poisson, _) => Constant::Number(1.0),
            (RowLoss::Log, Targets::Classes { names, .. }) => {
                let count = u32::try_from(names.len()).unwrap_or(u32::MAX);
                Constant::Shares(vec![1.0 / f64::from(count); names.len()])
            }
            _ => return None,
        };
        Some(self.losses(&[constant]))
    }

    fn constant(&self) -> Option<Vec<f64>> {
        let owners = &self.rows.owners;
        let own = |agent: usize| {
            let weights: Vec<f64> =
                owners.iter().map(|owner| f64::from(u8::from(*owner == agent))).collect();
            self.best(&weights)
        };
        let constants = (0..self.rows.agents.len()).map(own).collect::<Option<Vec<_>>>()?;
        Some(self.losses(&constants))
    }

    fn pooled_constant(&self) -> Option<Vec<f64>> {
        let samples = self.rows.samples();
        let count = |agent: usize| f64::from(u32::try_from(samples[agent]).unwrap_or(u32::MAX));
        let share = |agent: &usize| self.weights.values()[*agent] / count(*agent);
        let weights: Vec<f64> = self.rows.owners.iter().map(share).collect();
        Some(self.losses(&[self.best(&weights)?]))
    }
}

/// The smallest number at which half of the weight is reached.
fn median(values: &[f64], weights: &[f64]) -> f64 {
    let mut order: Vec<usize> = (0..values.len()).filter(|&k| weights[k] > 0.0).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let half = 0.5 * weights.iter().sum::<f64>();
    let mut reached = 0.0;
    for &k in &order {
        reached += weights[k];
        if reached >= half {
            return values[k];
        }
    }
    order.last().map_or(f64::NAN, |&k| values[k])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(targets: Targets, owners: &[usize]) -> OwnedRows {
        let agents = ["A", "B"].map(str::to_owned).to_vec();
        OwnedRows { agents, owners: owners.to_vec(), targets }
    }

    fn equal(found: &[f64], wanted: &[f64]) {
        let close = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close && found.len() == wanted.len(), "{found:?} instead of {wanted:?}");
    }

    #[test]
    fn constants_of_a_regression_are_worked_by_hand() {
        // A has 0, 2, 4 (mean 2, variance 8/3), B has 10. With equal say the common mean is (2 + 10)/2 = 6.
        let rows = rows(Targets::Numbers(vec![0.0, 10.0, 2.0, 4.0]), &[0, 1, 0, 0]);
        let weights = Weights::new(vec![1.0, 1.0]).unwrap();
        let of = |loss| Constants { rows: &rows, loss, weights: &weights };
        equal(&of(RowLoss::Squared).constant().unwrap(), &[8.0 / 3.0, 0.0]);
        equal(&of(RowLoss::Squared).pooled_constant().unwrap(), &[8.0 / 3.0 + 16.0, 16.0]);
        equal(&of(RowLoss::Squared).initial().unwrap(), &[20.0 / 3.0, 100.0]);
        // Half of the say is reached at 4, A's last row; the least sum of absolute errors is flat from 4 to 10.
        equal(&of(RowLoss::Absolute).constant().unwrap(), &[4.0 / 3.0, 0.0]);
        equal(&of(RowLoss::Absolute).pooled_constant().unwrap(), &[2.0, 6.0]);
        // Mean counts 2 and 10: mean of y log(y/2) over 0, 2, 4.
        equal(&of(RowLoss::Poisson).constant().unwrap(), &[4.0 * 2_f64.ln() / 3.0, 0.0]);
        assert!(of(RowLoss::Given).pooled_constant().is_none());
    }

    #[test]
    fn constants_of_classes_go_by_say() {
        // A: n, n, n, y; B: y. Shares by say: n = 3/8, y = 5/8.
        let names = ["n", "y"].map(str::to_owned).to_vec();
        let targets = Targets::Classes { labels: vec![0, 0, 0, 1, 1], names };
        let rows = rows(targets, &[0, 0, 0, 0, 1]);
        let weights = Weights::new(vec![1.0, 1.0]).unwrap();
        let of = |loss| Constants { rows: &rows, loss, weights: &weights };
        let (n, y) = (-(0.375_f64.ln()), -(0.625_f64.ln()));
        equal(&of(RowLoss::Log).pooled_constant().unwrap(), &[0.75 * n + 0.25 * y, y]);
        let own = -(0.75 * 0.75_f64.ln() + 0.25 * 0.25_f64.ln());
        equal(&of(RowLoss::Log).constant().unwrap(), &[own, 0.0]);
        equal(&of(RowLoss::Log).initial().unwrap(), &[2_f64.ln(); 2]);
        equal(&of(RowLoss::ZeroOne).pooled_constant().unwrap(), &[0.75, 0.0]);
        equal(&of(RowLoss::ZeroOne).constant().unwrap(), &[0.25, 0.0]);
        assert!(of(RowLoss::ZeroOne).initial().is_none());
    }

    #[test]
    fn no_other_constant_is_better() {
        let targets = Targets::Numbers(vec![1.0, 0.5, 7.0, 3.0, 2.5, 4.0, 0.25]);
        let rows = rows(targets, &[0, 1, 0, 1, 1, 0, 0]);
        let weights = Weights::new(vec![2.0, 1.0]).unwrap();
        for loss in [RowLoss::Squared, RowLoss::Absolute, RowLoss::Poisson] {
            let of = Constants { rows: &rows, loss, weights: &weights };
            let sum = |losses: &[f64]| 2.0 * losses[0] + losses[1];
            let best = sum(&of.pooled_constant().unwrap());
            for k in 1..800 {
                let other = of.losses(&[Constant::Number(f64::from(k) / 100.0)]);
                assert!(best <= sum(&other) + 1e-12, "{loss}: {k}");
            }
        }
    }
}
