//! The shell, and how a command's text gets to it.

use std::{
    ffi::{OsStr, OsString},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use rustix::fs::{Access, access};

use crate::{environment::Environment, error::ExecError};

/// The longest command that is tried, in bytes.
///
/// Linux allows a quarter of the stack's limit for all arguments and variables, which is usually 2 MiB.
pub(super) const MAX_COMMAND_BYTES: usize = 1024 * 1024;

/// Linux allows 128 KiB for one argument, with its final NUL.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

/// Where a shell is looked for besides the `PATH`.
const USUAL_PLACES: [&str; 3] = ["/usr/bin", "/bin", "/usr/local/bin"];

/// Puts a text together that came in parts, and runs it; `$0` and standard input stay what they would be.
const JOIN_AND_RUN: &str = "__callgate_text=; \
    for __callgate_part do __callgate_text=$__callgate_text$__callgate_part; done; \
    set --; unset __callgate_part; eval \"$__callgate_text\"";

/// A shell to run a command in.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shell {
    pub(super) path: PathBuf,
    pub(super) name: &'static str,
}

impl Shell {
    /// Finds `bash`, or else `sh`.
    pub(super) fn find(environment: &Environment) -> Option<Self> {
        let path = environment.get("PATH").unwrap_or_default();
        let places: Vec<PathBuf> = std::env::split_paths(path)
            .chain(USUAL_PLACES.iter().map(PathBuf::from))
            .filter(|place| place.is_absolute())
            .collect();
        ["bash", "sh"].into_iter().find_map(|name| {
            let mut paths = places.iter().map(|place| place.join(name));
            paths.find(|path| is_program(path)).map(|path| Self { path, name })
        })
    }

    /// The arguments by which it runs a command, without any profile.
    pub(super) fn arguments(&self, command: &str) -> Result<Vec<OsString>, ExecError> {
        let bytes = command.len();
        if bytes > MAX_COMMAND_BYTES {
            return Err(ExecError::CommandTooLong { bytes, limit: MAX_COMMAND_BYTES });
        }
        let options: &[&str] =
            if self.name == "bash" { &["--noprofile", "--norc", "-c"] } else { &["-c"] };
        let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
        if bytes <= MAX_ARGUMENT_BYTES {
            arguments.push(command.into());
        } else {
            arguments.extend([JOIN_AND_RUN.into(), self.name.into()]);
            arguments.extend(parts(command).map(OsString::from));
        }
        Ok(arguments)
    }
}

fn is_program(path: &Path) -> bool {
    access(path, Access::EXEC_OK).is_ok() && path.is_file()
}

fn parts(mut text: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (part, rest) = text.split_at(text.floor_char_boundary(MAX_ARGUMENT_BYTES));
        text = rest;
        (!part.is_empty()).then_some(part)
    })
}

/// Whether any of them holds a NUL.
pub(super) fn has_nul<'a>(mut texts: impl Iterator<Item = &'a OsStr>) -> bool {
    texts.any(|text| text.as_bytes().contains(&0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_found_without_a_path() {
        let shell = Shell::find(&Environment::empty()).unwrap();
        assert!(shell.path.is_absolute());
    }

    #[test]
    fn a_shell_on_the_path_comes_first_and_sh_stands_in_for_bash() {
        let places = tempfile::tempdir().unwrap();
        let fake = places.path().join("bash");
        std::fs::write(&fake, "#!/bin/sh\n").unwrap();
        let environment = Environment::empty().set("PATH", places.path());
        assert_ne!(Shell::find(&environment).unwrap().path, fake, "it can't be executed yet");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(&fake, mode).unwrap();
        assert_eq!(Shell::find(&environment).unwrap().path, fake);
    }

    #[test]
    fn a_long_command_goes_in_parts_that_join_to_it() {
        let command = "é".repeat(150_000);
        let joined: String = parts(&command).collect();
        assert_eq!(joined, command);
        assert!(parts(&command).all(|part| part.len() <= MAX_ARGUMENT_BYTES));
    }
}
