//! The ledger: what goes in, what comes out, and that nothing changes under a reader.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test that fails may panic, in its helpers too"
)]

mod support;

use std::{
    sync::{Arc, Barrier},
    thread,
};

use callgate_registry::{
    Annotations, Effects, Invocation, Policy, Registry, Snapshot, ToolError, ToolOutput, ToolSpec,
};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use support::{Quiet, now, tool};

fn object() -> Value {
    json!({"type": "object"})
}

fn names(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.names().collect()
}

#[test]
fn a_snapshot_stays_as_it_is_while_the_ledger_changes() {
    let registry = Registry::new();
    let before = registry.register_all([tool("a", object()), tool("b", object())]).unwrap();
    let mut draft = registry.edit();
    draft.remove("a");
    draft.add(tool("c", object()));
    let after = draft.commit().unwrap();
    assert_eq!(names(&before), ["a", "b"]);
    assert_eq!(names(&after), ["b", "c"]);
    assert!(Arc::ptr_eq(&after, &registry.snapshot()));
    assert!(before.get("a").is_some() && after.get("a").is_none());
    assert!(Arc::ptr_eq(before.get("b").unwrap(), after.get("b").unwrap()));
}

#[test]
fn a_tool_can_be_replaced_in_one_draft_but_not_added_twice() {
    let registry = Registry::new();
    registry.register(tool("a", object())).unwrap();
    assert!(registry.register(tool("a", object())).is_err());
    let mut draft = registry.edit();
    draft.remove("a");
    draft.add(tool("a", json!({"type": "object", "properties": {"new": {}}})));
    let snapshot = draft.commit().unwrap();
    assert!(snapshot.get("a").unwrap().schema().as_value()["properties"]["new"].is_object());
    let error = registry.register_all([tool("x", object()), tool("x", object())]).unwrap_err();
    assert_eq!(error.faults().len(), 1);
}

#[test]
fn a_draft_that_is_dropped_changes_nothing() {
    let registry = Registry::new();
    let mut draft = registry.edit();
    draft.add(tool("a", object()));
    drop(draft);
    assert!(registry.snapshot().is_empty());
}

#[test]
fn one_bad_tool_can_be_set_aside_without_its_siblings() {
    let registry = Registry::new();
    let mut draft = registry.edit();
    draft.try_add(tool("good", object())).unwrap();
    let aside = draft.try_add(tool("bad", json!({"anyOf": [object(), {"type": "string"}]})));
    assert_eq!(aside.unwrap_err().faults()[0].tool, "bad");
    assert_eq!(names(&draft.commit().unwrap()), ["good"]);
}

#[test]
fn drafts_that_are_committed_at_once_undo_nothing_of_each_other() {
    let registry = Registry::new();
    let start = Barrier::new(8);
    thread::scope(|scope| {
        for worker in 0..8 {
            let (registry, start) = (&registry, &start);
            scope.spawn(move || {
                start.wait();
                for index in 0..20 {
                    registry.register(tool(&format!("t{worker}_{index}"), object())).unwrap();
                }
            });
        }
    });
    assert_eq!(registry.snapshot().len(), 160);
}

#[test]
fn readers_never_see_half_a_change() {
    let registry = Registry::new();
    registry.register_all([tool("left0", object()), tool("right0", object())]).unwrap();
    thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for round in 0..200 {
                let mut draft = registry.edit();
                draft.remove(format!("left{round}"));
                draft.remove(format!("right{round}"));
                draft.add(tool(&format!("left{}", round + 1), object()));
                draft.add(tool(&format!("right{}", round + 1), object()));
                draft.commit().unwrap();
            }
        });
        while !writer.is_finished() {
            let snapshot = registry.snapshot();
            let names = names(&snapshot);
            assert_eq!(names.len(), 2);
            assert_eq!(names[0].strip_prefix("left"), names[1].strip_prefix("right"));
        }
    });
}

#[test]
fn a_tool_with_dots_is_found_by_both_of_its_names() {
    let registry = Registry::new();
    let snapshot = registry.register(tool("fs.read", object())).unwrap();
    assert!(Arc::ptr_eq(snapshot.get("fs.read").unwrap(), snapshot.get("fs_read").unwrap()));
    for (name, other) in [("fs_read", "\"fs_read\""), ("fs.read", "already")] {
        let error = registry.register(tool(name, object())).unwrap_err();
        assert_eq!(error.faults()[0].pointer, "/name");
        assert!(error.to_string().contains(other), "{error}");
    }
    assert!(registry.register_all([tool("a.b_c", object()), tool("a_b.c", object())]).is_err());
}

#[test]
fn the_nearest_names_come_best_first_and_at_most_three() {
    let registry = Registry::new();
    let all = ["read_file", "write_file", "edit_file", "bash", "read_files", "ReadFile2", "grep"];
    let snapshot = registry.register_all(all.map(|name| tool(name, object()))).unwrap();
    assert_eq!(snapshot.nearest("reed_file")[0], "read_file");
    assert_eq!(snapshot.nearest("readFile")[0], "read_file");
    assert!(snapshot.nearest("read_file_").len() <= 3);
    assert_eq!(snapshot.nearest("Bash"), ["bash"]);
    assert!(snapshot.nearest("zzzzzz").is_empty());
    assert!(snapshot.nearest("").is_empty());
    assert!(snapshot.nearest(&"read_file".repeat(10_000)).is_empty());
}

#[test]
fn the_record_gives_back_what_was_put_in() {
    let annotations = Annotations { read_only: true, ..Annotations::default() };
    let spec = tool("t", json!({"type": "object", "properties": {"path": {}, "ms": {}}}))
        .effects(|arguments| Effects::reads_named(arguments["path"].to_string()))
        .timeout_from(|a| std::time::Duration::from_millis(a["ms"].as_u64().unwrap_or(7)))
        .subject("path")
        .max_output_bytes(None)
        .annotations(annotations);
    let snapshot = Registry::new().register(spec).unwrap();
    let tool = snapshot.get("t").unwrap();
    assert_eq!(tool.effects(&json!({"path": 1})), Effects::reads_named("1"));
    assert_eq!(tool.timeout(&json!({"ms": 9})).as_millis(), 9);
    assert_eq!(tool.subject(&json!({"path": "a b"})).as_deref(), Some("a b"));
    assert_eq!(tool.subject(&json!({"path": [1]})).as_deref(), Some("[1]"));
    assert_eq!(tool.subject(&json!({})), None);
    assert_eq!(tool.annotations(), annotations);
    let Policy { max_output_bytes, .. } = tool.policy();
    assert_eq!(*max_output_bytes, None);
    let plain = Registry::new().register(support::tool("t", object())).unwrap();
    assert_eq!(plain.get("t").unwrap().effects(&json!({})), Effects::everything());
}

/// Where to greet.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Place {
    /// The city, in its own language.
    city: String,
    /// How often.
    #[serde(default)]
    times: Option<u8>,
    #[serde(default)]
    style: Style,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Style {
    #[default]
    Plain,
    Loud,
}

/// Arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Greeting {
    /// Who is greeted.
    who: String,
    places: Vec<Place>,
}

fn greet() -> ToolSpec {
    ToolSpec::typed("greet", "Greets someone.", |greeting: Greeting, _| async move {
        if greeting.who.is_empty() {
            return Err(ToolError::invalid("/who", "nobody is there"));
        }
        let Place { city, times, style } = &greeting.places[0];
        let mark = if matches!(style, Style::Loud) { "!" } else { "." };
        let times = usize::from(times.unwrap_or(1));
        Ok(ToolOutput::text(format!("{} in {city}{mark}", greeting.who).repeat(times)))
    })
}

#[test]
fn the_schema_of_a_typed_tool_is_its_struct() {
    let snapshot = Registry::new().register(greet()).unwrap();
    let schema = snapshot.get("greet").unwrap().schema().as_value().clone();
    assert_eq!(
        schema,
        json!({
            "description": "Arguments.",
            "type": "object",
            "properties": {
                "who": {"description": "Who is greeted.", "type": "string"},
                "places": {"type": "array", "items": {
                    "description": "Where to greet.",
                    "type": "object",
                    "properties": {
                        "city": {"description": "The city, in its own language.", "type": "string"},
                        "times": {"description": "How often.", "type": ["integer", "null"],
                                  "format": "uint8", "minimum": 0, "maximum": 255, "default": null},
                        "style": {"type": "string", "enum": ["plain", "loud"]},
                    },
                    "additionalProperties": false,
                    "required": ["city"],
                }},
            },
            "additionalProperties": false,
            "required": ["who", "places"],
        })
    );
}

#[test]
fn a_typed_tool_runs_on_its_struct() {
    let snapshot = Registry::new().register(greet()).unwrap();
    let tool = snapshot.get("greet").unwrap();
    let call = |arguments: Value| {
        assert!(tool.schema().is_valid(&arguments), "{arguments}");
        now(tool.handler().call(Invocation::new(arguments, Quiet)))
    };
    let output = call(json!({"who": "Ada", "places": [{"city": "Brno", "times": null}]})).unwrap();
    assert_eq!(output, ToolOutput::text("Ada in Brno."));
    let loud = json!({"who": "Ada", "places": [{"city": "Brno", "times": 2, "style": "loud"}]});
    assert_eq!(call(loud).unwrap(), ToolOutput::text("Ada in Brno!Ada in Brno!"));
    let error = call(json!({"who": "", "places": [{"city": "Brno"}]})).unwrap_err();
    assert_eq!(error.to_string(), "nobody is there");
}

/// A number that serde reads more strictly than the schema says.
#[derive(Debug, Deserialize, JsonSchema)]
struct Stricter {
    list: Vec<Wrapped>,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Wrapped {
    #[schemars(with = "String")]
    #[serde(rename = "a/b")]
    #[expect(dead_code, reason = "only read")]
    address: std::net::Ipv4Addr,
}

#[test]
fn what_the_schema_passes_and_serde_refuses_is_told_with_its_pointer() {
    let spec = ToolSpec::typed("t", "does it", |stricter: Stricter, _| async move {
        Ok(ToolOutput::text(stricter.list.len().to_string()))
    });
    let snapshot = Registry::new().register(spec).unwrap();
    let tool = snapshot.get("t").unwrap();
    let arguments = json!({"list": [{"a/b": "10.0.0.1"}, {"a/b": "nowhere"}]});
    assert!(tool.schema().is_valid(&arguments));
    let error = now(tool.handler().call(Invocation::new(arguments, Quiet))).unwrap_err();
    let ToolError::InvalidArguments { pointer, message } = error else { panic!("{error}") };
    assert_eq!(pointer, "/list/1/a~1b");
    assert!(message.contains("IPv4"), "{message}");
}

/// A struct that holds itself.
#[derive(Debug, Deserialize, JsonSchema)]
struct Tree {
    #[expect(dead_code, reason = "only read")]
    name: String,
    #[serde(default)]
    children: Vec<Self>,
}

#[test]
fn a_struct_that_holds_itself_can_be_arguments() {
    let spec = ToolSpec::typed("t", "does it", |tree: Tree, _| async move {
        Ok(ToolOutput::text(tree.children.len().to_string()))
    });
    let snapshot = Registry::new().register(spec).unwrap();
    let schema = snapshot.get("t").unwrap().schema();
    assert!(schema.is_valid(&json!({"name": "a", "children": [{"name": "b"}]})));
    assert_eq!(schema.faults(&json!({"name": "a", "children": [{}]}))[0].pointer, "/children/0");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn nothing_that_is_offered_panics_and_what_is_refused_leaves_no_trace(
        name in ".{0,70}", description in ".{0,10}", schema in any_json()
    ) {
        let registry = Registry::new();
        let spec = ToolSpec::raw(name.clone(), description, schema, support::Echo);
        match registry.register(spec) {
            Ok(snapshot) => prop_assert!(snapshot.get(&name).is_some()),
            Err(error) => {
                prop_assert!(!error.faults().is_empty());
                prop_assert!(registry.snapshot().is_empty());
            }
        }
    }

    #[test]
    fn faults_are_empty_exactly_for_valid_arguments(arguments in any_json()) {
        let snapshot = Registry::new().register(greet()).unwrap();
        let schema = snapshot.get("greet").unwrap().schema();
        prop_assert_eq!(schema.is_valid(&arguments), schema.faults(&arguments).is_empty());
        for fault in schema.faults(&arguments) {
            prop_assert!(arguments.pointer(&fault.pointer).is_some(), "{:?}", fault);
        }
    }
}

/// JSON in which the words of schemas and of the arguments are frequent.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        Just("type"),
        Just("object"),
        Just("properties"),
        Just("$ref"),
        Just("#"),
        Just("allOf"),
        Just("required"),
        Just("$defs"),
        Just("pattern"),
        Just("who"),
        Just("places"),
        Just("city"),
        Just("items"),
        Just("~/"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
        ".{0,5}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6).prop_map(|members| {
                members
                    .into_iter()
                    .map(|(k, v)| (k.to_owned(), v))
                    .collect::<serde_json::Map<_, _>>()
                    .into()
            }),
        ]
    })
}
