//! Games between agents that may train together: what each brings, which payments keep everybody, and who
//! should train with whom.
//!
//! Pure: no files, threads or clocks, and randomness only from a seed. A [`Game`] has one number per
//! coalition, from which follow [contributions](Game::shapley) and the [least core](Game::least_core); in a
//! [`HedonicGame`] every agent ranks the coalitions that it may be in.

mod contribution;
mod error;
mod game;
mod hedonic;
mod least_core;
mod nearest;
mod sampled;
mod simplex;

pub use contribution::SizeWeights;
pub use error::GameError;
pub use game::{Game, MOST_AGENTS, members};
pub use hedonic::{HedonicGame, MOST_PARTITIONED};
pub use least_core::LeastCore;
pub use sampled::{SampledContribution, SampledContributions, permutations, sampled_contributions};
