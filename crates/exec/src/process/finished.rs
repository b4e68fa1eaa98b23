//! How a process ended and what it left.

use std::time::Duration;

use crate::capture::Captured;

/// Which of the two streams a piece of output came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// It could not be ended, not even by KILL; it is among the survivors.
    Alive,
}

impl Exit {
    /// Whether it exited with 0.
    pub const fn success(self) -> bool {
        matches!(self, Self::Code(0))
    }

    /// The exit code, or what a shell would say for a signal: 128 and the signal's number.
    pub const fn code(self) -> Option<i32> {
        match self {
            Self::Code(code) => Some(code),
            Self::Signal(signal) => Some(128 + signal),
            Self::Alive => None,
        }
    }
}

/// A process, as it is named to a person.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ProcessName {
    /// Its process id.
    pub pid: i32,
    /// Its command line, shortened to 200 characters; the bare name in brackets if it has none.
    pub command: String,
}

/// A process that has ended, with all it started.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// Whether it was stopped from outside rather than ended by itself.
    pub stopped: bool,
    /// What it wrote.
    pub output: Captured,
    /// Processes that it left behind when it ended by itself, and that were ended then.
    pub ended: Vec<ProcessName>,
    /// Processes that it started and that could not be ended.
    pub survivors: Vec<ProcessName>,
    /// How long it took, on the monotonic clock, to the end of the last process.
    pub duration: Duration,
}
