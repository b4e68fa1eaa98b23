//! Tools and listeners that the tests share.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::needless_pass_by_value,
    reason = "each test file uses its part"
)]

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use callgate_dispatch::{CallEvent, CallIndex, Dispatcher, EventSink, ToolResult};
use callgate_registry::{
    BoxFuture, Content, Effects, Handler, Invocation, Registry, ToolError, ToolOutput, ToolSpec,
};
use serde_json::{Value, json};

pub type Answer = Result<ToolOutput, ToolError>;

struct Run<F>(F);

impl<F> Handler for Run<F>
where
    F: Fn(Invocation) -> BoxFuture<'static, Answer> + Send + Sync + 'static,
{
    fn call(&self, invocation: Invocation) -> BoxFuture<'_, Answer> {
        (self.0)(invocation)
    }
}

/// A tool that takes any object and touches nothing.
pub fn tool<F, A>(name: &str, run: F) -> ToolSpec
where
    F: Fn(Invocation) -> A + Send + Sync + 'static,
    A: Future<Output = Answer> + Send + 'static,
{
    tool_with(name, json!({"type": "object"}), run)
}

/// A tool with this schema that touches nothing.
pub fn tool_with<F, A>(name: &str, schema: Value, run: F) -> ToolSpec
where
    F: Fn(Invocation) -> A + Send + Sync + 'static,
    A: Future<Output = Answer> + Send + 'static,
{
    let run = Run(move |invocation| -> BoxFuture<'static, Answer> { Box::pin(run(invocation)) });
    ToolSpec::raw(name, "A tool of a test.", schema, run).effects(|_| Effects::none())
}

/// Answers with its arguments.
pub fn echo(name: &str) -> ToolSpec {
    tool(name, |invocation| async move { Ok(ToolOutput::text(invocation.arguments.to_string())) })
}

/// The file reader of the contract, as far as its arguments go.
pub fn read_file() -> ToolSpec {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "offset": {"type": "integer", "minimum": 1},
            "limit": {"type": "integer", "minimum": 1},
        },
        "required": ["path"],
        "additionalProperties": false,
    });
    tool_with("read_file", schema, |invocation| async move {
        Ok(ToolOutput::text(invocation.arguments.to_string()))
    })
    .effects(|arguments| Effects::reads_path(arguments["path"].as_str().unwrap_or_default()))
    .subject("path")
}

pub fn dispatcher(tools: impl IntoIterator<Item = ToolSpec>) -> Dispatcher {
    let registry = Registry::new();
    registry.register_all(tools).unwrap();
    Dispatcher::new(Arc::new(registry))
}

/// The text of a result.
pub fn text(result: &ToolResult) -> String {
    result.described()
}

/// A result's content, to be compared as a whole.
pub fn texts<'a>(result: &'a ToolResult) -> Vec<&'a str> {
    let text = |block: &'a Content| match block {
        Content::Text { text } => text.as_str(),
        _ => "image",
    };
    result.content.iter().map(text).collect()
}

/// Keeps every event.
#[derive(Default)]
pub struct Recorder(Mutex<Vec<(CallIndex, CallEvent)>>);

impl Recorder {
    pub fn all(&self) -> Vec<(CallIndex, CallEvent)> {
        self.0.lock().unwrap().clone()
    }

    /// The events of one call in short words.
    pub fn names(&self, index: CallIndex) -> Vec<String> {
        let all = self.all();
        all.iter().filter(|(at, _)| *at == index).map(|(_, event)| short(event)).collect()
    }
}

impl EventSink for Recorder {
    fn emit(&self, index: CallIndex, event: CallEvent) {
        self.0.lock().unwrap().push((index, event));
    }
}

fn short(event: &CallEvent) -> String {
    match event {
        CallEvent::Queued { .. } => "queued".to_owned(),
        CallEvent::Waiting { on } => format!("waiting {on:?}"),
        CallEvent::AwaitingApproval { reason } => format!("asking: {reason}"),
        CallEvent::Decided { allowed, reason } => format!("decided {allowed}: {reason}"),
        CallEvent::Started => "started".to_owned(),
        CallEvent::Output(chunk) => format!("output {}", chunk.text),
        CallEvent::Spilled(spill) => format!("spilled {}", spill.id),
        CallEvent::Stopping => "stopping".to_owned(),
        CallEvent::Finished(result) => {
            format!("finished {}", result.error_code.map_or("ok", |code| code.as_str()))
        }
        other => format!("{other:?}"),
    }
}

/// Lets busy handlers go after a while, so that a test that is held by them fails and does not hang.
pub fn let_go_at_last(go_on: &Arc<AtomicBool>) {
    let go_on = Arc::clone(go_on);
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(5));
        go_on.store(false, Ordering::Relaxed);
    });
}
