//! Leaves what a certificate needs and nothing more: every answer tells something about somebody's rows.

use std::collections::BTreeSet;

use corefed_core::{AttestedCertificate, AttestedEvidence};

/// Drops answers and points that nothing uses, gradients that no tangent uses, and worst losses without
/// Frank-Wolfe evidence.
pub(super) fn trim(mut certificate: AttestedCertificate) -> AttestedCertificate {
    let (mut losses, mut gradients) = (BTreeSet::new(), BTreeSet::new());
    let everybody = 0..certificate.terms.agents.len();
    losses.extend(everybody.clone().map(|i| (i, 0)));
    for witness in certificate.witness.iter().chain(&certificate.improvement) {
        losses.extend(witness.coalition.iter().map(|&i| (i, witness.point)));
    }
    let first_order = matches!(certificate.evidence, AttestedEvidence::FrankWolfe { .. });
    match &certificate.evidence {
        AttestedEvidence::Tangents { conflicts, hopeless } => {
            let conflicts = conflicts.iter().flat_map(|conflict| &conflict.tangents);
            let hopeless = hopeless.iter().flat_map(|entry| &entry.tangents);
            gradients.extend(conflicts.chain(hopeless).map(|t| (t.agent, t.point)));
        }
        AttestedEvidence::FrankWolfe { .. } => gradients.extend(everybody.map(|i| (i, 0))),
        AttestedEvidence::Headroom | AttestedEvidence::Unbounded => {}
    }
    losses.extend(&gradients);
    for (i, own) in certificate.attestations.iter_mut().enumerate() {
        own.leaves.retain(|leaf| losses.contains(&(i, leaf.point)));
        for leaf in &mut own.leaves {
            if !gradients.contains(&(i, leaf.point)) {
                leaf.gradient = None;
            }
        }
        if !first_order {
            own.worst_loss = None;
        }
    }
    let mut used = vec![false; certificate.points.len()];
    used[0] = true;
    let leaves = certificate.attestations.iter().flat_map(|own| &own.leaves);
    leaves.for_each(|leaf| used[leaf.point] = true);
    keep_points(&mut certificate, &used);
    certificate
}

/// Keeps the points that are `used`, and has everything refer to their new places. What refers to a point that
/// goes, or that never was, refers to none.
pub(super) fn keep_points(certificate: &mut AttestedCertificate, used: &[bool]) {
    let mut next = 0;
    let places: Vec<usize> = used
        .iter()
        .map(|used| {
            next += usize::from(*used);
            if *used { next - 1 } else { usize::MAX }
        })
        .collect();
    let moved = |point: &mut usize| *point = places.get(*point).copied().unwrap_or(usize::MAX);
    let mut place = 0;
    certificate.points.retain(|_| {
        place += 1;
        used[place - 1]
    });
    let leaves = certificate.attestations.iter_mut().flat_map(|own| &mut own.leaves);
    leaves.for_each(|leaf| moved(&mut leaf.point));
    for witness in certificate.witness.iter_mut().chain(&mut certificate.improvement) {
        moved(&mut witness.point);
    }
    if let AttestedEvidence::Tangents { conflicts, hopeless } = &mut certificate.evidence {
        let conflicts = conflicts.iter_mut().flat_map(|conflict| &mut conflict.tangents);
        let hopeless = hopeless.iter_mut().flat_map(|entry| &mut entry.tangents);
        conflicts.chain(hopeless).for_each(|tangent| moved(&mut tangent.point));
    }
}
