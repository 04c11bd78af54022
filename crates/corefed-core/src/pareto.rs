//! Pareto dominance between two profiles of utilities.

/// Whether the rival is at least as good for everybody and better for somebody (ledger E13).
///
/// ```
/// use corefed_core::dominates;
/// assert!(dominates(&[2.0, 1.0], &[1.0, 1.0]));
/// assert!(!dominates(&[1.0, 1.0], &[1.0, 1.0]));
/// assert!(!dominates(&[3.0, 0.9], &[1.0, 1.0]));
/// ```
#[must_use]
pub fn dominates<N: PartialOrd>(rival: &[N], incumbent: &[N]) -> bool {
    let pairs = || rival.iter().zip(incumbent);
    pairs().all(|(then, now)| then >= now) && pairs().any(|(then, now)| then > now)
}
