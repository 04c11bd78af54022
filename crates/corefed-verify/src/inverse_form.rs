//! An upper bound of `h' K^-1 h` for a matrix that is known up to rounding.
//!
//! Let `S` be any matrix, in practice the inverse of a Cholesky factor of `K`. If `I - S K S'` has a norm
//! `e < 1`, then `K` is positive definite and `K^-1 <= S'S/(1 - e)`: one product proves what a
//! factorisation in intervals could not for want of digits (ledger E45).

use crate::eft::{UNIT, add_up, mul_up};
use crate::enclosed::Enclosed;
use crate::sum::{Sum, dot_enclosed};

/// A symmetric matrix with an error that is bounded relative to its diagonal: entry `(a, b)` is
/// within `relative * size[a] * size[b]` of the exact one, and at most `size[a] * size[b]`.
pub(crate) struct Known {
    /// Rows of the matrix.
    pub(crate) rows: Vec<Vec<f64>>,
    pub(crate) size: Vec<f64>,
    pub(crate) relative: f64,
}

impl Known {
    /// At least `h' K^-1 h`; `None` unless `K` is proven positive definite.
    pub(crate) fn inverse_form(&self, h: &[Enclosed]) -> Option<f64> {
        let inverse = inverse_factor(&self.rows)?;
        let defect = self.defect(&inverse);
        if !(defect < 0.5) {
            return None;
        }
        // With s near K^-1 h and r = h - K s the form is h's + r's + r'K^-1 r, whose last term is tiny.
        let middle: Vec<f64> = h.iter().map(|x| x.value()).collect();
        let half: Vec<f64> = inverse.iter().map(|row| plain_dot(row, &middle)).collect();
        let s: Vec<f64> =
            (0..h.len()).map(|a| (0..h.len()).map(|r| inverse[r][a] * half[r]).sum()).collect();
        let reach = self
            .size
            .iter()
            .zip(&s)
            .fold(0.0, |sum, (size, s)| add_up(sum, mul_up(*size, s.abs())));
        let r: Vec<Enclosed> = (0..h.len())
            .map(|a| {
                let mut rest = Sum::default();
                rest.add_enclosed(h[a]);
                for (entry, s) in self.rows[a].iter().zip(&s) {
                    rest.add_product(-entry, *s);
                }
                rest.total().widened(mul_up(mul_up(self.relative, self.size[a]), reach))
            })
            .collect();
        let mut rest = 0.0;
        for row in &inverse {
            let entry = dot_enclosed(&r, row).magnitude();
            rest = add_up(rest, mul_up(entry, entry));
        }
        let rest = (rest / (1.0 - defect).next_down()).next_up();
        let form = dot_enclosed(h, &s) + dot_enclosed(&r, &s);
        Some(form.widened(rest).hi())
    }

    /// At least the norm of `I - S K S'`.
    fn defect(&self, s: &[Vec<f64>]) -> f64 {
        let n = s.len();
        // Entries of |S| |K| |S|' are at most q_i q_j, and errors are relative to them: that of the data,
        // and of two products of n terms each.
        let q = s.iter().map(|row| {
            row.iter()
                .zip(&self.size)
                .fold(0.0, |sum, (x, size)| add_up(sum, mul_up(x.abs(), *size)))
        });
        let squares = q.fold(0.0, |sum, q| add_up(sum, mul_up(q, q)));
        let relative = add_up(self.relative, 4.0 * (n as f64 + 4.0) * UNIT);
        let mut found = 0.0;
        for i in 0..n {
            let product: Vec<f64> = self.rows.iter().map(|row| plain_dot(row, &s[i])).collect();
            for (j, row) in s.iter().enumerate() {
                let entry = plain_dot(row, &product) - f64::from(u8::from(i == j));
                // The last subtraction and the square round once more each.
                found += entry * entry * (1.0 + 8.0 * f64::EPSILON);
            }
        }
        let found = (found.sqrt() * (1.0 + (n * n) as f64 * f64::EPSILON)).next_up();
        add_up(found, mul_up(relative, squares))
    }
}

/// Rows of the inverse of a Cholesky factor, in plain doubles: any matrix would do.
pub(crate) fn inverse_factor(rows: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = rows.len();
    let mut lower = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let rest = rows[i][j] - plain_dot(&lower[i][..j], &lower[j][..j]);
            if i == j && !(rest > 0.0 && rest.is_finite()) {
                return None;
            }
            lower[i][j] = if i == j { rest.sqrt() } else { rest / lower[j][j] };
        }
    }
    let mut inverse = vec![vec![0.0; n]; n];
    for i in 0..n {
        inverse[i][i] = 1.0 / lower[i][i];
        let entry = |j: usize| -> f64 {
            -(j..i).map(|k| lower[i][k] * inverse[k][j]).sum::<f64>() / lower[i][i]
        };
        let entries: Vec<f64> = (0..i).map(entry).collect();
        inverse[i][..i].copy_from_slice(&entries);
    }
    Some(inverse)
}

fn plain_dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(rows: &[&[f64]], relative: f64) -> Known {
        let size = (0..rows.len()).map(|k| rows[k][k].sqrt().next_up()).collect();
        Known { rows: rows.iter().map(|row| row.to_vec()).collect(), size, relative }
    }

    fn form(rows: &[&[f64]], h: &[f64]) -> Option<f64> {
        let h: Vec<Enclosed> = h.iter().map(|x| Enclosed::exact(*x)).collect();
        known(rows, 1e-15).inverse_form(&h)
    }

    #[test]
    fn a_form_by_hand() {
        // [[2, 1], [1, 2]] has inverse [[2, -1], [-1, 2]] / 3: (1, 1) gives 2/3.
        let found = form(&[&[2.0, 1.0], &[1.0, 2.0]], &[1.0, 1.0]).unwrap();
        assert!((2.0 / 3.0..2.0 / 3.0 + 1e-14).contains(&found), "{found}");
    }

    #[test]
    fn a_matrix_that_is_not_definite_proves_nothing() {
        assert_eq!(form(&[&[1.0, 2.0], &[2.0, 1.0]], &[0.0, 0.0]), None);
        assert_eq!(form(&[&[1.0, 1.0], &[1.0, 1.0]], &[0.0, 0.0]), None);
        assert_eq!(form(&[&[f64::NAN]], &[0.0]), None);
        // Definite as computed, but not for every matrix within the error.
        let nearly = known(&[&[1.0, 1.0 - 1e-9], &[1.0 - 1e-9, 1.0]], 1e-8);
        assert_eq!(nearly.inverse_form(&[Enclosed::ZERO; 2]), None);
    }

    #[test]
    fn an_uncertain_matrix_gives_a_larger_form() {
        // 1/K with K = 4 within 1 %: at most 1/3.96.
        let found = known(&[&[4.0]], 0.01).inverse_form(&[Enclosed::exact(1.0)]).unwrap();
        assert!((1.0 / 3.96..0.26).contains(&found), "{found}");
    }
}
