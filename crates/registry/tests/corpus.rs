//! Real tools and real calls: who is right is accepted, who is wrong is told where and why.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a test that fails may panic, in its helpers too"
)]

mod support;

use callgate_registry::{Dialect, Registry};
use serde_json::Value;

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn entered(case: &Value) -> Registry {
    let tool = &case["tool"];
    let registry = Registry::new();
    let spec = callgate_registry::ToolSpec::raw(
        tool["name"].as_str().unwrap(),
        tool["description"].as_str().unwrap(),
        tool["input_schema"].clone(),
        support::Echo,
    );
    if let Err(error) = registry.register(spec) {
        panic!("{}: {error}", case["id"]);
    }
    registry
}

#[test]
fn every_valid_call_is_accepted() {
    let cases = lines(include_str!("fixtures/calls_valid.jsonl"));
    assert_eq!(cases.len(), 153);
    for case in cases {
        let snapshot = entered(&case).snapshot();
        let tool = snapshot.get(case["call"]["name"].as_str().unwrap()).unwrap();
        let faults = tool.schema().faults(&case["call"]["arguments"]);
        assert_eq!(faults, [], "{}", case["id"]);
    }
}

#[test]
fn every_invalid_call_is_refused_with_keyword_and_pointer() {
    let cases = lines(include_str!("fixtures/calls_invalid.jsonl"));
    assert_eq!(cases.len(), 67);
    for case in cases {
        let snapshot = entered(&case).snapshot();
        let tool = snapshot.get(case["call"]["name"].as_str().unwrap()).unwrap();
        let arguments = &case["call"]["arguments"];
        assert!(!tool.schema().is_valid(arguments), "{}", case["id"]);
        let pointer = match case["pointer"].as_str().unwrap() {
            "/" => "",
            pointer => pointer,
        };
        let faults = tool.schema().faults(arguments);
        assert!(
            faults.iter().any(|fault| fault.pointer == pointer && fault.keyword == case["keyword"]),
            "{}: {faults:#?}",
            case["id"]
        );
        for fault in faults {
            assert!(fault.message.chars().count() < 600, "{}: {}", case["id"], fault.message);
            assert!(!fault.expected.is_empty() && !fault.found.is_empty(), "{fault:?}");
        }
    }
}

#[test]
fn a_misspelt_property_is_named_as_the_one_that_was_meant() {
    let cases = lines(include_str!("fixtures/calls_invalid.jsonl"));
    let misspelt: Vec<_> = cases.iter().filter(|case| case["kind"] == "misspelt_key").collect();
    assert_eq!(misspelt.len(), 6);
    for case in misspelt {
        let snapshot = entered(case).snapshot();
        let tool = snapshot.get(case["call"]["name"].as_str().unwrap()).unwrap();
        let faults = tool.schema().faults(&case["call"]["arguments"]);
        let sent = case["call"]["arguments"].as_object().unwrap();
        let near = faults[0].nearest.as_ref().unwrap_or_else(|| panic!("{faults:?}"));
        assert!(sent.contains_key(near), "{}: {near}", case["id"]);
    }
}

#[test]
fn every_tool_has_one_definition_in_every_dialect() {
    for case in lines(include_str!("fixtures/calls_valid.jsonl")) {
        let snapshot = entered(&case).snapshot();
        for dialect in Dialect::ALL {
            let projection = snapshot.project(dialect);
            assert_eq!(projection.tools.len(), 1, "{} {dialect}", case["id"]);
        }
    }
}
