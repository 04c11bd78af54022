//! Who would leave, and who would not.

use corefed_documents::{
    FailedGroup, GainLine, KeptGroups, LeavingGroup, LeavingMember, StayVerdict,
};
use corefed_evidence::{PairedMean, p_leaves, p_stays};

use super::compared::{Beside, Compared};

/// Open groups that are listed; their number is said for all.
const MOST_OPEN: usize = 10;

/// What was found about leaving.
pub(crate) struct Leaving {
    pub(crate) verdict: StayVerdict,
    /// The group that was chosen on one half of the rows, and what the other half says.
    pub(crate) chosen: Option<LeavingGroup>,
    pub(crate) kept: KeptGroups,
    pub(crate) failed: Vec<FailedGroup>,
}

impl Compared {
    /// Chooses the most tempted group on one half of the rows and tests it on the other (ledger E58), and asks
    /// of every group whether somebody keeps it (ledger E59).
    pub(crate) fn leaving(&self) -> Leaving {
        let miss = self.level.miss();
        let everybody = self.groups.everybody();
        let mut failed = Vec::new();
        let mut chosen: Option<(f64, usize)> = None;
        let (mut looked_at, mut kept, mut open) = (0, 0, Vec::new());
        for (k, members) in self.groups.list[..everybody].iter().enumerate() {
            let beside = match &self.beside[k] {
                Ok(beside) => beside,
                Err(error) => {
                    let members = self.named(members);
                    failed.push(FailedGroup { members, reason: error.to_string() });
                    continue;
                }
            };
            looked_at += 1;
            let gains = |part: fn(&Beside) -> Option<PairedMean>| -> Vec<Option<PairedMean>> {
                let own = members.iter().map(|&member| self.enough(member, part(&beside[member])));
                own.collect()
            };
            let p = p_leaves(&gains(|beside| beside.choosing));
            // Of equals the first: the smallest group.
            if p < chosen.map_or(1.0, |(least, _)| least) {
                chosen = Some((p, k));
            }
            if p_stays(&gains(|beside| beside.beyond)) <= miss {
                kept += 1;
            } else {
                open.push((p_leaves(&gains(|beside| beside.gain)), k));
            }
        }
        let chosen = chosen.and_then(|(_, k)| self.tested(k));
        let leaves = chosen.as_ref().is_some_and(|group| group.p <= miss);
        let all = self.groups.all && failed.is_empty();
        let verdict = if leaves {
            StayVerdict::Leave
        } else if all && kept == looked_at {
            StayVerdict::Stable
        } else {
            StayVerdict::Open
        };
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let named = |(_, k): &(f64, usize)| self.named(&self.groups.list[*k]);
        let open = open.iter().take(MOST_OPEN).map(named).collect();
        Leaving { verdict, chosen, kept: KeptGroups { looked_at, all, kept, open }, failed }
    }

    /// What the testing half says about a group.
    fn tested(&self, k: usize) -> Option<LeavingGroup> {
        let miss = self.level.miss();
        let beside = self.beside[k].as_ref().ok()?;
        let members = &self.groups.list[k];
        let gains: Vec<Option<PairedMean>> =
            members.iter().map(|&member| self.enough(member, beside[member].testing)).collect();
        let line = |gain: &PairedMean| GainLine {
            mean: gain.mean,
            lo: gain.lower(miss),
            hi: gain.upper(miss),
            units: gain.units,
        };
        let member = |(&member, gain): (&usize, &Option<PairedMean>)| LeavingMember {
            name: self.names[member].clone(),
            gain: gain.as_ref().map(line),
        };
        let p = p_leaves(&gains);
        Some(LeavingGroup { members: members.iter().zip(&gains).map(member).collect(), p })
    }
}
