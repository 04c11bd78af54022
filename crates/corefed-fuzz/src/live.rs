//! Requests to the live page.

use std::net::SocketAddr;
use std::sync::LazyLock;

use corefed_report::ReportError;
use corefed_report::live::{Desk, Exhibit, State};

struct Secret;

const SECRET: &str = "what only the right path shows";

impl Exhibit for Secret {
    fn state(&self) -> Result<State, ReportError> {
        Ok(State::default())
    }
    fn page(&self) -> Result<String, ReportError> {
        Ok(SECRET.to_owned())
    }
}

/// Answers any head, and shows the page to nobody who does not know the path.
pub(crate) fn live(bytes: &[u8]) {
    static DESK: LazyLock<Desk<Secret>> = LazyLock::new(|| {
        Desk::new(SocketAddr::from(([192, 0, 2, 1], 80)), "/0123456789abcdef/", Secret)
    });
    let answer = DESK.answer(bytes);
    let knows = bytes.windows(18).any(|place| place == b"/0123456789abcdef/");
    assert!(knows || !answer.body.contains(SECRET));
    assert!(answer.status.as_bytes()[0].is_ascii_digit());
}
