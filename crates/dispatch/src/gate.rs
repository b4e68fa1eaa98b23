//! The seams to whoever decides and to whoever keeps: permission and output bounds.

use std::{fmt, sync::Arc};

use callgate_registry::{BoxFuture, Effects, Tool, ToolOutput};
use serde_json::Value;

/// A valid call that asks whether it may run.
#[derive(Clone)]
#[non_exhaustive]
pub struct PermitRequest {
    /// The tool.
    pub tool: Arc<Tool>,
    /// The id of the call.
    pub call_id: String,
    /// The arguments as they will run.
    pub arguments: Value,
    /// What the call touches.
    pub effects: Effects,
    /// Tells the event stream that a person is being asked, and why.
    pub asking: Arc<dyn Fn(String) + Send + Sync>,
}

impl fmt::Debug for PermitRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PermitRequest")
            .field("tool", &self.tool.name())
            .field("call_id", &self.call_id)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

/// What a gate decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The call may run.
    Allow {
        /// The rule or the answer that allowed it.
        reason: String,
    },
    /// The call may not run.
    Deny {
        /// What the model is told: the rule or the answer, and what would have allowed it.
        reason: String,
    },
}

/// Decides whether a valid call may run.
///
/// Asked once for each valid call, as soon as its turn to be planned has come and while others run.
/// A cancelled batch drops the pending question.
pub trait Gate: Send + Sync + 'static {
    /// Decides; may wait for a person.
    fn permit(&self, request: PermitRequest) -> BoxFuture<'_, Verdict>;
}

/// The gate that is always open.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Gate for AllowAll {
    fn permit(&self, _: PermitRequest) -> BoxFuture<'_, Verdict> {
        Box::pin(std::future::ready(Verdict::Allow { reason: "every call is allowed".to_owned() }))
    }
}

/// Keeps what is too long to be returned, and returns what stands for it.
pub trait OutputBound: Send + Sync + 'static {
    /// Called for an output of more than `max_bytes` of text.
    fn bound(
        &self,
        call_id: String,
        output: ToolOutput,
        max_bytes: usize,
    ) -> BoxFuture<'_, ToolOutput>;
}
