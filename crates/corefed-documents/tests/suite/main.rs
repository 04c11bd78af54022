//! Documents of every kind.

mod changes;
mod network;
mod printed;
mod round_trip;
mod stay;
