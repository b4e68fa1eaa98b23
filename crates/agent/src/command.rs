//! What the person tells the engine.

/// An order from the person.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Command {
    /// A prompt. While a task runs it is queued and set next.
    Submit(String),
    /// Stop the running task; every call of it is still answered.
    Interrupt,
    /// Stop one call.
    CancelCall {
        /// The call.
        tool_use_id: String,
    },
    /// The answer to a [`ToolAwaitingApproval`](crate::Event::ToolAwaitingApproval).
    Answer {
        /// The call.
        tool_use_id: String,
        /// What was decided.
        decision: Decision,
    },
    /// End the session.
    Shutdown,
}

/// What the person decided about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Decision {
    /// It may run, this once.
    Once,
    /// It and its like may run for the rest of the session.
    Session,
    /// It may not run; the note goes to the model.
    Deny {
        /// Why, or what to do instead; may be empty.
        note: String,
    },
}
