//! What a call costs beside its handler.

#![allow(
    missing_docs,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a bench may fail by panicking, and its macro writes functions"
)]

use std::{hint::black_box, sync::Arc};

use callgate_dispatch::{Call, Dispatcher};
use callgate_registry::{
    BoxFuture, Effects, Handler, Invocation, Registry, ToolError, ToolOutput, ToolSpec,
};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::json;
use tokio::runtime::{Builder, Runtime};

struct NoOp;

impl Handler for NoOp {
    fn call(&self, _: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(std::future::ready(Ok(ToolOutput::default())))
    }
}

fn dispatcher() -> Dispatcher {
    let schema = json!({
        "type": "object",
        "properties": {"path": {"type": "string"}, "limit": {"type": "integer", "minimum": 1}},
        "required": ["path"],
        "additionalProperties": false,
    });
    let read = ToolSpec::raw("read", "Does nothing.", schema.clone(), NoOp)
        .effects(|arguments| Effects::reads_path(arguments["path"].as_str().unwrap_or_default()));
    let write = ToolSpec::raw("write", "Does nothing.", schema, NoOp)
        .effects(|arguments| Effects::writes_path(arguments["path"].as_str().unwrap_or_default()));
    let registry = Registry::new();
    registry.register_all([read, write]).expect("two good tools");
    Dispatcher::new(Arc::new(registry))
}

fn calls(count: usize, name: &str, path: impl Fn(usize) -> String) -> Vec<Call> {
    let call = |n: usize| Call::new(n.to_string(), name, json!({"path": path(n), "limit": 3}));
    (0..count).map(call).collect()
}

fn measure(criterion: &mut Criterion, runtime: &Runtime, threads: &str) {
    let dispatcher = dispatcher();
    let distinct = |n: usize| format!("/work/src/{}/{n}.rs", n % 100);
    for (name, batch) in [
        ("one_call", calls(1, "read", distinct)),
        ("10000_readers", calls(10_000, "read", distinct)),
        ("1000_writers_of_their_own_files", calls(1_000, "write", distinct)),
        ("1000_writers_of_one_file", calls(1_000, "write", |_| "/work/f".to_owned())),
    ] {
        criterion.bench_function(&format!("{name}/{threads}"), |bencher| {
            bencher.to_async(runtime).iter_batched(
                || batch.clone(),
                |calls| async { black_box(dispatcher.dispatch_batch(calls).await) },
                BatchSize::LargeInput,
            );
        });
    }
}

fn benches(criterion: &mut Criterion) {
    let one = Builder::new_current_thread().enable_all().build().expect("a runtime");
    measure(criterion, &one, "one_thread");
    let many = Builder::new_multi_thread().enable_all().build().expect("a runtime");
    measure(criterion, &many, "threads");
}

criterion_group! {
    name = all;
    config = Criterion::default().sample_size(20);
    targets = benches
}
criterion_main!(all);
