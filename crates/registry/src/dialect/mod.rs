//! The wire formats in which the ledger can be shown to a model.

mod anthropic;
mod gemini;
mod mcp;
mod openai;
mod openai_strict;
mod top_level;

use std::{fmt, str::FromStr};

use serde_json::{Map, Value};
use thiserror::Error;

use crate::{name, tool::Tool};

/// A wire format for tool definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Anthropic Messages.
    Anthropic,
    /// `OpenAI` Chat Completions, without strict mode. Other servers that speak the format take it
    /// too.
    OpenAi,
    /// `OpenAI` Chat Completions, in strict mode wherever the schema can be said in it.
    ///
    /// In strict mode every property must be given, so those that are optional become nullable. The
    /// model then sends `null` where it would leave one out; [`Schema::without_null_optionals`]
    /// turns such arguments back.
    ///
    /// [`Schema::without_null_optionals`]: crate::Schema::without_null_optionals
    OpenAiStrict,
    /// Gemini function declarations, in the subset of `OpenAPI` 3.0 that all its models know.
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

/// Something that a wire format can't express, or not as it was written. Dispatch still checks
/// arguments against the whole schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    /// The tool's name on the ledger.
    pub tool: String,
    /// The JSON Pointer into the tool's record, such as `/name` or `/input_schema/properties/a`.
    pub pointer: String,
    /// What was left out or changed.
    pub message: String,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Anthropic, Self::OpenAi, Self::OpenAiStrict, Self::Gemini, Self::Mcp];

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

    /// The definition of one tool, and what it could not express.
    pub(crate) fn project(self, tool: &Tool) -> (Value, Vec<Note>) {
        let mut notes = Notes { tool: tool.name(), list: Vec::new() };
        let definition = match self {
            Self::Anthropic => anthropic::define(tool, &mut notes),
            Self::OpenAi => openai::define(tool, &mut notes),
            Self::OpenAiStrict => openai_strict::define(tool, &mut notes),
            Self::Gemini => gemini::define(tool, &mut notes),
            Self::Mcp => mcp::define(tool),
        };
        (definition, notes.list)
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No dialect has this name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "unknown dialect {}; known are anthropic, openai, openai-strict, gemini, mcp",
    crate::text::quoted(.0)
)]
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

/// The notes on one tool, as they are taken.
struct Notes<'a> {
    tool: &'a str,
    list: Vec<Note>,
}

impl Notes<'_> {
    /// Notes something of the schema; `pointer` is into the schema.
    fn schema(&mut self, pointer: &str, message: impl Into<String>) {
        self.list.push(Note {
            tool: self.tool.to_owned(),
            pointer: format!("/input_schema{pointer}"),
            message: message.into(),
        });
    }

    fn at(&mut self, pointer: &str, message: impl Into<String>) {
        self.list.push(Note {
            tool: self.tool.to_owned(),
            pointer: pointer.to_owned(),
            message: message.into(),
        });
    }

    /// The tool's name where dots are not allowed, with a note if it had any.
    fn wire_name(&mut self) -> String {
        let wire = name::wire(self.tool);
        if wire != self.tool {
            self.at("/name", format!("the format has no dots in names; written as \"{wire}\""));
        }
        wire
    }
}

/// The schema's members; an accepted schema always has some.
fn members(tool: &Tool) -> Map<String, Value> {
    tool.schema().as_value().as_object().cloned().unwrap_or_default()
}
