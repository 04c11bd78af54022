//! Documents of every kind.

mod round_trip;
mod stay;
