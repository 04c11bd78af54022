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

    /// Adds what another check found, each sentence once.
    pub(crate) fn add(&mut self, other: Self) {
        let lists = [(&mut self.checked, other.checked), (&mut self.unchecked, other.unchecked)];
        for (list, more) in lists {
            let new: Vec<String> = more.into_iter().filter(|what| !list.contains(what)).collect();
            list.extend(new);
        }
    }

    pub(crate) fn skip(&mut self, what: impl Into<String>) {
        self.unchecked.push(what.into());
    }
}
