//! The built-in tools of Callgate.

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
mod walk;
mod workspace;
mod write_file;

pub use bound::bound;
pub use toolbox::{Toolbox, builtin};
pub use workspace::{Grants, Workspace, WorkspaceError};
