//! Text on its way to a terminal: whatever is hidden in it is shown.

use std::io::{self, Write};

use corefed_core::shown_lines;

/// Writes text with its lines as they are and everything else that is hidden as `\\uXXXX`, which JSON reads back.
///
/// Texts are made of names that are shown already; this is for what nobody thought of. Bytes that are not text are
/// left out by a mark of their own, as they are wherever text is read.
#[derive(Debug)]
pub struct Guarded<W: Write> {
    inner: W,
    /// The beginning of a character whose end is still to come.
    rest: Vec<u8>,
}

impl<W: Write> Guarded<W> {
    /// Guards a writer.
    pub fn new(inner: W) -> Self {
        Self { inner, rest: Vec::new() }
    }
}

impl<W: Write> Write for Guarded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(text) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => self.rest.len(),
        };
        let rest = self.rest.split_off(whole);
        let text = std::mem::replace(&mut self.rest, rest);
        self.inner.write_all(shown_lines(&String::from_utf8_lossy(&text)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hidden_passes_however_it_is_cut() {
        let text = "é\u{1b}[2J\u{202e}\nok\r\u{9b}ü";
        for size in 1..=text.len() {
            let mut out = Guarded::new(Vec::new());
            for part in text.as_bytes().chunks(size) {
                out.write_all(part).unwrap();
            }
            let told = String::from_utf8(out.inner).unwrap();
            assert_eq!(told, "é\\u001b[2J\\u202e\nok\\u000d\\u009bü", "parts of {size}");
        }
        let mut out = Guarded::new(Vec::new());
        out.write_all(b"a\xff\n").unwrap();
        assert_eq!(out.inner, "a\u{fffd}\n".as_bytes());
    }
}
