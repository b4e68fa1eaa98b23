//! What a schema must be, beyond being valid JSON Schema, to describe a tool's arguments.

use std::collections::HashSet;

use jsonschema::{PatternCache, PatternOptions, Regex};
use serde_json::Value;

use super::{
    fault::SchemaFault,
    graph::Graph,
    limits::{MAX_PATTERN_BYTES, MAX_PATTERNS},
};
use crate::{pointer, text};

/// Arguments are an object, on every wire format, and every format wants that said at the top.
pub(super) fn describes_object(schema: &Value) -> Option<SchemaFault> {
    const MEND: &str =
        "write `\"type\": \"object\"` at the top, and the arguments under `properties`";
    match schema {
        Value::Object(members) => match members.get("type") {
            Some(Value::String(name)) if name == "object" => None,
            Some(other) => Some(SchemaFault::new(
                "/type",
                format!("the arguments of a tool are an object, not {}", text::shown(other)),
                MEND,
            )),
            None => Some(SchemaFault::new(
                "",
                "the schema does not say that the arguments are an object",
                MEND,
            )),
        },
        other => Some(SchemaFault::new(
            "",
            format!("the schema is {}, and does not describe an object", text::shown(other)),
            MEND,
        )),
    }
}

/// Names that are required but described nowhere can only be a slip: at the top always, and below
/// where no other properties are allowed, which no value can satisfy.
pub(super) fn required_are_described(graph: &Graph<'_>, faults: &mut Vec<SchemaFault>) {
    for (index, node) in graph.nodes.iter().enumerate() {
        let Some(Value::Array(required)) = node.value.get("required") else {
            continue;
        };
        let closed = node.value.get("additionalProperties") == Some(&Value::Bool(false));
        let known = match (index, closed) {
            (_, true) => described(graph, index, false),
            (0, false) => described(graph, index, true),
            (_, false) => continue,
        };
        let Some(known) = known else { continue };
        for (position, name) in required.iter().enumerate() {
            let Some(name) = name.as_str().filter(|name| !known.contains(name)) else {
                continue;
            };
            let mut at = pointer::join(&graph.pointer(index), "required");
            pointer::push(&mut at, &position.to_string());
            let near = crate::nearest::nearest(name, known.iter().copied(), 1);
            let mend = near.first().map_or_else(
                || "describe it under `properties`, or do not require it".to_owned(),
                |near| {
                    format!("describe it under `properties`; or is {} meant?", text::quoted(near))
                },
            );
            faults.push(SchemaFault::new(
                at,
                format!("{} is required but not in `properties`", text::quoted(name)),
                mend,
            ));
        }
    }
}

/// The names of the properties that a subschema describes, with those of its alternatives and
/// references if asked; `None` where patterns describe more.
fn described<'s>(graph: &Graph<'s>, start: usize, with_same: bool) -> Option<HashSet<&'s str>> {
    let mut names = HashSet::new();
    let mut seen = HashSet::from([start]);
    let mut left = vec![start];
    while let Some(node) = left.pop().and_then(|index| graph.nodes.get(index)) {
        if node.value.get("patternProperties").is_some() {
            return None;
        }
        names.extend(node.named.iter().map(|(name, _)| *name));
        if with_same {
            left.extend(node.same.iter().copied().filter(|index| seen.insert(*index)));
        }
    }
    Some(names)
}

/// Compiles each regular expression by itself, so that each bad one is named.
pub(super) fn patterns_compile(
    graph: &Graph<'_>,
    cache: &PatternCache,
    faults: &mut Vec<SchemaFault>,
) {
    let mut seen = HashSet::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        let own = node.value.get("pattern").and_then(Value::as_str).map(|p| ("pattern", None, p));
        let of_names = node.value.get("patternProperties").and_then(Value::as_object);
        let of_names = of_names
            .into_iter()
            .flat_map(|members| members.keys())
            .map(|p| ("patternProperties", Some(p), p.as_str()));
        for (keyword, step, pattern) in own.into_iter().chain(of_names) {
            if !seen.insert(pattern) || seen.len() > MAX_PATTERNS {
                continue;
            }
            if let Some(problem) = pattern_problem(pattern, cache) {
                let mut at = pointer::join(&graph.pointer(index), keyword);
                if let Some(step) = step {
                    pointer::push(&mut at, step);
                }
                faults.push(SchemaFault::new(
                    at,
                    format!("the pattern {} {problem}", text::quoted(pattern)),
                    "write it without look-around and back-references, and with small repetitions",
                ));
            }
        }
    }
    if seen.len() > MAX_PATTERNS {
        faults.push(SchemaFault::new(
            "",
            format!("the schema has more than {MAX_PATTERNS} different patterns"),
            "use fewer patterns",
        ));
    }
}

/// The engine whose time is linear in the text, whatever the pattern, and whose memory is bounded.
pub(super) fn engine() -> PatternOptions<Regex> {
    PatternOptions::regex().size_limit(MAX_PATTERN_BYTES)
}

fn pattern_problem(pattern: &str, cache: &PatternCache) -> Option<&'static str> {
    let alone = serde_json::json!({ "pattern": pattern });
    let built = jsonschema::options()
        .offline()
        .with_pattern_options(engine())
        .with_pattern_cache(cache.clone())
        .build(&alone);
    if built.is_ok() {
        None
    } else if ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|mark| pattern.contains(mark)) {
        Some("looks ahead or behind, which takes more than linear time")
    } else {
        Some("is no regular expression that runs in linear time and 1 MiB")
    }
}
