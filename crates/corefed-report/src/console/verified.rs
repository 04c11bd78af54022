//! A certificate that was checked.

use corefed_core::{Verdict, one_line};
use corefed_documents::{Claimed, Verified};

use crate::verdict;
use crate::words::percent;

/// What a certificate says, and what of it was checked.
#[must_use]
pub fn verified(answer: &Verified) -> String {
    let claim = match &answer.claim {
        Claimed::Core { claim } | Claimed::Attested { claim, .. } => format!(
            "{}, {}, tolerance {}",
            claim.verdict,
            verdict::intervals(claim.kappa, claim.everybody),
            percent(claim.tolerance)
        ),
        Claimed::Veto { core, models } => {
            format!("that nobody can veto {} of {models} models: {}", core.len(), core.join(", "))
        }
    };
    let mut lines = vec![format!("{}: the certificate says {claim}", answer.status)];
    lines.extend(sentences(&answer.checked, &answer.not_checked));
    match &answer.claim {
        Claimed::Attested { claim, signed, .. } if !signed.is_empty() => {
            lines.push(told(claim.verdict).to_owned());
        }
        Claimed::Attested { .. } => {
            lines.push("nobody has signed: agents do so with `corefed attest`".to_owned());
        }
        _ if answer.status == "consistent" => {
            lines.push("pass the data with `--data FILE.csv` to check the rest".to_owned());
        }
        _ => {}
    }
    in_lines(&lines)
}

/// Lines that names in them cannot break.
pub(super) fn in_lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}\n", one_line(line))).collect()
}

/// What was checked and what was not, a line each.
#[must_use]
pub(super) fn sentences(checked: &[String], not_checked: &[String]) -> Vec<String> {
    let checked = checked.iter().map(|what| format!("  checked      {what}"));
    checked.chain(not_checked.iter().map(|what| format!("  not checked  {what}"))).collect()
}

/// What signatures make of a verdict: an agent that lies speaks for itself alone.
fn told(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Stable => "no coalition of agents who signed and told the truth gains by leaving",
        Verdict::Blocked => {
            "the coalition gains by leaving, if its members signed and told the truth"
        }
        Verdict::Improvable => "everybody can gain at once, if all signed and told the truth",
        Verdict::Undecided => {
            "no coalition of agents who signed and told the truth does better than the upper end of kappa"
        }
    }
}
