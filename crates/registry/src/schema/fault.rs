//! Faults: of arguments, and of schemas.

use std::fmt;

use jsonschema::ValidationError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::explain;
use crate::text;

/// One thing that is wrong with the arguments of a call, in words that help to do better.
///
/// All texts are short, on one line, and show invisible characters escaped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Fault {
    /// The JSON Pointer into the arguments; for a missing or an unknown property that of the object.
    pub pointer: String,
    /// The keyword of the schema that is not satisfied.
    pub keyword: String,
    /// What the schema asks for. For `type`: the names of the types, joined by ` or `.
    pub expected: String,
    /// What came: its type, and its value cut to 100 characters.
    pub found: String,
    /// What was probably meant. For an unknown property and a value that is not in an `enum`: the
    /// known one. For a missing property: the unknown property that came in its place.
    pub nearest: Option<String>,
    /// All of this as one short sentence, without the pointer.
    pub message: String,
}

impl Fault {
    pub(super) fn unexplained(arguments: &Value) -> Self {
        Self {
            pointer: String::new(),
            keyword: "$ref".to_owned(),
            expected: "arguments as the schema describes them".to_owned(),
            found: text::described(arguments),
            nearest: None,
            message: "the arguments do not match the schema, and are nested too deeply to say \
                      where; send fewer levels"
                .to_owned(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.pointer.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", text::cut(&self.pointer, text::MAX_SHOWN_CHARS), self.message)
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

impl SchemaFault {
    pub(super) fn new(
        pointer: impl Into<String>,
        problem: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { pointer: pointer.into(), problem: problem.into(), mend: mend.into() }
    }

    /// The faults that a meta-schema finds are those of any value that breaks a schema.
    pub(super) fn of_meta(error: &ValidationError<'_>, schema: &Value) -> Vec<Self> {
        // The meta-schema is not at hand, and says nothing that a name could be missed by.
        let against = explain::Against { schema: &Value::Null, arguments: schema };
        explain::explain(error, against)
            .into_iter()
            .map(|fault| {
                let problem = format!("the schema is not valid: {}", fault.message);
                Self::new(
                    fault.pointer,
                    problem,
                    "follow the draft that `$schema` names, else 2020-12",
                )
            })
            .collect()
    }
}

impl fmt::Display for SchemaFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = if self.pointer.is_empty() { "the top" } else { &self.pointer };
        write!(f, "at {}: {}; {}", text::cut(at, text::MAX_SHOWN_CHARS), self.problem, self.mend)
    }
}
