//! What keeps a session from being opened.

use std::{error::Error, io, path::PathBuf};

use callgate_exec::ExecError;
use callgate_registry::RegisterError;
use callgate_tools::WorkspaceError;
use thiserror::Error;

/// What keeps a session from being opened. Once it is open, everything that goes wrong is an event.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AgentError {
    /// The working directory can't be used.
    #[error("the working directory {path} can't be used; name another with --cwd")]
    Cwd {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// The tools can't work in the working directory.
    #[error("the tools can't work in the working directory")]
    Workspace(#[from] WorkspaceError),
    /// A rule names a tool that is not on the ledger, so it would never hold.
    #[error("the rule `{rule}` names no tool that there is; did you mean {nearest}?")]
    UnknownTool {
        /// The rule.
        rule: String,
        /// The tools whose names are nearest.
        nearest: String,
    },
    /// The place for spilled outputs can't be used.
    #[error("spilled outputs can't be kept; set CALLGATE_HOME to a private directory of yours")]
    Spills(#[source] ExecError),
    /// A tool was refused by the ledger.
    #[error("the ledger refused a tool")]
    Register(#[from] RegisterError),
    /// The transcript can't be created.
    #[error("no session can be kept in {path}; set CALLGATE_HOME to a directory of yours")]
    Transcript {
        /// The directory.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
}

/// An error with all its causes on one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        // Wrappers often repeat what they wrap.
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}
