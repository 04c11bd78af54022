//! The checker, on true and forged certificates.

mod attested;
mod forgeries;
mod honest;
mod hostile;
mod mutations;
mod parabolas;
mod program;
mod round_trip;
mod tables;
