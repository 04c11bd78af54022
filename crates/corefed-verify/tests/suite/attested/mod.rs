//! Certificates of federations that pool nothing.

mod bounds;
mod forged;
mod honest;
mod hostile;
mod liars;
mod own_model;
mod parabolas;
mod signing;
