//! What can be said of models whose losses are not convex, and of held-out data.
//!
//! Pure: no files, no clocks, no threads; randomness is a seed. Networks are behind small traits.
//! Four kinds of statements leave this crate, and each says which it is: *certified* (proven),
//! *estimated* (computed without a proof), *searched* (what was found, which says nothing about
//! what was not) and *not applicable* (with the reason).

mod ascent;
mod betting;
mod block_claim;
mod coalition_training;
mod concentration;
mod curvature;
mod found;
mod hall;
mod held_out;
mod interval;
mod label;
mod lanczos;
mod level;
mod local_certificate;
mod local_map;
mod no_block_claim;
mod paired_mean;
mod participation;
mod rivals;
mod samples;
mod seed_difference;
mod sum_of_means;
mod tridiagonal;
mod units;
mod verdict;
mod witness;

pub use ascent::Ascent;
pub use block_claim::{BlockClaim, BlockConclusion, MemberBound, claim_block};
pub use coalition_training::{MOST_TRAINED_AGENTS, coalitions};
pub use curvature::Curvature;
pub use found::{FoundWitness, Rise, SearchResult};
pub use held_out::{HeldOut, HeldOutError, RowUtility};
pub use interval::{Interval, Method};
pub use label::{Label, Statement};
pub use lanczos::{Estimate, Lanczos, LanczosError, Orthogonality, Ritz, Spectrum};
pub use level::{DEFAULT_LEVEL, Level, LevelError};
pub use local_certificate::{Limit, LocalAgent, LocalBound, LocalStatement, LocalView};
pub use local_map::LocalMap;
pub use no_block_claim::{NoBlockClaim, NoBlockConclusion, claim_no_block};
pub use paired_mean::PairedMean;
pub use participation::{holm, p_leaves, p_stays};
pub use rivals::{Rivals, SearchError, Unavailable};
pub use samples::{SampleError, Samples};
pub use seed_difference::{Ends, Reading, SeedDifference};
pub use sum_of_means::SumOfMeans;
pub use units::Units;
pub use verdict::{Findings, Headroom, NonConvexAudit, Witnessed};
pub use witness::{Search, Standing};
