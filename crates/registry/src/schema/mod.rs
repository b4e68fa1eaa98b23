//! The schema of a tool's arguments, compiled once.

mod fault;

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

pub use fault::{Fault, SchemaFault};

/// A JSON Schema that describes a tool's arguments, checked and compiled.
#[derive(Debug, Clone)]
pub struct Schema {
    value: Value,
    validator: Validator,
}

impl Schema {
    /// Checks and compiles a schema.
    ///
    /// # Errors
    /// Every fault of the schema.
    pub fn compile(value: Value) -> Result<Self, Vec<SchemaFault>> {
        let built = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex().size_limit(1 << 20))
            .build(&value);
        match built {
            Ok(validator) => Ok(Self { value, validator }),
            Err(error) => Err(vec![SchemaFault {
                pointer: error.instance_path().as_str().to_owned(),
                problem: error.masked().to_string(),
                mend: "mend the schema".to_owned(),
            }]),
        }
    }

    /// The schema as it was given.
    pub fn as_value(&self) -> &Value {
        &self.value
    }

    /// Whether the arguments satisfy it; cheaper than [`faults`](Self::faults).
    pub fn is_valid(&self, arguments: &Value) -> bool {
        self.validator.is_valid(arguments)
    }

    /// Everything that is wrong with the arguments; empty if they satisfy the schema.
    pub fn faults(&self, arguments: &Value) -> Vec<Fault> {
        if self.is_valid(arguments) {
            return Vec::new();
        }
        self.validator
            .iter_errors(arguments)
            .map(|error| Fault::of(&error))
            .collect()
    }
}
