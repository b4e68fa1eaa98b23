//! Faults: of arguments, and of schemas.

use std::fmt;

use jsonschema::ValidationError;
use serde::{Deserialize, Serialize};

use crate::text;

/// One thing that is wrong with the arguments of a call, in words that help to do better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fault {
    /// The JSON Pointer into the arguments; for a missing or an unknown property that of the object.
    pub pointer: String,
    /// The keyword of the schema that is not satisfied.
    pub keyword: String,
    /// What the schema asks for. For `type`: the names of the types, joined by ` or `.
    pub expected: String,
    /// What came, cut short.
    pub found: String,
    /// The name or the value that was probably meant.
    pub nearest: Option<String>,
    /// All of this as one short sentence, without the pointer.
    pub message: String,
}

impl Fault {
    pub(super) fn of(error: &ValidationError<'_>) -> Self {
        Self {
            pointer: error.instance_path().as_str().to_owned(),
            keyword: error.kind().keyword().to_owned(),
            expected: String::new(),
            found: text::shown(error.instance()),
            nearest: None,
            message: error.masked().to_string(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(
                f,
                "{}: {}",
                text::cut(&self.pointer, text::MAX_SHOWN_CHARS),
                self.message
            )
        }
    }
}

/// One thing that is wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SchemaFault {
    /// The JSON Pointer into the schema.
    pub pointer: String,
    /// What is wrong.
    pub problem: String,
    /// What would be right.
    pub mend: String,
}
