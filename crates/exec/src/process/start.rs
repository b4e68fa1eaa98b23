//! Starting the process.

use std::{
    ffi::{OsStr, OsString},
    io,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use rustix::{
    fs::{Access, access},
    io::Errno,
};

use super::{
    ProcessSpec, Stdin, child,
    shell::{MAX_COMMAND_BYTES, Shell, has_nul},
    spec::Program,
    tree::Brand,
};
use crate::error::ExecError;

/// Pauses between attempts: what is short of processes, memory or descriptors now may not be in 0.15 s.
const PAUSES: [Duration; 5] = [
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(20),
    Duration::from_millis(40),
    Duration::from_millis(80),
];

/// Starts the process with pipes for its streams, branded as part of one call.
///
/// The thread that calls this must outlive the process: see [`child::prepare`].
pub(super) fn start(spec: &ProcessSpec, brand: Brand) -> Result<Child, ExecError> {
    let Invocation { program, arguments, name } = Invocation::of(spec)?;
    check_for_nul(spec, &program, &arguments)?;
    let mut command = Command::new(&program);
    command
        .arg0(&name)
        .args(&arguments)
        .env_clear()
        .envs(spec.environment.iter())
        .stdin(if spec.stdin == Stdin::Empty { Stdio::null() } else { Stdio::piped() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(directory) = &spec.cwd {
        command.current_dir(directory);
    }
    child::prepare(&mut command, brand);
    with_retries(|| command.spawn(), thread::sleep)
        .map_err(|(attempts, source)| explain(spec, &program, &arguments, attempts, source))
}

struct Invocation {
    program: PathBuf,
    arguments: Vec<OsString>,
    name: OsString,
}

impl Invocation {
    fn of(spec: &ProcessSpec) -> Result<Self, ExecError> {
        match &spec.program {
            Program::Direct(program, arguments) => Ok(Self {
                program: PathBuf::from(program),
                arguments: arguments.clone(),
                name: program.clone(),
            }),
            Program::Shell(command) => {
                let shell = Shell::find(&spec.environment).ok_or_else(|| {
                    let (program, source) = ("bash".to_owned(), io::ErrorKind::NotFound.into());
                    ExecError::ProgramNotFound { program, source }
                })?;
                let arguments = shell.arguments(command)?;
                Ok(Self { program: shell.path, arguments, name: shell.name.into() })
            }
        }
    }
}

fn check_for_nul(
    spec: &ProcessSpec,
    program: &Path,
    arguments: &[OsString],
) -> Result<(), ExecError> {
    let directory = spec.cwd.iter().map(|path| path.as_os_str());
    let variables = spec.environment.iter().flat_map(|(name, value)| [name, value]);
    if has_nul(std::iter::once(program.as_os_str())) {
        Err(ExecError::NulByte { place: "the program's name" })
    } else if has_nul(arguments.iter().map(OsString::as_os_str)) {
        Err(ExecError::NulByte { place: "a command or an argument" })
    } else if has_nul(directory) {
        Err(ExecError::NulByte { place: "the working directory" })
    } else if has_nul(variables) {
        Err(ExecError::NulByte { place: "the environment" })
    } else {
        Ok(())
    }
}

/// Tries again after a failure that may pass; tells how often it was tried in vain.
pub(super) fn with_retries<T>(
    mut attempt: impl FnMut() -> io::Result<T>,
    mut pause: impl FnMut(Duration),
) -> Result<T, (u32, io::Error)> {
    let mut attempts = 1;
    for wait in PAUSES {
        match attempt() {
            Err(error) if may_pass(&error) => pause(wait),
            outcome => return outcome.map_err(|error| (attempts, error)),
        }
        attempts += 1;
    }
    attempt().map_err(|error| (attempts, error))
}

fn may_pass(error: &io::Error) -> bool {
    let passing = [Errno::AGAIN, Errno::NOMEM, Errno::TXTBSY, Errno::MFILE, Errno::NFILE];
    error.raw_os_error().is_some_and(|code| passing.contains(&Errno::from_raw_os_error(code)))
}

/// Finds out which of the things that were asked for was the wrong one: the system only tells a number.
fn explain(
    spec: &ProcessSpec,
    program: &Path,
    arguments: &[OsString],
    attempts: u32,
    source: io::Error,
) -> ExecError {
    if let Some(path) = &spec.cwd
        && let Err(source) = check_directory(path)
    {
        return ExecError::WorkingDirectory { path: path.clone(), source };
    }
    if source.raw_os_error() == Some(Errno::TOOBIG.raw_os_error()) {
        let bytes = arguments.iter().map(|argument| OsStr::len(argument)).sum();
        return ExecError::CommandTooLong { bytes, limit: MAX_COMMAND_BYTES };
    }
    let program = program.to_string_lossy().into_owned();
    if source.kind() == io::ErrorKind::NotFound {
        return ExecError::ProgramNotFound { program, source };
    }
    ExecError::Spawn { program, attempts, source }
}

fn check_directory(path: &Path) -> io::Result<()> {
    if !path.metadata()?.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    Ok(access(path, Access::EXEC_OK)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failing(times: usize, errno: Errno) -> (Result<&'static str, (u32, io::Error)>, usize) {
        let (mut failures, mut pauses) = (0, 0);
        let attempt = || {
            failures += 1;
            if failures <= times { Err(errno.into()) } else { Ok("started") }
        };
        let outcome = with_retries(attempt, |_| pauses += 1);
        (outcome, pauses)
    }

    #[test]
    fn x44_f39_a_fork_that_fails_for_the_moment_is_tried_again() {
        for errno in [Errno::AGAIN, Errno::TXTBSY, Errno::NOMEM] {
            let (outcome, pauses) = failing(3, errno);
            assert_eq!((outcome.unwrap(), pauses), ("started", 3));
        }
    }

    #[test]
    fn x44_f39_a_fork_that_keeps_failing_is_given_up_and_counted() {
        let (outcome, pauses) = failing(usize::MAX, Errno::AGAIN);
        let (attempts, error) = outcome.unwrap_err();
        assert_eq!((attempts, pauses), (6, 5));
        assert_eq!(error.raw_os_error(), Some(Errno::AGAIN.raw_os_error()));
    }

    #[test]
    fn what_will_not_pass_is_not_tried_again() {
        let (outcome, pauses) = failing(usize::MAX, Errno::ACCESS);
        assert_eq!((outcome.unwrap_err().0, pauses), (1, 0));
    }
}
