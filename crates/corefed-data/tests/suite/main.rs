//! Tables and partitions, good and bad.

mod corrupt;
mod partition;
mod properties;
