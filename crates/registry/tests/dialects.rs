//! The wire formats: what each is given, and what it is told to be missing.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test that fails may panic, in its helpers too"
)]

mod support;

use callgate_registry::{Dialect, Projection, Registry};
use serde_json::{Value, json};
use support::tool;

fn project(dialect: Dialect, name: &str, schema: Value) -> Projection {
    Registry::new().register(tool(name, schema)).unwrap().project(dialect)
}

fn notes(projection: &Projection) -> Vec<(&str, &str)> {
    projection.notes.iter().map(|n| (n.pointer.as_str(), n.message.as_str())).collect()
}

fn plain() -> Value {
    json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"],
           "additionalProperties": false})
}

#[test]
fn names_of_dialects_are_those_of_the_command_line() {
    let names = ["anthropic", "openai", "openai-strict", "gemini", "mcp"];
    assert_eq!(Dialect::ALL.map(Dialect::name), names);
    for name in names {
        assert_eq!(name.parse::<Dialect>().unwrap().to_string(), name);
    }
    let error = "grok\u{202e}".parse::<Dialect>().unwrap_err().to_string();
    assert!(error.contains("openai-strict") && !error.contains('\u{202e}'));
}

#[test]
fn a_plain_tool_loses_nothing_anywhere() {
    let strict = json!({"type": "function", "function": {"name": "t", "description": "what t does",
        "parameters": plain(), "strict": true}});
    let expected = [
        (
            Dialect::Anthropic,
            json!({"name": "t", "description": "what t does", "input_schema": plain()}),
        ),
        (
            Dialect::OpenAi,
            json!({"type": "function", "function": {"name": "t", "description": "what t does",
                "parameters": plain()}}),
        ),
        (Dialect::OpenAiStrict, strict),
        (
            Dialect::Gemini,
            json!({"name": "t", "description": "what t does", "parameters": {"type": "OBJECT",
                "properties": {"a": {"type": "STRING"}}, "required": ["a"]}}),
        ),
        (
            Dialect::Mcp,
            json!({"name": "t", "description": "what t does", "inputSchema": plain(),
                "annotations": {"readOnlyHint": false, "destructiveHint": true,
                                "idempotentHint": false, "openWorldHint": true}}),
        ),
    ];
    for (dialect, definition) in expected {
        let projection = project(dialect, "t", plain());
        assert_eq!(projection.tools, [definition], "{dialect}");
        assert_eq!(notes(&projection), [], "{dialect}");
    }
}

#[test]
fn definitions_are_in_the_order_of_registration() {
    let registry = Registry::new();
    let names = ["z", "a", "m", "b"];
    registry.register_all(names.map(|name| tool(name, plain()))).unwrap();
    for dialect in Dialect::ALL {
        let projection = registry.snapshot().project(dialect);
        let shown: Vec<_> = projection
            .tools
            .iter()
            .map(|tool| {
                tool["name"].as_str().or_else(|| tool["function"]["name"].as_str()).unwrap()
            })
            .collect();
        assert_eq!(shown, names);
    }
}

#[test]
fn dots_become_underscores_where_there_are_none_and_that_is_noted() {
    for (dialect, name) in [
        (Dialect::Anthropic, "/name"),
        (Dialect::OpenAi, "/function/name"),
        (Dialect::OpenAiStrict, "/function/name"),
    ] {
        let projection = project(dialect, "fs.read", plain());
        assert_eq!(projection.tools[0].pointer(name).unwrap(), "fs_read");
        assert_eq!(projection.notes.len(), 1);
        assert_eq!(projection.notes[0].pointer, "/name");
        assert_eq!(projection.notes[0].tool, "fs.read");
    }
    for dialect in [Dialect::Gemini, Dialect::Mcp] {
        let projection = project(dialect, "fs.read", plain());
        assert_eq!(projection.tools[0]["name"], "fs.read");
        assert_eq!(notes(&projection), []);
    }
}

#[test]
fn alternatives_at_the_top_are_noted_and_their_properties_stay_visible() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "oneOf": [{"properties": {"b": {"type": "integer"}}, "required": ["b"]},
                  {"$ref": "#/$defs/c"}],
        "$defs": {"c": {"properties": {"c": {"type": "null"}, "a": {"type": "null"}}}},
    });
    for (dialect, at) in
        [(Dialect::Anthropic, "/input_schema"), (Dialect::OpenAi, "/function/parameters")]
    {
        let projection = project(dialect, "t", schema.clone());
        let shown = projection.tools[0].pointer(at).unwrap();
        assert_eq!(shown.get("oneOf"), None);
        assert_eq!(
            shown["properties"],
            json!({"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"type": "null"}})
        );
        assert_eq!(
            notes(&projection),
            [(
                "/input_schema/oneOf",
                "the format refuses `oneOf` at the top; left out, its properties shown as optional: \"b\", \"c\""
            )]
        );
    }
    let whole = project(Dialect::Mcp, "t", schema.clone());
    assert_eq!(whole.tools[0]["inputSchema"], schema);
    assert_eq!(notes(&whole), []);
}

#[test]
fn openai_gets_properties_and_items_everywhere() {
    let schema = json!({"type": "object"});
    let projection = project(Dialect::OpenAi, "t", schema);
    assert_eq!(
        projection.tools[0]["function"]["parameters"],
        json!({"type": "object", "properties": {}})
    );
    let schema = json!({"type": "object", "properties": {"a": {"anyOf": [{"type": "array"}]}}});
    let projection = project(Dialect::OpenAi, "t", schema);
    assert_eq!(
        projection.tools[0]["function"]["parameters"]["properties"]["a"]["anyOf"][0]["items"],
        json!({})
    );
    assert_eq!(projection.notes[0].pointer, "/input_schema/properties/a/anyOf/0");
}

#[test]
fn strict_mode_requires_all_and_makes_what_was_optional_nullable() {
    let schema = json!({"type": "object", "properties": {
        "a": {"type": "string", "minLength": 1},
        "b": {"type": "integer", "description": "count", "default": 3},
        "c": {"enum": ["x"], "description": "kind"},
        "d": {"oneOf": [{"type": "string"}, {"type": "null"}]},
        "e": {"type": "array", "items": {"type": "object", "properties": {"f": {"$ref": "#/$defs/g"}},
              "required": ["f"], "additionalProperties": false}},
    }, "required": ["a", "e"], "additionalProperties": false,
       "$defs": {"g": {"type": "string", "format": "uint8"}}});
    let projection = project(Dialect::OpenAiStrict, "t", schema);
    let function = &projection.tools[0]["function"];
    assert_eq!(function["strict"], true);
    assert_eq!(
        function["parameters"],
        json!({"type": "object", "$defs": {"g": {"type": "string"}}, "properties": {
            "a": {"type": "string"},
            "b": {"type": ["integer", "null"], "description": "count"},
            "c": {"description": "kind", "anyOf": [{"enum": ["x"]}, {"type": "null"}]},
            "d": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "e": {"type": "array", "items": {"type": "object", "properties": {"f": {"$ref": "#/$defs/g"}},
                  "required": ["f"], "additionalProperties": false}},
        }, "required": ["a", "b", "c", "d", "e"], "additionalProperties": false})
    );
    let mut noted: Vec<_> = projection.notes.iter().map(|n| n.pointer.as_str()).collect();
    noted.sort_unstable();
    assert_eq!(
        noted,
        [
            "/input_schema/$defs/g/format",
            "/input_schema/properties/a/minLength",
            "/input_schema/properties/b",
            "/input_schema/properties/b/default",
            "/input_schema/properties/c",
            "/input_schema/properties/d",
            "/input_schema/properties/d/oneOf",
        ]
    );
}

#[test]
fn what_strict_mode_can_not_say_goes_out_whole_and_not_strict() {
    for (property, pointer) in [
        (json!({"type": "object"}), ""),
        (json!({"type": "object", "additionalProperties": {"type": "string"}}), ""),
        (json!({}), ""),
        (json!(true), ""),
        (json!({"type": "array"}), ""),
        (json!({"type": "array", "items": {"allOf": [{"type": "string"}]}}), "/items"),
    ] {
        let schema = json!({"type": "object", "properties": {"a": property}, "required": ["a"],
                            "additionalProperties": false});
        let projection = project(Dialect::OpenAiStrict, "t", schema.clone());
        let function = &projection.tools[0]["function"];
        assert_eq!(function["strict"], false);
        assert_eq!(
            projection.notes[0].pointer,
            format!("/input_schema/properties/a{pointer}"),
            "{schema}"
        );
    }
}

#[test]
fn gemini_gets_its_subset_and_the_rest_is_noted() {
    let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object",
    "properties": {
      "when": {"type": ["string", "null"], "format": "date-time", "description": "d"},
      "mail": {"type": "string", "format": "email"},
      "kind": {"const": "x"},
      "level": {"type": "integer", "enum": [1, 2], "exclusiveMinimum": 0},
      "ref": {"$ref": "#/definitions/point", "description": "where"},
      "maybe": {"anyOf": [{"$ref": "#/definitions/point"}, {"type": "null"}]},
      "either": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
      "mixed": {"type": ["string", "number"]},
      "list": {"type": "array", "uniqueItems": true},
      "tree": {"$ref": "#/definitions/tree"},
    }, "additionalProperties": {"type": "string"},
    "definitions": {
      "point": {"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]},
      "tree": {"type": "object", "properties": {"below": {"$ref": "#/definitions/tree"}}},
    }});
    let projection = project(Dialect::Gemini, "t", schema);
    let point =
        json!({"type": "OBJECT", "properties": {"x": {"type": "NUMBER"}}, "required": ["x"]});
    let described = |mut value: Value, key: &str, with: Value| {
        value[key] = with;
        value
    };
    assert_eq!(
        projection.tools[0]["parameters"],
        json!({"type": "OBJECT", "properties": {
            "when": {"type": "STRING", "nullable": true, "format": "date-time", "description": "d"},
            "mail": {"type": "STRING"},
            "kind": {"type": "STRING", "enum": ["x"]},
            "level": {"type": "INTEGER", "minimum": 0},
            "ref": described(point.clone(), "description", json!("where")),
            "maybe": described(point, "nullable", json!(true)),
            "either": {"anyOf": [{"type": "STRING"}, {"type": "INTEGER"}]},
            "mixed": {"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]},
            "list": {"type": "ARRAY", "items": {"type": "STRING"}},
            "tree": {"type": "OBJECT", "properties": {"below": {"type": "OBJECT"}}},
        }})
    );
    let mut noted: Vec<_> = projection.notes.iter().map(|n| n.pointer.as_str()).collect();
    noted.sort_unstable();
    assert_eq!(
        noted,
        [
            "/input_schema/additionalProperties",
            "/input_schema/properties/either/oneOf",
            "/input_schema/properties/level/enum",
            "/input_schema/properties/level/exclusiveMinimum",
            "/input_schema/properties/list",
            "/input_schema/properties/list/uniqueItems",
            "/input_schema/properties/mail/format",
            "/input_schema/properties/mixed",
            "/input_schema/properties/tree/properties/below/$ref",
        ]
    );
}

#[test]
fn gemini_gets_no_parameters_where_there_are_none() {
    let projection = project(Dialect::Gemini, "9t", json!({"type": "object", "properties": {}}));
    assert_eq!(projection.tools, [json!({"name": "9t", "description": "what 9t does"})]);
    assert_eq!(projection.notes[0].pointer, "/name");
}

#[test]
fn references_are_not_written_out_without_bound() {
    let mut defs = serde_json::Map::new();
    for step in 0..7 {
        let next = json!({"$ref": format!("#/$defs/a{}", step + 1)});
        let many: serde_json::Map<_, _> = (0..4).map(|i| (format!("p{i}"), next.clone())).collect();
        defs.insert(format!("a{step}"), json!({"type": "object", "properties": many}));
    }
    defs.insert("a7".into(), json!({"type": "string"}));
    let schema =
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a1"}}, "$defs": defs});
    let projection = project(Dialect::Gemini, "t", schema);
    assert!(projection.tools[0].to_string().len() < 500_000);
    assert!(!projection.notes.is_empty());
}

#[test]
fn gemini_loses_no_property_of_an_alternative() {
    let schema = json!({"type": "object", "properties": {"a": {
        "anyOf": [{"properties": {"b": {"type": "string"}}, "type": "object"}],
        "type": "object", "properties": {"c": {"type": "string"}}}},
        "allOf": [{"properties": {"d": {"type": "string"}}}]});
    let projection = project(Dialect::Gemini, "t", schema);
    assert_eq!(
        projection.tools[0]["parameters"]["properties"],
        json!({
            "a": {"type": "OBJECT", "properties": {"c": {"type": "STRING"}},
                  "anyOf": [{"type": "OBJECT", "properties": {"b": {"type": "STRING"}}}]},
            "d": {"type": "STRING"},
        })
    );
    assert_eq!(projection.notes[0].pointer, "/input_schema/allOf");
}
