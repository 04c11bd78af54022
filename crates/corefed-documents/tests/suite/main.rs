//! Documents of every kind.

mod network;
mod round_trip;
mod stay;
