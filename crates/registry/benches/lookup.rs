//! How long a call waits at the ledger: finding its tool among 10,000, and checking small arguments.
#![allow(missing_docs, clippy::expect_used, reason = "a benchmark; criterion writes its functions")]

use std::{hint::black_box, sync::Arc};

use callgate_registry::{
    BoxFuture, Handler, Invocation, Registry, Schema, Snapshot, ToolError, ToolOutput, ToolSpec,
};
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};

struct Silent;

impl Handler for Silent {
    fn call(&self, _: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(std::future::ready(Ok(ToolOutput::default())))
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1},
            "limit": {"type": "integer", "minimum": 1},
        },
        "required": ["path"],
        "additionalProperties": false,
    })
}

fn ten_thousand() -> (Registry, Arc<Snapshot>) {
    let registry = Registry::new();
    let snapshot = registry
        .register_all((0..10_000).map(|index| {
            let name = match index % 100 {
                0 => format!("server.dotted.tool_number_{index}"),
                _ => format!("mcp__server__tool_number_{index}"),
            };
            ToolSpec::raw(name, "does something", schema(), Silent)
        }))
        .expect("good tools");
    (registry, snapshot)
}

fn lookup(criterion: &mut Criterion) {
    let (registry, snapshot) = ten_thousand();
    criterion.bench_function("lookup/by name in 10,000", |bench| {
        bench.iter(|| snapshot.get(black_box("mcp__server__tool_number_7777")).is_some());
    });
    criterion.bench_function("lookup/by wire name in 10,000", |bench| {
        bench.iter(|| snapshot.get(black_box("server_dotted_tool_number_7700")).is_some());
    });
    criterion.bench_function("lookup/unknown in 10,000", |bench| {
        bench.iter(|| snapshot.get(black_box("mcp__server__tool_number_x")).is_some());
    });
    criterion.bench_function("lookup/take a snapshot", |bench| bench.iter(|| registry.snapshot()));
    criterion.bench_function("lookup/nearest of 10,000", |bench| {
        bench.iter(|| snapshot.nearest(black_box("mcp__server__tool_nunber_7777")));
    });
}

fn validation(criterion: &mut Criterion) {
    let schema = Schema::compile(schema()).expect("a good schema");
    let good = json!({"path": "src/lib.rs", "offset": 1, "limit": 200});
    let bad = json!({"file_path": "src/lib.rs", "limit": "200"});
    criterion.bench_function("validation/small, valid", |bench| {
        bench.iter(|| schema.is_valid(black_box(&good)));
    });
    criterion.bench_function("validation/small, three faults named", |bench| {
        bench.iter(|| schema.faults(black_box(&bad)));
    });
}

criterion_group!(benches, lookup, validation);
criterion_main!(benches);
