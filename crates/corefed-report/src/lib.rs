//! One self-contained page: who gets what, compared with what, and would anybody leave?
//!
//! [`render`] is a pure function from a [`Page`] to HTML, so that a page on disk and a live one that
//! is drawn again after every round are the same page. Nothing here reads a file or a clock.
//! `docs/report.md` says what the page shows and why it looks as it does.

mod chart;
mod curves;
mod embed;
mod evidence;
mod figures;
mod html;
mod page;
mod render;
mod rival;
mod section;
mod sentence;
mod table;
pub mod words;

pub use curves::{Bucket, Curve, Curves, Run};
pub use evidence::{Evidence, HeldOutLine, PairedLine, Stated, Worth};
pub use figures::{Figure, figures};
pub use page::{
    Agent, Coalition, DataView, Download, Exactness, Labels, Model, Moving, Page, Provenance,
    Scope, Sweep, SweepPoint,
};
pub use render::render;
pub use rival::Rival;
