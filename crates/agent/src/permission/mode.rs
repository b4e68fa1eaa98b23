//! The mode: what happens to a call that no rule decides.

use std::fmt;

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

impl PermissionMode {
    /// The name that the outside contract gives it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AutoEdit => "auto-edit",
            Self::FullAuto => "full-auto",
            Self::ReadOnly => "read-only",
        }
    }
}

impl fmt::Display for PermissionMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
