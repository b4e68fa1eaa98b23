//! What runs: the handler of a tool, and what passes between it and its caller.

use std::{fmt, future::Future, pin::Pin, time::Instant};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::output::{ToolError, ToolOutput};

/// A boxed future, the form that lets handlers of different types stand in one ledger.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The function behind a tool.
///
/// A handler is called with arguments that already satisfy the tool's schema. It reports failure by
/// value; a panic is caught by dispatch, but costs the partial output. Dropping the future is the
/// last resort of a caller whose request to stop went unheard, so a handler must not rely on running
/// to its end.
pub trait Handler: Send + Sync + 'static {
    /// Runs one call.
    ///
    /// # Errors
    /// A [`ToolError`] says why the call failed and carries whatever output there was.
    fn call(&self, invocation: Invocation) -> BoxFuture<'_, Result<ToolOutput, ToolError>>;
}

/// One call as its handler sees it.
#[derive(Debug)]
#[non_exhaustive]
pub struct Invocation {
    /// The arguments, validated against the tool's schema.
    pub arguments: Value,
    /// The caller's side: identity, stop requests, live output.
    pub context: Box<dyn CallContext>,
}

impl Invocation {
    /// Joins validated arguments with the context of their call.
    pub fn new(arguments: Value, context: impl CallContext) -> Self {
        Self { arguments, context: Box::new(context) }
    }
}

/// What a running handler may ask of, and tell to, its caller.
///
/// A trait, so that the ledger needs no async runtime: dispatch implements it on tokio, a test with
/// three lines.
pub trait CallContext: Send + Sync + fmt::Debug + 'static {
    /// The id of the call, unique within its batch.
    fn call_id(&self) -> &str;

    /// Resolves once the handler is asked to stop; pending forever while it is not.
    ///
    /// After it resolved, the handler has the grace of its [`Policy`](crate::Policy) to return what
    /// it has; then its future is dropped.
    fn stopped(&self) -> BoxFuture<'static, Stop>;

    /// Why the handler was asked to stop, if it was.
    fn stop(&self) -> Option<Stop>;

    /// The moment at which the time limit will ask the handler to stop.
    fn deadline(&self) -> Option<Instant>;

    /// Reports output while the call still runs. Never blocks; a slow reader may miss chunks, so
    /// this is for showing, not for keeping.
    fn progress(&self, chunk: OutputChunk);
}

/// Why a running call was asked to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stop {
    /// Its time limit passed.
    Timeout,
    /// The person or the program cancelled it.
    Cancelled,
}

/// The stream that a chunk of live output was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputStream {
    /// Standard output, or the only output a tool has.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Output of a call that still runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputChunk {
    /// Where it was read from.
    pub stream: OutputStream,
    /// The text; bytes that are not UTF-8 are escaped.
    pub text: String,
}
