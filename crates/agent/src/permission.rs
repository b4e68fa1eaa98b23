//! Who may do what.

use serde::{Deserialize, Serialize};

/// How permissions are decided where no rule does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PermissionMode {
    /// What only reads may run; for the rest the person is asked.
    #[default]
    Ask,
    /// As `ask`, and edits of files inside the working directory may run.
    AutoEdit,
    /// Everything may run.
    FullAuto,
    /// What only reads may run; the rest may not.
    ReadOnly,
}
