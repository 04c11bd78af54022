//! Which line of a file a byte is on.

/// Counts lines as an editor does: `\n`, `\r\n` and a lone `\r` each end one.
///
/// The CSV reader's own count lags behind `\r\n` and blank lines, and a message that names
/// the wrong line is worse than none.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    bytes: &'a [u8],
    next: usize,
    line: usize,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, next: 0, line: 1 }
    }

    /// The line of the first byte at or after `start` that is not a line end. `start` must not
    /// decrease from call to call, so that the whole file costs one pass.
    pub(super) fn at(&mut self, start: usize) -> usize {
        while let Some(&byte) = self.bytes.get(self.next) {
            let ends = matches!(byte, b'\n' | b'\r');
            if self.next >= start && !ends {
                break;
            }
            self.next += 1;
            let pair = byte == b'\r' && self.bytes.get(self.next) == Some(&b'\n');
            self.line += usize::from(ends && !pair);
        }
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_line_ends_count_once() {
        //                      0 1 2 3   5 6   8 9
        let mut lines = Lines::new(b"a\nb\r\nc\rd\n\ne");
        let found: Vec<_> = [0, 1, 3, 5, 7].into_iter().map(|at| lines.at(at)).collect();
        // A record that starts on a line end really starts on the line after it.
        assert_eq!(found, [1, 2, 3, 3, 4]);
        assert_eq!(lines.at(8), 6);
    }
}
