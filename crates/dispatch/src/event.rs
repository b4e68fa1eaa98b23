//! What happens to the calls of a batch, as it happens.

use callgate_registry::{OutputChunk, Spill};
use serde_json::Value;

use crate::result::ToolResult;

/// The place of a call in its batch; what events name calls by, since ids may repeat.
pub type CallIndex = usize;

/// One thing that happened to one call.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CallEvent {
    /// It was admitted. A call that is unknown or invalid is queued too, and finished next.
    Queued {
        /// The arguments as they will run (after repair), or as they came if they are invalid.
        arguments: Value,
        /// What its permission rules are matched against, such as the command or the path.
        subject: Option<String>,
        /// Whether it only reads, by its declared effects.
        read_only: bool,
    },
    /// It can't start before these earlier calls end. An empty list: it waits for a free slot.
    Waiting {
        /// The calls it waits for.
        on: Vec<CallIndex>,
    },
    /// A person is asked whether it may run.
    AwaitingApproval {
        /// Why it is asked.
        reason: String,
    },
    /// The permission was decided.
    Decided {
        /// Whether it may run.
        allowed: bool,
        /// Which rule or answer decided.
        reason: String,
    },
    /// Its handler began.
    Started,
    /// It wrote output. Chunks may be missing; the result is whole.
    Output(OutputChunk),
    /// Its output went to a file.
    Spilled(Spill),
    /// It was asked to stop.
    Stopping,
    /// It ended, and this is its answer.
    Finished(Box<ToolResult>),
}

/// Where events go.
///
/// Called from the scheduler and from handlers, so it must return at once.
pub trait EventSink: Send + Sync {
    /// Takes one event of the call at `index`.
    fn emit(&self, index: CallIndex, event: CallEvent);
}

/// Drops every event.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoEvents;

impl EventSink for NoEvents {
    fn emit(&self, _: CallIndex, _: CallEvent) {}
}

impl<F: Fn(CallIndex, CallEvent) + Send + Sync> EventSink for F {
    fn emit(&self, index: CallIndex, event: CallEvent) {
        self(index, event);
    }
}
