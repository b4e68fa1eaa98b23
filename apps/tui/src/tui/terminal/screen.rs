//! Whoever holds a [`Screen`] owns the terminal; when it goes, the terminal is as it was.

use std::{
    future::poll_fn,
    io,
    sync::atomic::{AtomicBool, Ordering},
    task::Poll,
};

use crossterm::{
    cursor::{Hide, Show},
    event::{DisableBracketedPaste, EnableBracketedPaste, EventStream},
    execute,
    style::ResetColor,
    terminal::{
        EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
        enable_raw_mode, size,
    },
};
use futures_util::StreamExt;

use super::{input, panic};
use crate::tui::{msg::Size, terminal::Input};

/// Whether the modes are set, for whoever has to give the terminal back in a hurry.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, while it is ours.
pub(crate) struct Screen {
    events: Option<EventStream>,
}

impl Screen {
    /// Takes the terminal.
    pub(crate) fn take() -> io::Result<Self> {
        panic::install();
        let mut screen = Self { events: None };
        screen.enter()?;
        Ok(screen)
    }

    /// Sets the modes, the alternate screen after raw mode so that nothing is echoed on it.
    pub(crate) fn enter(&mut self) -> io::Result<()> {
        TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste, Hide)?;
        self.events = Some(EventStream::new());
        Ok(())
    }

    /// Gives the terminal back. The reader is dropped first: one that is merely not polled would
    /// still take the keys of whoever has the terminal next.
    pub(crate) fn leave(&mut self) {
        self.events = None;
        restore();
        panic::tell();
    }

    pub(crate) fn size() -> io::Result<Size> {
        let (width, height) = size()?;
        Ok(Size { width, height })
    }

    /// The next thing that was typed; nothing if there will never be more.
    pub(crate) async fn next(&mut self) -> Option<Input> {
        loop {
            let event = self.events.as_mut()?.next().await?.ok()?;
            if let Some(input) = input::read(event) {
                return Some(input);
            }
        }
    }

    /// What was typed already and needs no waiting. Polled with the waker of this task: the stream
    /// keeps the first waker that found it empty, so one that wakes nobody would leave it deaf.
    pub(crate) async fn ready(&mut self) -> Option<Input> {
        poll_fn(|context| {
            let Some(events) = self.events.as_mut() else { return Poll::Ready(None) };
            while let Poll::Ready(event) = events.poll_next_unpin(context) {
                match event {
                    Some(Ok(event)) => {
                        if let Some(input) = input::read(event) {
                            return Poll::Ready(Some(input));
                        }
                    }
                    // The next wait for input finds out that there is none.
                    Some(Err(_)) | None => break,
                }
            }
            Poll::Ready(None)
        })
        .await
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Undoes the modes in reverse order; the alternate screen goes last, so that nothing that comes
/// meanwhile lands in the shell.
pub(super) fn restore() {
    if !TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    // Nobody is left to tell if the terminal is gone.
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        ResetColor,
        Show,
        DisableBracketedPaste,
        LeaveAlternateScreen
    );
    let _ = disable_raw_mode();
}

/// Whether the terminal is ours now.
pub(super) fn is_taken() -> bool {
    TAKEN.load(Ordering::SeqCst)
}
