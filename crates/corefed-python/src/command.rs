//! The command inside Python's process.

use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use corefed_cli::{Exit, Failure};
use pyo3::prelude::*;

use crate::raise::Mistake;

/// How long Ctrl-C may wait to be noticed.
const TICK: Duration = Duration::from_millis(50);

/// One command at a time, since all of them share the flag that ends one.
static BUSY: Mutex<()> = Mutex::new(());

/// Runs a command, hands every line of its output to `on_line`, and gives its exit code.
///
/// The command has a thread of its own, so that Ctrl-C is noticed at once: the command then ends
/// where it can be resumed, and only then the exception is raised.
#[pyfunction]
pub(crate) fn call(
    py: Python<'_>,
    arguments: Vec<OsString>,
    on_line: Bound<'_, PyAny>,
) -> PyResult<u8> {
    let Ok(_busy) = BUSY.try_lock() else {
        let message = "another run is going on in this process".to_owned();
        let hint = Some("wait for it, or run in processes of their own".to_owned());
        return Err(Mistake { class: "RunError", message, hint, ..Mistake::default() }.into());
    };
    let (send, mut lines) = mpsc::channel();
    let work = move || {
        let mut out = Lines { send, begun: Vec::new() };
        catch_unwind(AssertUnwindSafe(|| corefed_cli::call(arguments, &mut out)))
    };
    let worker = thread::Builder::new().name("corefed".to_owned()).spawn(work)?;
    let mut raised: Option<PyErr> = None;
    loop {
        let waiting = &mut lines;
        let told = match py.detach(move || waiting.recv_timeout(TICK)) {
            Ok(line) if raised.is_none() => on_line.call1((line,)).map(drop),
            Ok(_) | Err(RecvTimeoutError::Timeout) => Ok(()),
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if raised.is_none()
            && let Err(error) = told.and_then(|()| py.check_signals())
        {
            raised = Some(error);
            corefed_cli::stop();
        }
    }
    let ended = py.detach(move || worker.join());
    match (raised, ended) {
        (Some(error), _) => Err(error),
        (None, Ok(Ok(ended))) => Ok(ended.map_err(|failure| refused(&failure))?.code()),
        (None, Ok(Err(_)) | Err(_)) => Err(Mistake {
            class: "CorefedError",
            message: "internal error".to_owned(),
            hint: Some("this is a bug of corefed; please report it with the spec".to_owned()),
            ..Mistake::default()
        }
        .into()),
    }
}

fn refused(failure: &Failure) -> Mistake {
    Mistake {
        class: "RunError",
        message: failure.message().to_owned(),
        hint: failure.advice().map(str::to_owned),
        ..Mistake::default()
    }
}

/// The exit code of an interrupted command.
#[pyfunction]
pub(crate) fn interrupted() -> u8 {
    Exit::Interrupted.code()
}

/// The whole command, for the script that pip installs.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| corefed_cli::main(arguments))
}

/// Hands over what is written, line by line.
struct Lines {
    send: Sender<String>,
    begun: Vec<u8>,
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.begun.extend_from_slice(bytes);
        while let Some(end) = self.begun.iter().position(|&byte| byte == b'\n') {
            let rest = self.begun.split_off(end + 1);
            let line = std::mem::replace(&mut self.begun, rest);
            let line = String::from_utf8_lossy(&line).into_owned();
            // The receiver lives until this end is dropped.
            self.send.send(line).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
