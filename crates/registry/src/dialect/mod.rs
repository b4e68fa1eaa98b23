//! The wire formats in which the ledger can be shown to a model.

use std::{fmt, str::FromStr};

use serde_json::{Value, json};
use thiserror::Error;

use crate::tool::Tool;

/// A wire format for tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions, without strict mode.
    OpenAi,
    /// `OpenAI` Chat Completions in strict mode.
    OpenAiStrict,
    /// Gemini function declarations.
    Gemini,
    /// The Model Context Protocol's `tools/list`.
    Mcp,
}

/// The definitions of tools in one wire format.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Projection {
    /// One definition for each tool, in their order.
    pub tools: Vec<Value>,
    /// What the format can't express, or expresses differently.
    pub notes: Vec<Note>,
}

/// Something that a wire format can't express. Dispatch still checks it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The tool's name on the ledger.
    pub tool: String,
    /// The JSON Pointer into the tool's record.
    pub pointer: String,
    /// What was left out or changed.
    pub message: String,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Anthropic,
        Self::OpenAi,
        Self::OpenAiStrict,
        Self::Gemini,
        Self::Mcp,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::OpenAiStrict => "openai-strict",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    pub(crate) fn project<'a>(self, tools: impl Iterator<Item = &'a Tool>) -> Projection {
        let mut projection = Projection::default();
        for tool in tools {
            projection.tools.push(json!({
                "name": tool.name(),
                "description": tool.description(),
                "input_schema": tool.schema().as_value(),
            }));
        }
        projection
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No dialect has this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown dialect {}; known are anthropic, openai, openai-strict, gemini, mcp", crate::text::quoted(.0))]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL
            .into_iter()
            .find(|dialect| dialect.name() == name)
            .ok_or_else(|| UnknownDialect(name.to_owned()))
    }
}
