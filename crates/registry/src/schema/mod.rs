//! The schema of a tool's arguments, compiled once.

mod branches;
mod draft;
mod effort;
mod expansion;
mod explain;
mod fault;
mod graph;
mod keywords;
mod limits;
mod nulls;
mod reference;
mod rules;

use std::fmt;

use jsonschema::{PatternCache, Validator};
use serde_json::Value;

pub use fault::{Fault, SchemaFault};

use crate::text;

/// The most faults that are named of one call; more would drown the model.
pub(crate) const MAX_FAULTS: usize = 32;

/// A JSON Schema that describes a tool's arguments, checked and compiled.
///
/// It is read as draft 2020-12 unless `$schema` names draft 4, 6, 7 or 2019-09. Formats and content
/// encodings are descriptions for the model, and not checked. Nothing is ever fetched.
#[derive(Clone)]
pub struct Schema {
    value: Value,
    validator: Validator,
    effort: Option<effort::Effort>,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Schema").field(&self.value).finish()
    }
}

impl Schema {
    /// Checks and compiles a schema.
    ///
    /// A schema may have 256 KiB, 10,000 values, 64 levels, 64 patterns of 1 MiB each once compiled,
    /// and 100,000 subschemas once every reference is replaced by what it points to.
    ///
    /// # Errors
    /// Every fault of the schema: it breaks its meta-schema or names an unknown one, is too big,
    /// does not describe an object, requires what it does not describe, refers to another document,
    /// to nothing or in an empty circle, or has a pattern that does not run in linear time.
    pub fn compile(value: Value) -> Result<Self, Vec<SchemaFault>> {
        if let Some(fault) = limits::exceeded(&value) {
            return Err(vec![fault]);
        }
        let mut faults = Vec::new();
        let draft = draft::of(&value).unwrap_or_else(|fault| {
            faults.push(fault);
            jsonschema::Draft::Draft202012
        });
        let of_meta = draft::meta_errors(draft, &value);
        let broken = !of_meta.is_empty();
        faults.extend(
            of_meta.iter().take(MAX_FAULTS).flat_map(|error| SchemaFault::of_meta(error, &value)),
        );
        if let Some(fault) = rules::describes_object(&value)
            && faults.iter().all(|known| known.pointer != fault.pointer)
        {
            faults.push(fault);
        }
        if broken {
            return Err(faults);
        }
        let cache = PatternCache::new();
        let graph = graph::Graph::of(&value, &mut faults);
        expansion::check(&graph, &mut faults);
        rules::required_are_described(&graph, &mut faults);
        rules::patterns_compile(&graph, &cache, &mut faults);
        if !faults.is_empty() {
            return Err(faults);
        }
        let effort = effort::Effort::of(&graph);
        let built = jsonschema::options()
            .with_draft(draft)
            .offline()
            .with_pattern_options(rules::engine())
            .with_pattern_cache(cache)
            .should_validate_formats(false)
            .without_content_media_type_support("application/json")
            .without_content_encoding_support("base64")
            .build(&value);
        match built {
            Ok(validator) => Ok(Self { value, validator, effort }),
            Err(error) => Err(vec![SchemaFault::new(
                error.instance_path().as_str(),
                text::cut(&error.to_string(), 2 * text::MAX_SHOWN_CHARS),
                "write a schema that compiles",
            )]),
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

    /// What is wrong with the arguments, at most 32 faults; empty exactly if they satisfy the
    /// schema.
    ///
    /// Arguments that a schema with recursive alternatives would take too long to explain get one
    /// fault for the whole.
    pub fn faults(&self, arguments: &Value) -> Vec<Fault> {
        if self.is_valid(arguments) {
            return Vec::new();
        }
        let steps = self.effort.as_ref().map_or(0, |effort| effort.steps(arguments));
        if steps > effort::MAX_STEPS {
            return vec![Fault::unexplained(arguments)];
        }
        let mut faults: Vec<Fault> = Vec::new();
        let against = explain::Against { schema: &self.value, arguments };
        for error in self.validator.iter_errors(arguments) {
            for fault in explain::explain(&error, against) {
                if !faults.contains(&fault) {
                    faults.push(fault);
                }
            }
            if faults.len() >= MAX_FAULTS {
                break;
            }
        }
        faults.truncate(MAX_FAULTS);
        faults
    }
}
