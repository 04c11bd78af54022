//! A certificate that was checked.

use corefed_documents::{Claimed, Verified};

use crate::verdict;
use crate::words::percent;

/// What a certificate says, and what of it was checked.
#[must_use]
pub fn verified(answer: &Verified) -> String {
    let claim = match &answer.claim {
        Claimed::Core(claim) => format!(
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
    lines.extend(answer.checked.iter().map(|what| format!("  checked      {what}")));
    lines.extend(answer.not_checked.iter().map(|what| format!("  not checked  {what}")));
    if answer.status == "consistent" {
        lines.push("pass the data with `--data FILE.csv` to check the rest".to_owned());
    }
    lines.join("\n") + "\n"
}
