//! Whether a command line is known to only read.
//!
//! A no costs a command its company; a wrong yes would let it run beside others that it disturbs,
//! and where reading needs no approval, unasked. So this knows little and says no to the rest: a
//! line is read-only if it is a list of simple commands, joined by `;`, `&&`, `||`, `|` or newlines,
//! each of a program from a table with options from a table, without expansions that could change
//! what is run, and with no redirection but to `/dev/null`; and if all that it names lies in the
//! working directory, since reading the rest is for the person to allow.

mod inside;
mod lexer;
mod programs;

use std::{os::unix::ffi::OsStrExt as _, path::Path};

use callgate_exec::Environment;

use self::inside::Inside;
use crate::Workspace;

/// Variables that make the shell or a listed program run or load something else.
const UNSETTLING: &[&str] = &[
    "BASH_ENV",
    "ENV",
    "BASHOPTS",
    "SHELLOPTS",
    "POSIXLY_CORRECT",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "RIPGREP_CONFIG_PATH",
    "CDPATH",
];

/// Whether the command line, run in `directory`, only reads, and only what `workspace` holds.
pub(crate) fn reads_only(command: &str, workspace: &Workspace, directory: &Path) -> bool {
    let mut inside = Inside::new(workspace, directory);
    lexer::commands(command).is_some_and(|commands| {
        commands.iter().all(|command| programs::reads(&command.words) && inside.holds(command))
    })
}

/// Whether names of programs mean in this environment what the table says: not if a directory that
/// the tools write to is searched for them, nor if a variable puts something in their way.
pub(crate) fn is_settled(environment: &Environment, root: &Path) -> bool {
    environment.iter().all(|(name, value)| {
        let name = name.to_string_lossy();
        let inside = |entry: &[u8]| {
            let entry = Path::new(std::ffi::OsStr::from_bytes(entry));
            entry.canonicalize().is_ok_and(|entry| entry.starts_with(root))
        };
        match &*name {
            "PATH" => !value.as_bytes().split(|&byte| byte == b':').any(inside),
            name => !UNSETTLING.contains(&name) && !name.starts_with("BASH_FUNC_"),
        }
    })
}

#[cfg(test)]
mod tests;
