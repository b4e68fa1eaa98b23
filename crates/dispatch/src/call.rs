//! A call as a model or a script asks for it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One request to run one tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The id that its result will carry, as the asker gave it. It may be empty or repeated: results
    /// are paired by position, never by id.
    pub id: String,
    /// The name of the tool.
    pub name: String,
    /// The arguments.
    pub arguments: Arguments,
}

impl Call {
    /// A call with arguments that are JSON already.
    pub fn new(id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        Self { id: id.into(), name: name.into(), arguments: Arguments::Value(arguments) }
    }

    /// A call with arguments as the text that a wire format carries.
    pub fn with_text(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self { id: id.into(), name: name.into(), arguments: Arguments::Text(arguments.into()) }
    }
}

/// The arguments of a call, before anything is known of them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Arguments {
    /// JSON text, as some wire formats send it; it may be cut off or no JSON at all.
    Text(String),
    /// Parsed JSON of any kind.
    Value(Value),
}
