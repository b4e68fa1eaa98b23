//! What the tests share.
#![allow(dead_code, reason = "each test uses its part")]

use std::{
    pin::pin,
    task::{Context, Poll, Waker},
    time::Instant,
};

use callgate_registry::{
    BoxFuture, CallContext, Handler, Invocation, OutputChunk, Stop, ToolError, ToolOutput, ToolSpec,
};
use serde_json::Value;

/// A handler that answers with its arguments.
pub(crate) struct Echo;

impl Handler for Echo {
    fn call(&self, invocation: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>> {
        Box::pin(async move { Ok(ToolOutput::text(invocation.arguments.to_string())) })
    }
}

pub(crate) fn tool(name: &str, schema: Value) -> ToolSpec {
    ToolSpec::raw(name, format!("what {name} does"), schema, Echo)
}

/// A caller that never stops anything and listens to nothing.
#[derive(Debug)]
pub(crate) struct Quiet;

impl CallContext for Quiet {
    fn call_id(&self) -> &'static str {
        "c1"
    }

    fn stopped(&self) -> BoxFuture<'static, Stop> {
        Box::pin(std::future::pending())
    }

    fn stop(&self) -> Option<Stop> {
        None
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn progress(&self, _: OutputChunk) {}
}

/// Runs a future that never has to wait.
pub(crate) fn now<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => panic!("the future waits"),
    }
}
