//! The answer to a call.

use std::borrow::Cow;

use callgate_registry::{Content, Spill};
use serde::{Deserialize, Serialize};

use crate::repair::Repair;

/// Why a call has no success to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// No tool has that name.
    UnknownTool,
    /// The arguments do not satisfy the tool's schema; nothing ran.
    InvalidArguments,
    /// The tool ran and failed, panicked or died.
    ExecutionError,
    /// Its time limit passed.
    Timeout,
    /// It was cancelled, before or while it ran.
    Cancelled,
    /// A permission was refused; nothing ran.
    Denied,
}

impl ErrorCode {
    /// The name that the outside contract gives it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::InvalidArguments => "invalid_arguments",
            Self::ExecutionError => "execution_error",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Denied => "denied",
        }
    }
}

/// When the steps of a call happened, in microseconds since the start of its batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// It was admitted: looked up and validated.
    pub queued_us: u64,
    /// Its handler began; equal to `finished_us` if it never ran.
    pub started_us: u64,
    /// Its result was there.
    pub finished_us: u64,
}

/// The one answer to one call. A failure is an ordinary answer.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ToolResult {
    /// The id of the call, as it was asked.
    pub tool_use_id: String,
    /// The name of the tool, as it was asked.
    pub name: String,
    /// What went wrong, if anything did.
    pub error_code: Option<ErrorCode>,
    /// What the model is told.
    pub content: Vec<Content>,
    /// Where the rest of the output is, if there is more than `content` holds.
    pub spill: Option<Spill>,
    /// The exit code, if the call was a command that ended by itself.
    pub exit_code: Option<i32>,
    /// What was mended in the arguments before they were valid.
    pub repairs: Vec<Repair>,
    /// When its steps happened.
    pub timing: Timing,
}

impl ToolResult {
    /// The answer to a call that ended without one: a fault of ours, told as such.
    pub(crate) fn unanswered(tool_use_id: String, name: String) -> Self {
        Self {
            tool_use_id,
            name,
            error_code: Some(ErrorCode::ExecutionError),
            content: vec![Content::text("the call was lost by the dispatcher; it may have run")],
            spill: None,
            exit_code: None,
            repairs: Vec::new(),
            timing: Timing::default(),
        }
    }

    /// Whether the call failed in any way.
    pub const fn is_error(&self) -> bool {
        self.error_code.is_some()
    }

    /// The content as one text: blocks joined by newlines, images named by type and size.
    pub fn described(&self) -> String {
        let blocks: Vec<Cow<'_, str>> = self
            .content
            .iter()
            .map(|block| match block {
                Content::Text { text } => Cow::Borrowed(text.as_str()),
                Content::Image { media_type, data } => {
                    Cow::Owned(format!("[{media_type}, {} bytes]", data.len() / 4 * 3))
                }
                _ => Cow::Borrowed("[content of an unknown kind]"),
            })
            .collect();
        blocks.join("\n")
    }
}
