//! Documents of every kind.

mod changes;
mod network;
mod round_trip;
mod stay;
