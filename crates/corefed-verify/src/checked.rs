//! What a check covered, in words.

/// What was checked and what was not, one sentence each, for people to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// What was found to hold.
    pub checked: Vec<String>,
    /// What the certificate says that this check cannot confirm.
    pub unchecked: Vec<String>,
}

impl Checked {
    pub(crate) fn pass(&mut self, what: impl Into<String>) {
        self.checked.push(what.into());
    }

    pub(crate) fn skip(&mut self, what: impl Into<String>) {
        self.unchecked.push(what.into());
    }
}
