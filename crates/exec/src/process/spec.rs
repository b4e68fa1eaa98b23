//! What is to be run.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::environment::Environment;

/// How long the tree of a stopped process has between TERM and KILL.
pub const DEFAULT_GRACE: Duration = Duration::from_secs(2);

/// What a process reads on its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stdin {
    /// The end of the file, at once.
    #[default]
    Empty,
    /// These bytes, then the end of the file.
    Bytes(Vec<u8>),
}

/// What a process is started from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Program {
    /// A command for the shell.
    Shell(String),
    /// A program and its arguments.
    Direct(OsString, Vec<OsString>),
}

/// A process that is to be started: program, directory, environment, input.
///
/// The environment is [empty](Environment::empty) until one is given, so a program should be named by
/// its whole path or an environment with a `PATH` be given. [`ProcessSpec::shell`] also finds the shell
/// without one.
#[derive(Debug, Clone)]
pub struct ProcessSpec {
    pub(crate) program: Program,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) environment: Environment,
    pub(crate) stdin: Stdin,
    pub(crate) grace: Duration,
}

impl ProcessSpec {
    /// Runs a command in `bash`, or in `sh` where there is no `bash`; neither a login nor an
    /// interactive shell, since those would bring back by their profiles what the environment left out.
    pub fn shell(command: impl Into<String>) -> Self {
        Self::with_program(Program::Shell(command.into()))
    }

    /// Runs a program without a shell.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self::with_program(Program::Direct(program.into(), Vec::new()))
    }

    fn with_program(program: Program) -> Self {
        Self {
            program,
            cwd: None,
            environment: Environment::empty(),
            stdin: Stdin::Empty,
            grace: DEFAULT_GRACE,
        }
    }

    /// Appends an argument; has no effect on a shell command.
    #[must_use]
    pub fn arg(self, argument: impl Into<OsString>) -> Self {
        self.args([argument])
    }

    /// Appends arguments; has no effect on a shell command.
    #[must_use]
    pub fn args<A: Into<OsString>>(mut self, arguments: impl IntoIterator<Item = A>) -> Self {
        if let Program::Direct(_, present) = &mut self.program {
            present.extend(arguments.into_iter().map(Into::into));
        }
        self
    }

    /// Starts in that directory instead of this process's own.
    #[must_use]
    pub fn cwd(mut self, directory: impl Into<PathBuf>) -> Self {
        self.cwd = Some(directory.into());
        self
    }

    /// Gives the environment.
    #[must_use]
    pub fn env(mut self, environment: Environment) -> Self {
        self.environment = environment;
        self
    }

    /// Gives the standard input.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// Sets the time between TERM and KILL when the process is stopped ([`DEFAULT_GRACE`] if not set).
    #[must_use]
    pub const fn grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }

    /// The directory that it starts in, if one was given.
    pub fn working_directory(&self) -> Option<&Path> {
        self.cwd.as_deref()
    }
}
