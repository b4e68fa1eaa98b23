//! What a handler answers.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A piece of a tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Content {
    /// Text for the model.
    Text {
        /// The text.
        text: String,
    },
    /// An image for the model.
    Image {
        /// Its media type, such as `image/png`.
        media_type: String,
        /// Its bytes in Base64.
        data: String,
    },
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// Where the whole of an output lies that was too long to be returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spill {
    /// The handle by which `read_output` finds it.
    pub id: String,
    /// The file that holds it.
    pub path: PathBuf,
    /// Bytes in the file.
    pub bytes: u64,
    /// Lines in the file; a last line without a newline counts.
    pub lines: u64,
    /// Bytes that were produced but not kept, because a quota or the disk was full.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub lost_bytes: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Spill {
    /// Names a spilled output of which every byte was kept.
    pub fn new(id: impl Into<String>, path: impl Into<PathBuf>, bytes: u64, lines: u64) -> Self {
        Self { id: id.into(), path: path.into(), bytes, lines, lost_bytes: 0 }
    }

    /// States how many bytes were produced but not kept.
    #[must_use]
    pub const fn with_lost_bytes(mut self, bytes: u64) -> Self {
        self.lost_bytes = bytes;
        self
    }
}

/// The answer of a handler.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// What the model is told.
    pub content: Vec<Content>,
    /// Where the rest is, if there is more than `content` holds.
    pub spill: Option<Spill>,
    /// The exit code, if the call was a command that ended by itself.
    pub exit_code: Option<i32>,
}

impl ToolOutput {
    /// An answer that is one text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![Content::text(text)], ..Self::default() }
    }

    /// Adds where the whole output lies.
    #[must_use]
    pub fn with_spill(mut self, spill: Option<Spill>) -> Self {
        self.spill = spill;
        self
    }

    /// Adds the exit code of the command.
    #[must_use]
    pub const fn with_exit_code(mut self, code: Option<i32>) -> Self {
        self.exit_code = code;
        self
    }
}

/// Why a handler failed, in words that help the model to do better.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The arguments satisfy the schema but make no sense together.
    #[error("{message}")]
    InvalidArguments {
        /// The JSON Pointer of the argument at fault; empty for the whole.
        pointer: String,
        /// What is wrong and what would be right.
        message: String,
    },
    /// What was asked for is outside of what this session may touch.
    #[error("{0}")]
    Denied(String),
    /// The work failed; whatever output there was comes along.
    #[error("{message}")]
    Failed {
        /// What went wrong.
        message: String,
        /// Output up to the failure. Empty content means that `message` is the whole answer; else
        /// `content` is the whole answer and `message` is for logs.
        output: ToolOutput,
    },
}

impl ToolError {
    /// A failure without output.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), output: ToolOutput::default() }
    }

    /// Arguments that are well-formed but wrong.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self::InvalidArguments { pointer: pointer.into(), message: message.into() }
    }
}
