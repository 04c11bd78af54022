//! Points and answers: shapes, ranges, and whether some convex function gives such answers.

use corefed_core::{Attestation, AttestedCertificate, Leaf};

use super::book::Book;
use crate::enclosed::Enclosed;
use crate::predictor::Shape;
use crate::sum::{Sum, norm};
use crate::{AttestedError, VerifyError};

/// Numbers in all points and gradients; real certificates have some thousands.
const MOST_NUMBERS: usize = 20_000_000;
/// Products that one kind of check may take: some seconds.
const MOST_PRODUCTS: usize = 1_000_000_000;

/// Checks points and leaves as far as they can be without rows.
pub(crate) fn check_leaves(certificate: &AttestedCertificate) -> Result<(), VerifyError> {
    let (points, attestations) = (&certificate.points, &certificate.attestations);
    let (expected, found) = (certificate.terms.agents.len(), attestations.len());
    if expected != found {
        let field = "attestations".to_owned();
        return Err(VerifyError::Length { field, expected, found });
    }
    let model = &certificate.terms.predictor;
    let shape = Shape::agreed(model);
    if points.is_empty() {
        return Err(VerifyError::Missing { field: "points[0]".to_owned() });
    }
    for (j, point) in points.iter().enumerate() {
        shape.check(&format!("points[{j}]"), point)?;
    }
    let bits = |(a, b): (&f64, &f64)| a.to_bits() != b.to_bits();
    if let Some(parameter) = points[0].iter().zip(model.parameters()).position(bits) {
        return Err(AttestedError::NotThePredictor { parameter }.into());
    }
    let mut used = vec![false; points.len()];
    let mut numbers = points.len().saturating_mul(points[0].len());
    for (i, attestation) in attestations.iter().enumerate() {
        let name = &certificate.terms.agents[i].name;
        check_presence(name, attestation)?;
        let ascending = attestation.leaves.windows(2).all(|pair| pair[0].point < pair[1].point);
        if !ascending || attestation.leaves.last().is_some_and(|leaf| leaf.point >= points.len()) {
            return Err(AttestedError::LeafOrder { agent: i, points: points.len() }.into());
        }
        for (k, leaf) in attestation.leaves.iter().enumerate() {
            used[leaf.point] = true;
            check_leaf(&format!("attestations[{i}].leaves[{k}]"), leaf, points[0].len())?;
            numbers += leaf.gradient.as_ref().map_or(0, |gradient| gradient.values.len());
        }
    }
    if numbers > MOST_NUMBERS {
        let field = "points and gradients".to_owned();
        return Err(AttestedError::TooMany { field, found: numbers, most: MOST_NUMBERS }.into());
    }
    if attestations.iter().all(|attestation| attestation.leaves.is_empty()) {
        return Err(AttestedError::Nobody.into());
    }
    match used.iter().position(|used| !used) {
        Some(point) => Err(AttestedError::UnusedPoint { point }.into()),
        None => Ok(()),
    }
}

fn check_presence(name: &str, own: &Attestation) -> Result<(), VerifyError> {
    let stands_for_nothing = own.samples == 0 && own.rows.is_none() && own.worst_loss.is_none();
    let problem = match own.leaves.first() {
        None if stands_for_nothing && own.signature.is_none() => return Ok(()),
        None => "has no leaves, so it is absent and can have no samples, rows or signature",
        Some(_) if own.samples == 0 => "answered without any rows",
        Some(leaf) if leaf.point != 0 => "did not answer at the predictor, `points[0]`",
        Some(_) => return Ok(()),
    };
    Err(AttestedError::Presence { agent: name.to_owned(), problem }.into())
}

fn check_leaf(path: &str, leaf: &Leaf, parameters: usize) -> Result<(), VerifyError> {
    let number = |holds: bool, field: &str, value: f64, must: &'static str| {
        if holds {
            return Ok(());
        }
        Err(VerifyError::Number { field: format!("{path}.{field}"), value, must })
    };
    let finite = |field: &str, value: f64| number(value.is_finite(), field, value, "finite");
    let margin = |field: &str, value: f64| {
        number(value >= 0.0 && value.is_finite(), field, value, "finite and >= 0")
    };
    finite("loss", leaf.loss)?;
    margin("margin", leaf.margin)?;
    let Some(gradient) = &leaf.gradient else { return Ok(()) };
    margin("gradient.margin", gradient.margin)?;
    let found = gradient.values.len();
    if found != parameters {
        let field = format!("{path}.gradient.values");
        return Err(VerifyError::Length { field, expected: parameters, found });
    }
    gradient.values.iter().try_for_each(|value| finite("gradient.values", *value))
}

/// Refuses work that no honest document causes, before it begins.
pub(crate) fn check_work(what: &str, products: usize) -> Result<(), AttestedError> {
    if products <= MOST_PRODUCTS {
        return Ok(());
    }
    let (field, found, most) = (what.to_owned(), products, MOST_PRODUCTS);
    Err(AttestedError::TooMany { field, found, most })
}

/// Checks that each agent's answers are those of some function that curves by at least `l2` (ledger E86). An
/// agent that lies about another convex function passes: this finds mistakes, not lies.
pub(crate) fn check_convexity(certificate: &AttestedCertificate) -> Result<(), VerifyError> {
    let square = |own: &Attestation| own.leaves.len().saturating_pow(2);
    let pairs = certificate.attestations.iter().map(square).fold(0, usize::saturating_add);
    let products = pairs.saturating_mul(certificate.points[0].len());
    check_work("pairs of answers, times parameters", products)?;
    let book = Book::of(certificate);
    for (party, own) in certificate.terms.agents.iter().zip(&certificate.attestations) {
        for leaf in &own.leaves {
            for other in own.leaves.iter().filter(|other| other.point != leaf.point) {
                let Some(least) = least_loss(book, leaf, other.point) else { continue };
                let most = Enclosed::new(other.loss, other.margin).hi();
                if most < least {
                    let (agent, at, other_at) = (party.name.clone(), leaf.point, other.point);
                    let stated = other.loss;
                    return Err(AttestedError::NotConvex {
                        agent,
                        at,
                        other: other_at,
                        stated,
                        least,
                    }
                    .into());
                }
            }
        }
    }
    Ok(())
}

/// At most the loss at a point, by the tangent at another: `L + <g, x - y> + (l2/2)|x - y|^2` less the margins.
fn least_loss(book: Book<'_>, leaf: &Leaf, at: usize) -> Option<f64> {
    let gradient = leaf.gradient.as_ref()?;
    let (y, x) = (book.point(leaf.point), book.point(at));
    let mut value = Sum::from(Enclosed::new(leaf.loss, leaf.margin));
    let mut apart = Vec::with_capacity(x.len());
    for ((g, x), y) in gradient.values.iter().zip(x).zip(y) {
        value.add_product(*g, *x);
        value.add_product(-*g, *y);
        apart.push(Enclosed::exact(*x) - Enclosed::exact(*y));
    }
    let distance = norm(&apart);
    let bend = Enclosed::exact(0.5) * Enclosed::exact(book.model().l2()) * distance.square();
    value.add_enclosed(bend);
    Some((value.total() - Enclosed::exact(gradient.margin) * distance).lo())
}
