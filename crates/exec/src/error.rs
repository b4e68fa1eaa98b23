//! What can go wrong before there is anything to report.

use std::{io, path::PathBuf};

/// Why a process did not run, or why an output can't be read.
///
/// A process that ran and failed is no error: its exit is in [`Finished`](crate::Finished). Nor is
/// an output that could not be kept: the loss is counted in [`Captured`](crate::Captured).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExecError {
    /// The program is nowhere on the `PATH` that the child would have had.
    #[error("the program {program:?} was not found on the PATH of the command's environment")]
    ProgramNotFound {
        /// The program as it was asked for.
        program: String,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The directory that the process should start in is gone, is no directory, or can't be entered.
    #[error("the working directory {} can't be used", path.display())]
    WorkingDirectory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The command's text is longer than a system call can carry.
    #[error(
        "the command is {bytes} bytes long and the limit is {limit} bytes; \
         write it to a file and run that, or pass the data on standard input"
    )]
    CommandTooLong {
        /// Bytes of the command and its arguments.
        bytes: usize,
        /// The most that is tried, in bytes.
        limit: usize,
    },
    /// A NUL byte in the program, an argument, the environment or the directory.
    #[error("a NUL byte can't be part of {place}")]
    NulByte {
        /// Where it is: "an argument", "the environment", ...
        place: &'static str,
    },
    /// The process could not be started.
    #[error("{program:?} could not be started (tried {attempts} times)")]
    Spawn {
        /// The program as it was asked for.
        program: String,
        /// How often it was tried: more than once for want of processes or memory, or a busy file.
        attempts: u32,
        /// What the system said last.
        #[source]
        source: io::Error,
    },
    /// The call was stopped before its process was started; nothing ran.
    #[error("stopped before the process was started; nothing ran")]
    StoppedBeforeStart,
    /// The thread that watched the process broke; the process was ended.
    #[error("the supervisor of the process failed; the process was ended")]
    Supervisor,
    /// The directory of the spilled outputs is not one that can be trusted with them.
    #[error("{} can't hold outputs: {reason}", path.display())]
    UntrustedRoot {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// There is no such output: it never was, or it was swept.
    #[error("there is no kept output {id:?}")]
    UnknownOutput {
        /// The id as it was asked for.
        id: String,
    },
    /// The reader of an output that is not a process's failed.
    #[error("reading {label:?} failed")]
    Read {
        /// What the output is of.
        label: String,
        /// What the reader said.
        #[source]
        source: io::Error,
    },
    /// A file operation failed.
    #[error("{path}: could not {action}", path = path.display())]
    File {
        /// What was tried, as the end of "could not ...".
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

impl ExecError {
    pub(crate) fn file(
        action: &'static str,
        path: impl Into<PathBuf>,
        source: impl Into<io::Error>,
    ) -> Self {
        Self::File { action, path: path.into(), source: source.into() }
    }
}
