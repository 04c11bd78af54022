//! Agents with images.

pub(crate) mod case;
pub(crate) mod linear;
