//! Gemini: function declarations, whose schemas are a subset of `OpenAPI` 3.0 without references.

use serde_json::{Map, Value, json};

use super::{Notes, members, top_level};
use crate::{pointer, tool::Tool};

/// Keywords that mean the same there.
const SAME: &[&str] = &[
    "default",
    "description",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "pattern",
    "title",
];

/// The formats that it takes; it refuses a declaration with any other.
const FORMATS: &[&str] = &["date-time", "double", "enum", "float", "int32", "int64"];

/// Levels of references that are written out; deeper ones, and recursion, become open objects.
const MAX_INLINED: usize = 8;

/// Schemas that one declaration may grow to by writing out references.
const MAX_SCHEMAS: usize = 2_000;

pub(super) fn define(tool: &Tool, notes: &mut Notes<'_>) -> Value {
    if tool.name().starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        notes.at("/name", "the format wants a name that begins with a letter or an underscore");
    }
    let mut schema = members(tool);
    top_level::flatten(&mut schema, &["anyOf", "oneOf", "allOf", "not"], notes);
    let root = Value::Object(schema);
    let mut writer = Writer { root: &root, notes, open: Vec::new(), written: 0 };
    let parameters = writer.schema(&root, "");
    let mut definition = Map::new();
    definition.insert("name".to_owned(), json!(tool.name()));
    definition.insert("description".to_owned(), json!(tool.description()));
    // An object without properties is refused; no parameters at all mean the same.
    if parameters.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty()) {
        definition.insert("parameters".to_owned(), parameters);
    }
    Value::Object(definition)
}

struct Writer<'a, 'n> {
    root: &'a Value,
    notes: &'a mut Notes<'n>,
    /// The references that are being written out.
    open: Vec<&'a str>,
    written: usize,
}

impl<'a> Writer<'a, '_> {
    fn schema(&mut self, schema: &'a Value, at: &str) -> Value {
        self.written += 1;
        let Value::Object(members) = schema else {
            self.notes.schema(at, "the format has no value of any kind; written as a string");
            return json!({ "type": "STRING" });
        };
        if let Some(Value::String(reference)) = members.get("$ref") {
            return self.reference(reference, members, at);
        }
        let mut out = Map::new();
        for (keyword, value) in members {
            match keyword.as_str() {
                "anyOf" | "oneOf" => self.alternatives(keyword, members, at, &mut out),
                _ => self.keyword(keyword, value, at, &mut out),
            }
        }
        self.typed(members, at, &mut out);
        Value::Object(out)
    }

    fn keyword(&mut self, keyword: &str, value: &'a Value, at: &str, out: &mut Map<String, Value>) {
        let below = pointer::join(at, keyword);
        match keyword {
            "type" | "$schema" | "$defs" | "definitions" => {}
            // False is how the model behaves anyway, so that nothing is lost.
            "additionalProperties" if value == &Value::Bool(false) => {}
            "properties" => {
                let properties = value.as_object().into_iter().flatten().map(|(name, schema)| {
                    (name.clone(), self.schema(schema, &pointer::join(&below, name)))
                });
                let properties: Map<_, _> = properties.collect();
                out.insert(keyword.to_owned(), Value::Object(properties));
            }
            "required" => {
                out.insert(keyword.to_owned(), value.clone());
            }
            "items" if value.is_object() || value.is_boolean() => {
                let items = self.schema(value, &below);
                out.insert(keyword.to_owned(), items);
            }
            "enum" | "const" => self.enumeration(value, &below, out),
            "format" => {
                if value.as_str().is_some_and(|name| FORMATS.contains(&name)) {
                    out.insert(keyword.to_owned(), value.clone());
                } else {
                    self.notes.schema(&below, "the format of this name is not known; left out");
                }
            }
            "exclusiveMinimum" | "exclusiveMaximum" if value.is_number() => {
                let name = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
                out.insert(name.to_owned(), value.clone());
                self.notes.schema(&below, format!("written as `{name}`, which is one value wider"));
            }
            same if SAME.contains(&same) => {
                out.insert(keyword.to_owned(), value.clone());
            }
            other => self.notes.schema(
                &below,
                format!("the format has no `{}`; left out", crate::text::cut(other, 40)),
            ),
        }
    }

    /// Writes the type in capitals, `null` as `nullable`, and several types as alternatives.
    fn typed(&mut self, members: &Map<String, Value>, at: &str, out: &mut Map<String, Value>) {
        let names: Vec<&str> = match members.get("type") {
            Some(Value::String(name)) => vec![name],
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        };
        if names.contains(&"null") {
            out.insert("nullable".to_owned(), Value::Bool(true));
        }
        let others: Vec<String> =
            names.iter().filter(|name| **name != "null").map(|name| name.to_uppercase()).collect();
        match others.as_slice() {
            [] => self.untyped(members, at, out),
            [one] => {
                out.insert("type".to_owned(), json!(one));
                if one == "ARRAY" && !out.contains_key("items") {
                    out.insert("items".to_owned(), json!({ "type": "STRING" }));
                    self.notes.schema(at, "the format wants `items`; written as strings");
                }
            }
            several => {
                let several: Vec<Value> =
                    several.iter().map(|one| json!({ "type": one })).collect();
                out.insert("anyOf".to_owned(), Value::Array(several));
                self.notes.schema(at, "the format has one type; written as alternatives");
            }
        }
    }

    fn untyped(&mut self, members: &Map<String, Value>, at: &str, out: &mut Map<String, Value>) {
        if out.contains_key("anyOf") || out.contains_key("type") {
            return;
        }
        let guessed = if members.contains_key("properties") {
            "OBJECT"
        } else if members.contains_key("items") {
            "ARRAY"
        } else {
            "STRING"
        };
        out.insert("type".to_owned(), json!(guessed));
        if !out.contains_key("enum") {
            let message = format!("the format wants a type; written as {guessed}");
            self.notes.schema(at, message);
        }
    }

    fn alternatives(
        &mut self,
        keyword: &str,
        members: &'a Map<String, Value>,
        at: &str,
        out: &mut Map<String, Value>,
    ) {
        let below = pointer::join(at, keyword);
        if keyword == "oneOf" {
            self.notes.schema(&below, "the format has no `oneOf`; written as `anyOf`");
        }
        let is_null = |schema: &&Value| schema.get("type").is_some_and(|kind| kind == "null");
        let list =
            members.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if list.iter().any(|schema| is_null(&schema)) {
            out.insert("nullable".to_owned(), Value::Bool(true));
        }
        let others = list.iter().enumerate().filter(|(_, schema)| !is_null(schema));
        let mut written: Vec<Value> = others
            .map(|(index, schema)| self.schema(schema, &pointer::join(&below, &index.to_string())))
            .collect();
        let alone = members.keys().all(|keyword| {
            matches!(keyword.as_str(), "anyOf" | "oneOf" | "default" | "description" | "title")
        });
        match (written.pop(), alone && written.is_empty()) {
            // One alternative beside null is that one, nullable.
            (Some(Value::Object(only)), true) => {
                for (keyword, value) in only {
                    out.entry(keyword).or_insert(value);
                }
            }
            (Some(last), _) => {
                written.push(last);
                out.insert("anyOf".to_owned(), Value::Array(written));
            }
            (None, _) => {}
        }
    }

    fn enumeration(&mut self, value: &Value, below: &str, out: &mut Map<String, Value>) {
        let values = match value {
            Value::Array(values) => values.clone(),
            one => vec![one.clone()],
        };
        let texts: Vec<&Value> = values.iter().filter(|value| value.is_string()).collect();
        if texts.len() == values.len() {
            out.insert("enum".to_owned(), json!(texts));
        } else {
            let message = format!(
                "the format has only strings in `enum`; left out: {}",
                crate::text::shown(value)
            );
            self.notes.schema(below, message);
        }
    }

    /// Writes out what a reference points to, with the description that stands beside it.
    fn reference(&mut self, reference: &'a str, members: &Map<String, Value>, at: &str) -> Value {
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
        let fits = self.open.len() < MAX_INLINED && self.written < MAX_SCHEMAS;
        let mut written = match target {
            Some(target) if fits && !reference.is_empty() && !self.open.contains(&reference) => {
                self.open.push(reference);
                let written = self.schema(target, at);
                self.open.pop();
                written
            }
            _ => {
                let below = pointer::join(at, "$ref");
                self.notes
                    .schema(&below, "the format has no references; written as an open object");
                json!({ "type": "OBJECT" })
            }
        };
        if let (Value::Object(written), Some(description)) =
            (&mut written, members.get("description"))
        {
            written.insert("description".to_owned(), description.clone());
        }
        written
    }
}
