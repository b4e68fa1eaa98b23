//! Signals that must not find the terminal ours.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caught {
    /// Leave; the number of the signal.
    Leave(i32),
    /// Give the terminal back and stop.
    Suspend,
    /// The terminal has another size.
    Resized,
    /// The process was stopped and goes on; somebody else may have changed the terminal.
    Continued,
}

/// The signals that are waited for.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    hangup: Signal,
    interrupt: Signal,
    quit: Signal,
    stop: Signal,
    go_on: Signal,
    resized: Signal,
}

impl Signals {
    pub(crate) fn listen() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            hangup: signal(SignalKind::hangup())?,
            interrupt: signal(SignalKind::interrupt())?,
            quit: signal(SignalKind::quit())?,
            stop: signal(SignalKind::from_raw(libc::SIGTSTP))?,
            go_on: signal(SignalKind::from_raw(libc::SIGCONT))?,
            resized: signal(SignalKind::window_change())?,
        })
    }

    pub(crate) async fn next(&mut self) -> Caught {
        tokio::select! {
            _ = self.terminate.recv() => Caught::Leave(libc::SIGTERM),
            _ = self.hangup.recv() => Caught::Leave(libc::SIGHUP),
            _ = self.interrupt.recv() => Caught::Leave(libc::SIGINT),
            _ = self.quit.recv() => Caught::Leave(libc::SIGQUIT),
            _ = self.stop.recv() => Caught::Suspend,
            _ = self.go_on.recv() => Caught::Continued,
            _ = self.resized.recv() => Caught::Resized,
        }
    }
}
