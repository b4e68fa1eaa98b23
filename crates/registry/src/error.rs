//! Why a tool was not taken onto the ledger.

use std::fmt;

use thiserror::Error;

use crate::{schema::SchemaFault, text};

/// One reason why one tool was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisterFault {
    /// The tool's name as given; escape it before showing it.
    pub tool: String,
    /// The JSON Pointer into the tool's record: `/name`, `/description`, or below `/input_schema`.
    pub pointer: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub mend: String,
}

impl RegisterFault {
    pub(crate) fn new(
        tool: &str,
        pointer: &str,
        problem: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self {
            tool: tool.to_owned(),
            pointer: pointer.to_owned(),
            problem: problem.into(),
            mend: mend.into(),
        }
    }

    pub(crate) fn of_schema(tool: &str, fault: SchemaFault) -> Self {
        Self {
            tool: tool.to_owned(),
            pointer: format!("/input_schema{}", fault.pointer),
            problem: fault.problem,
            mend: fault.mend,
        }
    }
}

impl fmt::Display for RegisterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} at {}: {}; {}",
            text::quoted(&self.tool),
            text::cut(&self.pointer, text::MAX_SHOWN_CHARS),
            self.problem,
            self.mend
        )
    }
}

/// Everything that kept a change of the ledger from being made. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", Listed(.faults))]
pub struct RegisterError {
    faults: Vec<RegisterFault>,
}

impl RegisterError {
    pub(crate) fn new(faults: Vec<RegisterFault>) -> Self {
        Self { faults }
    }

    /// Every fault of every tool, in the order in which the tools were added.
    pub fn faults(&self) -> &[RegisterFault] {
        &self.faults
    }
}

struct Listed<'a>(&'a [RegisterFault]);

impl fmt::Display for Listed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tools refused:")?;
        for fault in self.0 {
            write!(f, "\n- {fault}")?;
        }
        Ok(())
    }
}
