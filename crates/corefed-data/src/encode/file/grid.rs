//! The cells of a file as numbers and codes, in the order of the file.

use super::dictionary::Dictionary;
use crate::encode::decimal_cell::read_number;
use crate::encode::tally::Tally;
use crate::reading::Reading;

/// How a column is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Plan {
    /// Its cells are not needed.
    Skip,
    /// As numbers.
    Number,
    /// As codes of its distinct texts.
    Text,
    /// As `Text`, unless the texts turn out to be numbers and too many to keep.
    LikelyText,
}

/// In place of a number: the cell is missing.
pub(super) const MISSING: f64 = f64::NAN;
/// In place of a number: the cell is something else. No cell is ever read as infinite.
pub(super) const ODD: f64 = f64::INFINITY;

/// What was read.
#[derive(Debug)]
pub(super) struct Grid {
    pub(super) rows: usize,
    /// Numbers row by row: those of the columns planned so, in their order.
    pub(super) numbers: Vec<f64>,
    pub(super) number_columns: usize,
    /// Codes row by row, likewise.
    pub(super) codes: Vec<u32>,
    pub(super) code_columns: usize,
    /// Codes of the agents.
    pub(super) agents: Vec<u32>,
    /// The target, if it was planned as numbers.
    pub(super) target_numbers: Vec<f64>,
    /// The target, if it was planned as texts.
    pub(super) target_codes: Vec<u32>,
    pub(super) columns: Vec<Column>,
}

/// One column of the file.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) place: Place,
    pub(super) contents: Contents,
    /// With more texts than this, it is worth asking whether they are numbers.
    most_texts: usize,
}

/// Which part of the grid a column fills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Agent,
    Target,
    /// A feature, by its index among the numbers or the codes.
    Feature(usize),
}

/// What is known of a column besides its numbers or codes.
#[derive(Debug)]
pub(super) enum Contents {
    Skipped,
    Numbers(Tally),
    Texts(Dictionary),
    /// It was planned as text but looks like numbers, each with a text of its own: kept as text,
    /// it might not fit into memory.
    Counted(Tally),
}

impl Contents {
    pub(super) fn tally(&self) -> Tally {
        match self {
            Self::Skipped => Tally::default(),
            Self::Numbers(tally) | Self::Counted(tally) => *tally,
            Self::Texts(dictionary) => dictionary.tally(),
        }
    }
}

impl Grid {
    /// An empty grid. `agent` and `target` are indices of columns, if they are wanted.
    pub(super) fn new(plan: &[Plan], (agent, target): Roles, most_texts: usize) -> Self {
        let (mut number_columns, mut code_columns) = (0, 0);
        let mut columns = Vec::with_capacity(plan.len());
        for (index, plan) in plan.iter().enumerate() {
            let contents = match plan {
                Plan::Skip => Contents::Skipped,
                Plan::Number => Contents::Numbers(Tally::default()),
                Plan::Text | Plan::LikelyText => Contents::Texts(Dictionary::default()),
            };
            let count = match plan {
                Plan::Number => &mut number_columns,
                Plan::Skip | Plan::Text | Plan::LikelyText => &mut code_columns,
            };
            let place = if agent == Some(index) {
                Place::Agent
            } else if target == Some(index) {
                Place::Target
            } else {
                let slot = *count;
                *count += usize::from(*plan != Plan::Skip);
                Place::Feature(slot)
            };
            let most_texts = if *plan == Plan::LikelyText { most_texts } else { usize::MAX };
            columns.push(Column { place, contents, most_texts });
        }
        Self {
            rows: 0,
            numbers: Vec::new(),
            number_columns,
            codes: Vec::new(),
            code_columns,
            agents: Vec::new(),
            target_numbers: Vec::new(),
            target_codes: Vec::new(),
            columns,
        }
    }

    /// Adds a row of untrimmed cells, one per column.
    pub(super) fn push<'a>(&mut self, cells: impl Iterator<Item = &'a str>) {
        let row = self.rows;
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            match &mut column.contents {
                Contents::Skipped => {}
                Contents::Numbers(tally) => {
                    let reading = read_number(trim(cell));
                    tally.add(row, reading);
                    let value = number(reading);
                    match column.place {
                        Place::Target => self.target_numbers.push(value),
                        Place::Agent | Place::Feature(_) => self.numbers.push(value),
                    }
                }
                Contents::Texts(dictionary) => {
                    let code = dictionary.code(trim(cell), row);
                    match column.place {
                        Place::Agent => self.agents.push(code),
                        Place::Target => self.target_codes.push(code),
                        Place::Feature(_) => {
                            self.codes.push(code);
                            column.reconsider();
                        }
                    }
                }
                Contents::Counted(tally) => {
                    tally.add(row, read_number(trim(cell)));
                    self.codes.push(0);
                }
            }
        }
        self.rows += 1;
    }

    /// Texts of a column, if it was read so.
    pub(super) fn dictionary(&self, column: usize) -> Option<&Dictionary> {
        match &self.columns.get(column)?.contents {
            Contents::Texts(dictionary) => Some(dictionary),
            _ => None,
        }
    }

    /// Index of a feature among the numbers or codes.
    pub(super) fn slot(&self, column: usize) -> Option<usize> {
        match self.columns.get(column)?.place {
            Place::Feature(slot) => Some(slot),
            Place::Agent | Place::Target => None,
        }
    }
}

impl Column {
    /// Stops keeping texts that will hardly be levels.
    #[inline]
    pub(super) fn reconsider(&mut self) {
        let Contents::Texts(dictionary) = &self.contents else { return };
        if dictionary.len() <= self.most_texts {
            return;
        }
        self.most_texts = dictionary.len().saturating_mul(2);
        let tally = dictionary.tally();
        if tally.mostly_numbers() {
            self.contents = Contents::Counted(tally);
        }
    }
}

/// Columns of owners and target.
pub(super) type Roles = (Option<usize>, Option<usize>);

/// What stands for a cell among the numbers.
pub(super) fn number(reading: Reading) -> f64 {
    match reading {
        Reading::Finite(value) => value,
        Reading::Missing | Reading::Word => MISSING,
        Reading::NotFinite | Reading::Text => ODD,
    }
}

/// [`str::trim`], which decodes characters, only where the ends may be white space.
#[inline]
pub(super) fn trim(cell: &str) -> &str {
    let solid = |byte: Option<&u8>| byte.is_some_and(|byte| (0x21..0x7f).contains(byte));
    let bytes = cell.as_bytes();
    if solid(bytes.first()) && solid(bytes.last()) { cell } else { cell.trim() }
}
