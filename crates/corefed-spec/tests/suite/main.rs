//! Specs, good and bad.

mod hostile;
mod mistakes;
mod presets;
mod round_trip;
mod settings;
