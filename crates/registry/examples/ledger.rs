//! A ledger with one typed tool and one raw tool: what a model is shown, what a wrong call is told,
//! and what is refused.
//!
//! `cargo run -p callgate-registry --example ledger`
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use callgate_registry::{
    BoxFuture, Dialect, Handler, Invocation, Registry, ToolError, ToolOutput, ToolSpec,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// What to count.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Count {
    /// The text.
    text: String,
    /// What counts as one.
    unit: Unit,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Unit {
    Words,
    Lines,
}

fn count(Count { text, unit }: &Count) -> usize {
    match unit {
        Unit::Words => text.split_whitespace().count(),
        Unit::Lines => text.lines().count(),
    }
}

struct Relay;

impl Handler for Relay {
    fn call(&self, invocation: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move { Ok(ToolOutput::text(invocation.arguments.to_string())) })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = Registry::new();
    let from_a_server = json!({
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "anyOf": [{"properties": {"days": {"type": "integer"}}}],
    });
    let snapshot = registry.register_all([
        ToolSpec::typed("count", "Counts the words or lines of a text.", |args, _| async move {
            Ok(ToolOutput::text(count(&args).to_string()))
        }),
        ToolSpec::raw("weather.today", "Tells the weather of a city.", from_a_server, Relay),
    ])?;

    for dialect in Dialect::ALL {
        let projection = snapshot.project(dialect);
        println!("# {dialect}");
        for definition in &projection.tools {
            println!("{definition}");
        }
        for note in &projection.notes {
            println!("  note: {} {}: {}", note.tool, note.pointer, note.message);
        }
    }

    println!("\n# a wrong call");
    let tool = snapshot.get("count").ok_or("count is registered")?;
    for fault in tool.schema().faults(&json!({"txt": "one two", "unit": "word"})) {
        println!("{fault}");
    }
    println!("did you mean: {:?}", snapshot.nearest("cuont"));

    println!("\n# bad tools");
    let refused = registry.register_all([
        ToolSpec::raw("count", "A second one.", json!({"type": "object"}), Relay),
        ToolSpec::raw("loop", " ", json!({"$ref": "#"}), Relay),
    ]);
    if let Err(error) = refused {
        println!("{error}");
    }
    Ok(())
}
