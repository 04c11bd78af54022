//! One self-contained page: who gets what, compared with what, and would anybody leave?
//!
//! [`render`] is a pure function from a [`Page`] to HTML, so that a page on disk and a live one that
//! is drawn again after every round are the same page. [`folder`] reads a run's folder into a page,
//! [`live`] serves it while the run is in progress, [`summary`], [`console`] and [`verdict`] say the same in words.
//! `docs/report.md` says what the page shows and why it looks as it does.

mod ceiling_lines;
mod ceiling_picture;
mod chart;
mod columns;
pub mod console;
mod curves;
mod embed;
mod error;
mod evidence;
#[cfg(feature = "figures")]
mod figure_files;
mod figures;
pub mod folder;
mod grid;
mod heat_map;
mod html;
mod inspection;
mod inspection_text;
pub mod live;
mod markdown;
mod page;
mod picture;
mod plain;
mod render;
mod rival;
mod safeguards;
mod section;
mod sentence;
mod several_tables;
pub mod summary;
mod table;
pub mod tables;
pub mod verdict;
pub mod words;

pub use ceiling_picture::draw_ceiling;
pub use columns::columns;
pub use curves::{Bucket, Curve, Curves, Run};
pub use error::ReportError;
pub use evidence::{Evidence, HeldOutLine, PairedLine, Stated, Worth};
#[cfg(feature = "figures")]
pub use figure_files::{Written, write_figures};
pub use figures::{Figure, figures};
pub use grid::{Cell, Grid, TableFormat};
pub use heat_map::draw_labels;
pub use inspection::inspection_page;
pub use inspection_text::inspection_text;
pub(crate) use markdown::escape as escape_markdown;
pub use page::{
    Agent, Coalition, DataView, Download, Exactness, Labels, Model, Moving, Page, Provenance,
    Scope, Sweep, SweepPoint,
};
pub use picture::draw_utilities;
pub use plain::{shown_path, word};
pub use render::render;
pub use rival::Rival;
pub use safeguards::Safeguards;
pub use several_tables::{TablePart, Tables};
