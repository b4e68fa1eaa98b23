//! What a model is told of its mistakes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test that fails may panic, in its helpers too"
)]

use callgate_registry::{Fault, Schema};
use serde_json::{Value, json};

fn faults(schema: Value, arguments: &Value) -> Vec<Fault> {
    let schema = Schema::compile(schema).unwrap();
    let faults = schema.faults(arguments);
    assert_eq!(schema.is_valid(arguments), faults.is_empty());
    faults
}

#[track_caller]
fn only(schema: Value, arguments: &Value) -> Fault {
    let mut faults = faults(schema, arguments);
    assert_eq!(faults.len(), 1, "{faults:#?}");
    faults.remove(0)
}

fn files() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "limit": {"type": "integer", "minimum": 1},
            "mode": {"enum": ["read", "write", "append"]},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

#[test]
fn a_wrong_type_is_told_with_what_came() {
    let fault = only(files(), &json!({"path": "a", "limit": "2"}));
    assert_eq!(fault.pointer, "/limit");
    assert_eq!(fault.keyword, "type");
    assert_eq!(fault.expected, "integer");
    assert_eq!(fault.found, "string \"2\"");
    assert_eq!(fault.nearest, None);
    assert_eq!(fault.message, "expected integer, found string \"2\"");
    assert_eq!(fault.to_string(), "/limit: expected integer, found string \"2\"");
}

#[test]
fn several_types_are_joined_by_or() {
    let schema = json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}});
    let expected = only(schema, &json!({"a": 1})).expected;
    assert!(["string or null", "null or string"].contains(&expected.as_str()), "{expected}");
}

#[test]
fn a_value_near_one_of_the_enum_is_named() {
    let fault = only(files(), &json!({"path": "a", "mode": "Reed"}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("/mode", "enum"));
    assert_eq!(fault.nearest.as_deref(), Some("read"));
    assert_eq!(
        fault.message,
        "expected one of \"read\", \"write\", \"append\", found string \"Reed\"; did you mean \"read\"?"
    );
    assert_eq!(only(files(), &json!({"path": "a", "mode": "zzz"})).nearest, None);
}

#[test]
fn a_misspelt_property_is_told_from_both_sides() {
    let faults = faults(files(), &json!({"file_path": "a"}));
    let told: Vec<_> = faults
        .iter()
        .map(|f| (f.pointer.as_str(), f.keyword.as_str(), f.nearest.as_deref()))
        .collect();
    assert_eq!(told.len(), 2);
    assert!(told.contains(&("", "required", Some("file_path"))), "{told:?}");
    assert!(told.contains(&("", "additionalProperties", Some("path"))), "{told:?}");
}

#[test]
fn each_unknown_property_is_a_fault() {
    let faults = faults(files(), &json!({"path": "a", "limt": 1, "colour": 2}));
    let told: Vec<_> = faults.iter().map(|f| (f.found.as_str(), f.nearest.as_deref())).collect();
    assert_eq!(told, [("property \"limt\"", Some("limit")), ("property \"colour\"", None)]);
    assert!(faults[1].message.contains("only the properties \"path\", \"limit\", \"mode\""));
}

#[test]
fn a_known_property_that_is_given_already_is_not_suggested() {
    assert_eq!(only(files(), &json!({"path": "a", "paths": "b"})).nearest, None);
}

#[test]
fn a_missing_dependency_keeps_its_keyword() {
    let schema = json!({"type": "object", "properties": {"a": {}, "b": {}},
                        "dependentRequired": {"a": ["b"]}});
    let fault = only(schema, &json!({"a": 1}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("", "dependentRequired"));
    assert_eq!(fault.message, "missing property \"b\"");
}

#[test]
fn pointers_are_escaped() {
    let schema = json!({"type": "object", "properties": {"a/b~c": {"items": {"type": "null"}}}});
    assert_eq!(only(schema, &json!({"a/b~c": [1]})).pointer, "/a~1b~0c/0");
}

#[test]
fn big_values_are_cut_and_hidden_characters_escaped() {
    let big = "x".repeat(1_000_000);
    let fault = only(files(), &json!({"path": "a", "limit": big}));
    assert!(fault.message.chars().count() < 200, "{}", fault.message);
    assert!(fault.found.ends_with('…'));
    let fault = only(files(), &json!({"path": "a", "limit": "\u{1b}[31m\u{202e}x\nX"}));
    assert!(!fault.message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{fault:?}");
    let fault = only(files(), &json!({"path": "a", "\u{1b}\u{202e}": 1}));
    assert!(!fault.message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{fault:?}");
}

#[test]
fn a_value_of_no_alternative_is_told_all_their_types() {
    let schema = json!({"type": "object", "properties": {
        "since": {"anyOf": [{"type": "string"}, {"type": "null"}]}}});
    let fault = only(schema, &json!({"since": 5}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("/since", "anyOf"));
    assert_eq!(fault.expected, "string or null");
}

#[test]
fn the_alternative_of_the_right_type_is_explained() {
    let schema = json!({"type": "object", "properties": {
        "ids": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}}});
    let fault = only(schema, &json!({"ids": [1, "2"]}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("/ids/1", "type"));
}

#[test]
fn the_alternative_of_the_right_kind_is_explained() {
    let kinds = json!({"type": "object", "properties": {"shape": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}},
         "required": ["kind", "r"]},
        {"type": "object", "properties": {"kind": {"const": "square"}, "a": {"type": "number"}},
         "required": ["kind", "a"]},
    ]}}});
    let fault = only(kinds.clone(), &json!({"shape": {"kind": "square"}}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("/shape", "required"));
    assert_eq!(fault.expected, "property \"a\"");
    let fault = only(kinds, &json!({"shape": {"kind": "sqare"}}));
    assert_eq!(fault.pointer, "/shape/kind");
    assert_eq!(fault.nearest.as_deref(), Some("square"));
    assert_eq!(fault.expected, "one of \"circle\", \"square\"");
}

#[test]
fn alternatives_that_are_single_values_are_told_like_an_enum() {
    let schema = json!({"type": "object", "properties": {"level": {"oneOf": [
        {"type": "string", "const": "low", "description": "Little."},
        {"type": "string", "const": "high", "description": "Much."},
    ]}}});
    let fault = only(schema, &json!({"level": "hihg"}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("/level", "oneOf"));
    assert_eq!(fault.expected, "one of \"low\", \"high\"");
    assert_eq!(fault.nearest.as_deref(), Some("high"));
}

#[test]
fn alternatives_that_can_not_be_told_apart_name_the_nearest() {
    let schema = json!({"type": "object", "properties": {"at": {"anyOf": [
        {"type": "object", "required": ["x", "y"]}, {"type": "object", "required": ["name"]},
    ]}}});
    let fault = only(schema, &json!({"at": {"nam": 1}}));
    assert_eq!((fault.pointer.as_str(), fault.keyword.as_str()), ("/at", "anyOf"));
    assert_eq!(fault.nearest.as_deref(), Some("nam"));
    assert_eq!(
        fault.message,
        "matches none of 2 alternatives; the nearest one says: /at: missing property \"name\"; \
         \"nam\" is no known property, rename it"
    );
}

#[test]
fn formats_and_encodings_are_not_checked() {
    for draft in
        ["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]
    {
        let schema = json!({"$schema": draft, "type": "object", "properties": {
            "at": {"type": "string", "format": "date-time"},
            "data": {"type": "string", "contentEncoding": "base64", "contentMediaType": "application/json"}}});
        assert_eq!(faults(schema, &json!({"at": "tomorrow", "data": "%"})), []);
    }
}

#[test]
fn at_most_32_faults_are_named() {
    let schema = json!({"type": "object", "properties": {"a": {"items": {"type": "string"}}}});
    let many: Value = (0..100_000).collect();
    assert_eq!(faults(schema, &json!({"a": many})).len(), 32);
    let unknown: Value =
        (0..1000).map(|i| (format!("k{i}"), Value::Null)).collect::<serde_json::Map<_, _>>().into();
    assert_eq!(
        faults(json!({"type": "object", "additionalProperties": false}), &unknown).len(),
        32
    );
}

#[test]
fn recursive_alternatives_and_deep_arguments_are_answered_at_once() {
    let schema = Schema::compile(json!({"type": "object", "anyOf": [
        {"properties": {"n": {"$ref": "#"}, "t": {"const": 1}}},
        {"properties": {"n": {"$ref": "#"}, "t": {"const": 2}}},
    ]}))
    .unwrap();
    let nested = |levels: usize, mut value: Value| {
        for _ in 0..levels {
            value = json!({"n": value});
        }
        value
    };
    let started = std::time::Instant::now();
    for levels in 0..110 {
        assert!(schema.is_valid(&nested(levels, json!({"t": 2}))));
        let faults = schema.faults(&nested(levels, json!({"t": 3})));
        assert_eq!(faults.len(), 1, "{levels}");
    }
    let deep = schema.faults(&nested(100, json!({"t": 3})));
    assert!(deep[0].message.contains("nested too deeply"), "{deep:?}");
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn nulls_that_mean_left_out_are_taken_away_and_no_others() {
    let schema = Schema::compile(json!({"type": "object", "properties": {
        "path": {"type": "string"},
        "limit": {"type": "integer"},
        "mode": {"anyOf": [{"enum": ["a"]}, {"enum": ["b"]}]},
        "note": {"type": ["string", "null"]},
        "inner": {"type": "object", "properties": {"x/y": {"type": "number"}}},
        "list": {"items": {"type": "string"}},
    }, "required": ["path"]}))
    .unwrap();
    let sent = json!({"path": null, "limit": null, "mode": null, "note": null,
                      "inner": {"x/y": null}, "list": [null]});
    assert_eq!(
        schema.without_null_optionals(sent),
        json!({"path": null, "note": null, "inner": {}, "list": [null]})
    );
    let good = json!({"path": "a", "note": null});
    assert_eq!(schema.without_null_optionals(good.clone()), good);
}

#[test]
fn no_recursive_combination_makes_validation_slow() {
    let twice =
        || json!([{"properties": {"n": {"$ref": "#"}}}, {"properties": {"n": {"$ref": "#"}}}]);
    let recursive = [
        json!({"type": "object", "allOf": twice()}),
        json!({"type": "object", "oneOf": [{"allOf": twice()}, {"required": ["x"], "allOf": twice()}]}),
        json!({"type": "object", "not": {"not": {"allOf": twice()}}}),
        json!({"type": "object", "if": {"allOf": twice()}, "then": {"allOf": twice()}}),
        json!({"type": "object", "properties": {"n": {"$ref": "#"}}, "patternProperties": {".": {"$ref": "#"}}}),
        json!({"type": "object", "dependentSchemas": {"n": {"allOf": twice()}}}),
        json!({"type": "object", "allOf": twice(), "unevaluatedProperties": false}),
    ];
    let started = std::time::Instant::now();
    for schema in recursive {
        let compiled = Schema::compile(schema.clone()).unwrap();
        for leaf in [json!({}), json!(5)] {
            let mut value = leaf;
            for _ in 0..40 {
                value = json!({"n": value});
            }
            compiled.faults(&value);
        }
        assert!(started.elapsed().as_secs() < 20, "{schema}");
    }
}
