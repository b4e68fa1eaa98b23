//! `OpenAI` Chat Completions: a function with `parameters`, not strict.
//!
//! The service refuses alternatives at the top, objects without `properties` there, and arrays
//! without `items`.

use serde_json::{Map, Value, json};

use super::{Notes, members, top_level};
use crate::{pointer, tool::Tool};

pub(super) fn define(tool: &Tool, notes: &mut Notes<'_>) -> Value {
    json!({
        "type": "function",
        "function": {
            "name": notes.wire_name(),
            "description": tool.description(),
            "parameters": parameters(tool, notes),
        },
    })
}

pub(super) fn parameters(tool: &Tool, notes: &mut Notes<'_>) -> Value {
    let mut schema = members(tool);
    top_level::flatten(&mut schema, &["anyOf", "oneOf", "allOf", "not", "enum"], notes);
    // Without `properties` the schema says the same, but the service wants to see them.
    schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    let mut schema = Value::Object(schema);
    complete_arrays(&mut schema, "", notes);
    schema
}

/// Gives every array its `items`.
fn complete_arrays(schema: &mut Value, at: &str, notes: &mut Notes<'_>) {
    let Value::Object(members) = schema else { return };
    let is_array = members.get("type").is_some_and(|kind| kind == "array");
    if is_array && !members.contains_key("items") {
        members.insert("items".to_owned(), json!({}));
        notes.schema(at, "the format wants `items` of every array; written as items of any kind");
    }
    for (keyword, value) in members {
        let below = pointer::join(at, keyword);
        match (keyword.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                for (name, schema) in named {
                    complete_arrays(schema, &pointer::join(&below, name), notes);
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(list)) => {
                for (index, schema) in list.iter_mut().enumerate() {
                    complete_arrays(schema, &pointer::join(&below, &index.to_string()), notes);
                }
            }
            ("items" | "additionalProperties", schema) => complete_arrays(schema, &below, notes),
            _ => {}
        }
    }
}
