//! A tool on the ledger.

use crate::spec::ToolSpec;

/// A tool on the ledger: its record, accepted and frozen.
#[derive(Debug)]
pub struct Tool {
    spec: ToolSpec,
}

impl Tool {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }
}
