//! Standard output: results alone, and the first thing that went wrong with it.

use std::{
    io::{self, Write as _},
    sync::{Arc, Mutex, PoisonError},
};

use callgate_agent::Envelope;

/// Prints results. A line that can't be printed does not stop the task, but it is told at the end.
#[derive(Debug, Clone, Default)]
pub(super) struct Printer {
    fault: Arc<Mutex<Option<io::Error>>>,
}

impl Printer {
    /// One object a line, flushed, so that a reader sees each event as it happens.
    pub(super) fn event(&self, envelope: &Envelope) {
        let mut out = io::stdout().lock();
        let printed = serde_json::to_writer(&mut out, envelope)
            .map_err(io::Error::from)
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        self.note(printed);
    }

    /// Text for a person.
    pub(super) fn text(&self, text: &str) {
        let mut out = io::stdout().lock();
        let printed = out
            .write_all(crate::plain(text).as_bytes())
            .and_then(|()| out.write_all(b"\n"))
            .and_then(|()| out.flush());
        self.note(printed);
    }

    /// The first fault, if there was one.
    pub(super) fn finish(&self) -> io::Result<()> {
        let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.take().map_or(Ok(()), Err)
    }

    fn note(&self, printed: io::Result<()>) {
        if let Err(error) = printed {
            let mut fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
            fault.get_or_insert(error);
        }
    }
}
