//! `OpenAI` strict mode: the service holds the model to the schema, of which it knows a subset.
//!
//! In the subset every object is closed and every property required. A schema that can't be said
//! that way (an object with free keys, a value of any kind) goes out whole, not strict, with a note.

use serde_json::{Map, Value, json};

use super::{Notes, members, openai};
use crate::{pointer, tool::Tool};

/// The keywords that the subset knows.
const KNOWN: &[&str] = &[
    "$defs",
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "definitions",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "items",
    "maxItems",
    "maximum",
    "minItems",
    "minimum",
    "multipleOf",
    "pattern",
    "properties",
    "required",
    "title",
    "type",
];

/// The formats that the subset knows.
const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

pub(super) fn define(tool: &Tool, notes: &mut Notes<'_>) -> Value {
    let mut strict = Notes { tool: notes.tool, list: Vec::new() };
    let (is_strict, parameters) = match restrict(&Value::Object(members(tool)), "", &mut strict) {
        Ok(schema) => {
            notes.list.append(&mut strict.list);
            (true, schema)
        }
        Err(Inexpressible { pointer, reason }) => {
            notes.schema(&pointer, format!("{reason}; sent whole, without strict mode"));
            (false, openai::parameters(tool, notes))
        }
    };
    json!({
        "type": "function",
        "function": {
            "name": notes.wire_name(),
            "description": tool.description(),
            "parameters": parameters,
            "strict": is_strict,
        },
    })
}

/// Why a schema can't be said in the subset at all.
struct Inexpressible {
    pointer: String,
    reason: &'static str,
}

fn restrict(schema: &Value, at: &str, notes: &mut Notes<'_>) -> Result<Value, Inexpressible> {
    let refuse = |reason| Inexpressible { pointer: at.to_owned(), reason };
    let Value::Object(members) = schema else {
        return Err(refuse("strict mode has no value of any kind"));
    };
    if ["type", "anyOf", "oneOf", "$ref", "enum", "const"].iter().all(|k| !members.contains_key(*k))
    {
        return Err(refuse("strict mode has no value of any kind"));
    }
    if at.is_empty() && (members.contains_key("anyOf") || members.contains_key("oneOf")) {
        return Err(refuse("strict mode has no alternatives at the top"));
    }
    if members.contains_key("allOf") {
        return Err(refuse("strict mode has no `allOf`"));
    }
    let mut out = Map::new();
    for (keyword, value) in members {
        let below = pointer::join(at, keyword);
        match keyword.as_str() {
            "properties" | "required" | "additionalProperties" | "$schema" => {}
            "items" => {
                out.insert(keyword.clone(), restrict(value, &below, notes)?);
            }
            "anyOf" | "oneOf" => {
                if keyword == "oneOf" {
                    notes.schema(&below, "strict mode has no `oneOf`; written as `anyOf`");
                }
                out.insert("anyOf".to_owned(), restrict_list(value, &below, notes)?);
            }
            "$defs" | "definitions" => {
                out.insert(keyword.clone(), restrict_map(value, &below, notes)?);
            }
            "format" if !value.as_str().is_some_and(|name| FORMATS.contains(&name)) => {
                notes.schema(&below, "strict mode does not know the format; left out");
            }
            known if KNOWN.contains(&known) => {
                out.insert(keyword.clone(), value.clone());
            }
            other => notes.schema(
                &below,
                format!("strict mode has no `{}`; left out", crate::text::cut(other, 40)),
            ),
        }
    }
    let kind = members.get("type");
    if kind.is_some_and(|kind| names_type(kind, "object")) || members.contains_key("properties") {
        close_object(members, &mut out, at, notes)?;
    }
    if kind.is_some_and(|kind| names_type(kind, "array")) && !out.contains_key("items") {
        return Err(refuse("strict mode has no array of any items"));
    }
    Ok(Value::Object(out))
}

fn names_type(kind: &Value, name: &str) -> bool {
    match kind {
        Value::Array(names) => names.iter().any(|one| one == name),
        one => one == name,
    }
}

/// Requires every property, and closes the object.
fn close_object(
    members: &Map<String, Value>,
    out: &mut Map<String, Value>,
    at: &str,
    notes: &mut Notes<'_>,
) -> Result<(), Inexpressible> {
    let none = Map::new();
    let properties = members.get("properties").and_then(Value::as_object).unwrap_or(&none);
    match members.get("additionalProperties") {
        Some(Value::Bool(false)) => {}
        // Open by silence is how most schemas are written, and rarely what is meant; an object
        // without any property, though, means free keys.
        None if !properties.is_empty() || at.is_empty() => {
            notes.schema(at, "strict mode closes every object; `additionalProperties` is false");
        }
        Some(Value::Bool(true)) if !properties.is_empty() => {
            notes.schema(at, "strict mode closes every object; `additionalProperties` is false");
        }
        _ => {
            return Err(Inexpressible {
                pointer: at.to_owned(),
                reason: "strict mode has no object with free keys",
            });
        }
    }
    let required = members.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|n| n == name));
    let mut strict = Map::new();
    for (name, property) in properties {
        let below = pointer::join(&pointer::join(at, "properties"), name);
        let mut restricted = restrict(property, &below, notes)?;
        if !is_required(name) {
            if !admits_null(&restricted) {
                restricted = nullable(restricted);
            }
            notes.schema(&below, "strict mode has no optional properties; required, and nullable");
        }
        strict.insert(name.clone(), restricted);
    }
    let names: Vec<Value> = strict.keys().cloned().map(Value::String).collect();
    out.insert("properties".to_owned(), Value::Object(strict));
    out.insert("required".to_owned(), Value::Array(names));
    out.insert("additionalProperties".to_owned(), Value::Bool(false));
    Ok(())
}

fn admits_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| names_type(kind, "null"))
        || schema
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|list| list.iter().any(admits_null))
}

/// The schema, or null. A description stays outside, where the model reads it first.
fn nullable(mut schema: Value) -> Value {
    let simple = schema.get("enum").is_none() && schema.get("const").is_none();
    if let (true, Some(Value::String(kind))) = (simple, schema.get("type").cloned()) {
        if let Value::Object(members) = &mut schema {
            members.insert("type".to_owned(), json!([kind, "null"]));
        }
        return schema;
    }
    let description = match &mut schema {
        Value::Object(members) => members.shift_remove("description"),
        _ => None,
    };
    let mut either = Map::new();
    if let Some(description) = description {
        either.insert("description".to_owned(), description);
    }
    either.insert("anyOf".to_owned(), json!([schema, { "type": "null" }]));
    Value::Object(either)
}

fn restrict_list(list: &Value, at: &str, notes: &mut Notes<'_>) -> Result<Value, Inexpressible> {
    let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
    let restricted = list
        .iter()
        .enumerate()
        .map(|(index, schema)| restrict(schema, &pointer::join(at, &index.to_string()), notes));
    Ok(Value::Array(restricted.collect::<Result<_, _>>()?))
}

fn restrict_map(map: &Value, at: &str, notes: &mut Notes<'_>) -> Result<Value, Inexpressible> {
    let mut out = Map::new();
    for (name, schema) in map.as_object().into_iter().flatten() {
        out.insert(name.clone(), restrict(schema, &pointer::join(at, name), notes)?);
    }
    Ok(Value::Object(out))
}
