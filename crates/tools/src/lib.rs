//! The built-in tools of Callgate: what an agent needs to work in a directory.
//!
//! | tool | what it does |
//! |---|---|
//! | `bash` | runs a command |
//! | `read_file` | reads a text file, whole or in pages |
//! | `write_file` | creates a file or replaces its content |
//! | `edit_file` | replaces passages of a file |
//! | `glob` | finds files by name |
//! | `grep` | finds lines in files |
//! | `read_output` | pages and searches an output that was too long to be shown |
//!
//! Each is one file and one [`ToolSpec`](callgate_registry::ToolSpec), made by [`builtin`]. They share
//! a [`Toolbox`], and three ideas:
//!
//! **One door to files.** Every file tool reaches files through [`Workspace`], which turns a path into
//! the one absolute path without links, decides about that path, and then opens it without following
//! any link. What was decided about is what is opened, even if somebody exchanges a directory for a
//! link in between. What lies outside of the working directory is denied, and the denial names the
//! rule that would allow it; [`Grants`] are such rules. `/proc` and `/sys` stay closed whatever the
//! rules say, because reading them tells other processes' secrets. What [`Workspace::denying`] closes is
//! left out of searches too, and counted.
//!
//! **Effects that can be trusted.** A call names the files it touches by that same path, so that two
//! names of one file conflict and two files don't. A command is exclusive unless it is *known* to only
//! read, and to read only what the working directory holds: it must consist of programs and options
//! from a table, without anything that would need a shell to be understood, and name nothing that
//! leads out.
//!
//! **Answers for a model.** The text of a file comes exactly as it is, since it comes back in an edit;
//! what there is to say about it stands in brackets after it. Every answer is bounded and says what it
//! leaves out and how to get it. Every refusal says what would work.
//!
//! What the tools don't do: keep secrets from commands (a sandbox does), decide who may call them (the
//! gate of dispatch does), or keep time (dispatch asks them to stop, and they do).
//!
//! ```
//! use std::sync::Arc;
//!
//! use callgate_exec::{Environment, SpillLimits, SpillStore};
//! use callgate_registry::{Effects, Registry};
//! use callgate_tools::{Toolbox, Workspace, builtin};
//! use serde_json::json;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let dir = tempfile::tempdir()?;
//! let spills = SpillStore::open(dir.path().join("outputs"), SpillLimits::default())?;
//! let toolbox = Arc::new(Toolbox::new(
//!     Workspace::new(dir.path())?,
//!     Environment::inherit_allowed(),
//!     Arc::new(spills),
//! ));
//! let registry = Registry::new();
//! let tools = registry.register_all(builtin(&toolbox))?;
//!
//! let bash = tools.get("bash").ok_or("no bash")?;
//! assert_eq!(bash.effects(&json!({"command": "ls | wc -l"})), Effects::reads_subtree("/"));
//! assert_eq!(bash.effects(&json!({"command": "make"})), Effects::everything());
//! # Ok(())
//! # }
//! ```

#![expect(
    clippy::result_large_err,
    reason = "the ledger's error carries the output up to the failure; there is one a call"
)]

mod arguments;
mod bash;
mod blocking;
mod bound;
mod diff;
mod edit_file;
mod edits;
mod findings;
mod glob;
mod grep;
mod names;
mod near;
mod page;
mod read_file;
mod read_output;
mod reads_only;
mod text;
mod toolbox;
mod unread;
mod walk;
mod workspace;
mod write_file;

pub use bound::bound;
pub use toolbox::{Toolbox, builtin};
pub use workspace::{Grants, Workspace, WorkspaceError};
