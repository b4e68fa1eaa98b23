//! What the ledger refuses, and how it says so.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test that fails may panic, in its helpers too"
)]

mod support;

use callgate_registry::{RegisterError, Registry, Schema, ToolSpec};
use serde_json::{Map, Value, json};
use support::tool;

/// The input of a case, with its short forms written out.
fn case(id: &str) -> Value {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("fixtures/bad_schemas.json")).unwrap();
    let case = cases.into_iter().find(|case| case["id"] == id).unwrap();
    written_out(case["input"].clone())
}

fn written_out(value: Value) -> Value {
    if let Some(repeat) = value.get("$repeat") {
        let times = usize::try_from(repeat[1].as_u64().unwrap()).unwrap();
        return Value::String(repeat[0].as_str().unwrap().repeat(times));
    }
    if let Some(end) = value.get("$range") {
        return (0..end.as_u64().unwrap()).map(Value::from).collect();
    }
    match value {
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, written_out(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(items) => items.into_iter().map(written_out).collect(),
        other => other,
    }
}

/// Registers the case and expects one fault: its pointer, and a word of its text.
#[track_caller]
fn refused(id: &str, pointer: &str, word: &str) {
    let error = refusal(case(id)["schema"].clone());
    let faults: Vec<_> = error.faults().iter().map(|f| (f.pointer.as_str(), f)).collect();
    assert!(
        faults.len() == 1 && faults[0].0 == pointer && error.to_string().contains(word),
        "{id}: {error}"
    );
    assert!(!faults[0].1.mend.is_empty());
}

#[track_caller]
fn refusal(schema: Value) -> RegisterError {
    let registry = Registry::new();
    let error = registry.register(tool("t", schema)).unwrap_err();
    assert!(registry.snapshot().is_empty());
    error
}

fn registered(case: &Value) -> Result<(), RegisterError> {
    let given = &case["register"];
    let description = given["description"].as_str().unwrap_or("does something");
    let spec = ToolSpec::raw(
        given["name"].as_str().unwrap(),
        description,
        given["schema"].clone(),
        support::Echo,
    );
    Registry::new().register(spec).map(|_| ())
}

#[test]
fn s01_an_empty_name_is_refused() {
    let error = registered(&case("s01")).unwrap_err();
    assert_eq!(error.faults()[0].pointer, "/name");
    assert!(error.to_string().contains("the name is empty"), "{error}");
}

#[test]
fn s03_a_name_of_65_characters_is_refused() {
    let error = registered(&case("s03")).unwrap_err();
    assert_eq!(error.faults()[0].pointer, "/name");
    assert!(error.to_string().contains("65 characters"), "{error}");
}

#[test]
fn ill_formed_names_are_refused() {
    for name in ["a b", "a/b", "größe", ".a", "-a", "a\u{202e}b", "a\n"] {
        let error = Registry::new().register(tool(name, json!({"type": "object"}))).unwrap_err();
        assert_eq!(error.faults()[0].pointer, "/name", "{name}");
        assert!(!error.to_string().contains('\u{202e}'));
    }
    for name in ["a", "9lives", "_x", "a.b-c_D", &"n".repeat(64)] {
        Registry::new().register(tool(name, json!({"type": "object"}))).unwrap();
    }
}

#[test]
fn a_description_that_shows_nothing_is_refused() {
    for blank in ["", "  \n", "\u{200b}\u{2060} "] {
        let spec = ToolSpec::raw("t", blank, json!({"type": "object"}), support::Echo);
        let error = Registry::new().register(spec).unwrap_err();
        assert_eq!(error.faults()[0].pointer, "/description");
    }
}

#[test]
fn s06_a_schema_of_an_array_is_refused() {
    refused("s06", "/input_schema/type", "object");
}

#[test]
fn s07_a_required_name_that_is_not_described_is_refused() {
    refused("s07", "/input_schema/required/0", "\"a\" is required but not in `properties`");
}

#[test]
fn required_names_may_be_described_by_an_alternative_or_a_pattern() {
    let good = [
        json!({"type": "object", "required": ["a"], "allOf": [{"properties": {"a": {}}}]}),
        json!({"type": "object", "required": ["a"], "$ref": "#/$defs/d",
               "$defs": {"d": {"properties": {"a": {}}}}}),
        json!({"type": "object", "required": ["a"], "patternProperties": {"^a": {}}}),
        json!({"type": "object", "properties": {"a": {}, "b": {}},
               "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"type": "object", "properties": {"o": {"type": "object", "required": ["free"]}}}),
    ];
    for schema in good {
        Schema::compile(schema).unwrap();
    }
    let impossible = json!({"type": "object", "properties": {"o": {
        "type": "object", "required": ["x"], "additionalProperties": false, "properties": {"y": {}}}}});
    assert_eq!(refusal(impossible).faults()[0].pointer, "/input_schema/properties/o/required/0");
}

#[test]
fn s08_a_schema_that_breaks_its_meta_schema_is_refused() {
    refused("s08", "/input_schema/type", "not valid");
}

#[test]
fn every_breach_of_the_meta_schema_is_named() {
    let error = refusal(json!({
        "type": "object",
        "required": "a",
        "properties": {"a": {"minLength": -1}, "b": {"type": "text"}},
    }));
    let mut pointers: Vec<_> = error.faults().iter().map(|f| f.pointer.as_str()).collect();
    pointers.sort_unstable();
    assert_eq!(
        pointers,
        [
            "/input_schema/properties/a/minLength",
            "/input_schema/properties/b/type",
            "/input_schema/required",
        ]
    );
}

#[test]
fn s11_a_schema_that_refers_to_itself_alone_is_refused() {
    let error = refusal(case("s11")["schema"].clone());
    assert!(error.to_string().contains("leads back to itself"), "{error}");
}

#[test]
fn s12_a_cycle_in_two_steps_is_refused() {
    let error = refusal(case("s12")["schema"].clone());
    assert!(error.to_string().contains("leads back to itself"), "{error}");
}

#[test]
fn cycles_through_alternatives_conditions_and_anchors_are_refused() {
    let empty = [
        json!({"type": "object", "allOf": [{"anyOf": [{"$ref": "#"}]}]}),
        json!({"type": "object", "if": {"not": {"$ref": "#"}}}),
        json!({"type": "object", "dependentSchemas": {"a": {"$ref": "#"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#x"}},
               "$defs": {"x": {"$anchor": "x", "oneOf": [{"$ref": "#x"}]}}}),
        json!({"type": "object", "$dynamicAnchor": "n", "allOf": [{"$dynamicRef": "#n"}]}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a%20b"}},
               "$defs": {"a b": {"$ref": "#/$defs/a%20b"}}}),
    ];
    for schema in empty {
        let error = refusal(schema.clone());
        assert!(error.to_string().contains("leads back to itself"), "{schema}: {error}");
    }
}

#[test]
fn s13_recursion_that_goes_into_the_value_is_accepted() {
    let schema = Schema::compile(case("s13")["schema"].clone()).unwrap();
    assert!(schema.is_valid(&json!({"next": {"next": {}}})));
    let faults = schema.faults(&json!({"next": {"next": 5}}));
    assert_eq!((faults[0].pointer.as_str(), faults[0].keyword.as_str()), ("/next/next", "type"));
}

#[test]
fn s14_a_remote_reference_is_refused_and_nothing_is_fetched() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = server.local_addr().unwrap();
    for uri in [format!("http://{address}/x.json"), "file:///etc/hostname".into(), "x.json".into()]
    {
        let error = refusal(json!({"type": "object", "properties": {"a": {"$ref": uri}}}));
        assert_eq!(error.faults()[0].pointer, "/input_schema/properties/a/$ref");
    }
    assert_eq!(server.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    refused("s14", "/input_schema/properties/a/$ref", "another document");
}

#[test]
fn s16_an_unknown_meta_schema_is_refused_and_nothing_is_fetched() {
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let uri = format!("http://{}/meta", server.local_addr().unwrap());
    refusal(json!({"type": "object", "$schema": uri}));
    assert_eq!(server.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    refused("s16", "/input_schema/$schema", "not known");
}

#[test]
fn older_drafts_are_read_by_their_own_rules() {
    let tuple = |uri: &str| {
        json!({"$schema": uri, "type": "object",
               "properties": {"a": {"type": "array", "items": [{"type": "string"}]}}})
    };
    for uri in [
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema#",
        "http://json-schema.org/draft-04/schema#",
        "https://json-schema.org/draft/2019-09/schema",
    ] {
        let schema = Schema::compile(tuple(uri)).unwrap();
        assert!(!schema.is_valid(&json!({"a": [1]})), "{uri}");
    }
    Schema::compile(tuple("https://json-schema.org/draft/2020-12/schema")).unwrap_err();
}

#[test]
fn references_to_nothing_and_foreign_ids_are_refused() {
    let nothing = refusal(json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/b"}}}));
    assert!(nothing.to_string().contains("leads to nothing"), "{nothing}");
    let id = refusal(json!({"type": "object", "properties": {"a": {"$id": "http://x/y"}}}));
    assert_eq!(id.faults()[0].pointer, "/input_schema/properties/a/$id");
    Schema::compile(json!({"type": "object", "properties": {"$id": {"type": "string"}}})).unwrap();
    Schema::compile(json!({"$id": "http://x/y", "type": "object",
        "properties": {"a": {"$ref": "http://x/y#/$defs/d"}}, "$defs": {"d": {}}}))
    .unwrap();
}

#[test]
fn s18_look_around_is_refused() {
    refused("s18", "/input_schema/properties/a/pattern", "looks ahead or behind");
}

#[test]
fn every_pattern_that_does_not_compile_is_named() {
    let error = refusal(json!({"type": "object",
        "properties": {"a": {"pattern": "("}, "b": {"pattern": "(x)\\1"}, "c": {"pattern": "^x$"}},
        "patternProperties": {"[": {}}}));
    let pointers: Vec<_> = error.faults().iter().map(|f| f.pointer.as_str()).collect();
    assert_eq!(
        pointers,
        [
            "/input_schema/patternProperties/[",
            "/input_schema/properties/a/pattern",
            "/input_schema/properties/b/pattern",
        ]
    );
}

#[test]
fn s20_a_pattern_that_compiles_to_too_much_is_refused() {
    refused("s20", "/input_schema/properties/a/pattern", "1 MiB");
}

fn doubling(steps: usize, link: impl Fn(Value) -> Value) -> Value {
    let mut defs = Map::new();
    for step in 0..steps {
        let next = json!({"$ref": format!("#/$defs/a{}", step + 1)});
        defs.insert(format!("a{step}"), link(next));
    }
    defs.insert(format!("a{steps}"), json!({"type": "object"}));
    json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/a0"}}, "$defs": defs})
}

#[test]
fn s21_references_that_double_at_each_step_are_refused_at_once() {
    assert_eq!(case("s21")["schema_gen"], "allOf_fan_out_2^20");
    let started = std::time::Instant::now();
    for steps in [20, 30] {
        for schema in [
            doubling(steps, |next| json!({"allOf": [next.clone(), next]})),
            doubling(
                steps,
                |next| json!({"allOf": [{"properties": {"n": next.clone()}}, {"properties": {"n": next}}]}),
            ),
        ] {
            refusal(schema);
        }
    }
    assert!(started.elapsed().as_secs() < 5);
}

#[test]
fn chains_of_references_that_would_exhaust_the_stack_are_refused() {
    refusal(doubling(2000, |next| next));
    refusal(doubling(2000, |next| json!({"properties": {"n": next}})));
    let mut deep = json!({"type": "string"});
    for _ in 0..60 {
        deep = json!({"items": deep});
    }
    Schema::compile(json!({"type": "object", "properties": {"a": deep.clone()}})).unwrap();
    for _ in 0..10 {
        deep = json!({"items": deep});
    }
    refusal(json!({"type": "object", "properties": {"a": deep}}));
}

#[test]
fn the_longest_chains_that_are_taken_fit_a_small_stack() {
    let chain = |link: &dyn Fn(Value) -> Value| {
        let mut defs = Map::new();
        for step in 0..10 {
            let next = json!({"$ref": format!("#/$defs/a{}", step + 1)});
            defs.insert(format!("a{step}"), link(next));
        }
        defs.insert(
            "a10".into(),
            json!({"properties": {"n": {"$ref": "#/$defs/a0"}, "s": {"type": "string"}}}),
        );
        json!({"type": "object", "$ref": "#/$defs/a0", "$defs": defs})
    };
    let schema = chain(&|next| json!({"anyOf": [next]}));
    let mut value = json!({"s": 1});
    for _ in 0..120 {
        value = json!({"n": value});
    }
    // The stack of a worker of the usual async runtime.
    let checked = std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(move || {
        let schema = Schema::compile(schema).unwrap();
        (schema.is_valid(&value), schema.faults(&value).len())
    });
    assert_eq!(checked.unwrap().join().unwrap(), (false, 1));
}

#[test]
fn s26_alternatives_at_the_top_are_no_object() {
    refused("s26", "/input_schema", "does not say that the arguments are an object");
}

#[test]
fn s27_a_schema_that_is_true_is_refused() {
    refused("s27", "/input_schema", "does not describe an object");
}

#[test]
fn s28_an_enum_of_a_hundred_thousand_is_refused() {
    refused("s28", "/input_schema", "more than 10000 values");
}

#[test]
fn a_schema_of_too_many_bytes_is_refused() {
    let error = refusal(json!({"type": "object", "description": "x".repeat(300_000)}));
    assert!(error.to_string().contains("bytes"), "{error}");
}

#[test]
fn s25_invisible_characters_are_warned_of_and_shown_escaped() {
    let given = case("s25");
    let description = given["register"]["description"].as_str().unwrap();
    let registry = Registry::new();
    let spec = ToolSpec::raw("x", description, given["register"]["schema"].clone(), support::Echo);
    let snapshot = registry.register(spec).unwrap();
    let tool = snapshot.get("x").unwrap();
    assert_eq!(
        tool.warnings(),
        ["/description holds 3 invisible characters (U+202E, U+2066, U+E0041)"]
    );
    assert_eq!(tool.description(), description);
    assert_eq!(
        callgate_registry::escape_hidden(tool.description()),
        "adds\\u{202e} evil \\u{2066}numbers\\u{e0041}"
    );
}

#[test]
fn invisible_characters_in_a_schema_are_warned_of_at_their_place() {
    let schema = json!({"type": "object", "properties": {
        "a": {"description": "one\u{200b}two"}, "b\u{202e}": {"enum": ["\u{1b}[2J"]}}});
    let snapshot = Registry::new().register(tool("t", schema)).unwrap();
    assert_eq!(
        snapshot.get("t").unwrap().warnings(),
        [
            "/input_schema/properties/a/description holds 1 invisible character (U+200B)",
            "/input_schema/properties/b\\u{202e} holds 1 invisible character (U+202E)",
            "/input_schema/properties/b\\u{202e}/enum/0 holds 1 invisible character (U+001B)",
        ]
    );
}

#[test]
fn all_faults_of_all_tools_are_named_at_once_and_nothing_is_entered() {
    let registry = Registry::new();
    registry.register(tool("kept", json!({"type": "object"}))).unwrap();
    let error = registry
        .register_all([
            tool("good", json!({"type": "object"})),
            ToolSpec::raw("", " ", json!({"type": "array"}), support::Echo),
            tool("kept", json!({"type": "object"})),
            tool("bad", json!({"type": "object", "required": ["x", "y"], "properties": {"y": {}}})),
        ])
        .unwrap_err();
    let named: Vec<_> =
        error.faults().iter().map(|f| (f.tool.as_str(), f.pointer.as_str())).collect();
    assert_eq!(
        named,
        [
            ("", "/name"),
            ("", "/description"),
            ("", "/input_schema/type"),
            ("kept", "/name"),
            ("bad", "/input_schema/required/0"),
        ]
    );
    assert_eq!(registry.snapshot().names().collect::<Vec<_>>(), ["kept"]);
}
