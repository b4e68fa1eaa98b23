//! The one stream of events: what the screen draws, `stream-json` prints and the transcript keeps.

use std::path::PathBuf;

use callgate_dispatch::{SchedulePolicy, ToolResult};
use callgate_llm::{StopReason, Usage};
use callgate_registry::{OutputStream, Spill};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::permission::PermissionMode;

/// An event with its place in the session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// The session.
    pub session_id: String,
    /// The place in the session, from 0. A reader that is slow may miss `tool.output` events, and
    /// only these.
    pub seq: u64,
    /// Microseconds since the session started, on a clock that never runs backwards.
    pub at_us: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum Event {
    /// A session began, or was taken up again.
    #[serde(rename = "session.started")]
    SessionStarted {
        /// The provider's short name.
        provider: String,
        /// The model.
        model: String,
        /// The working directory.
        cwd: PathBuf,
        /// How permissions are decided.
        permission_mode: PermissionMode,
        /// How batches are ordered.
        policy: SchedulePolicy,
        /// The names on the ledger.
        tools: Vec<String>,
    },
    /// The person said something.
    #[serde(rename = "prompt")]
    Prompt {
        /// What was said.
        text: String,
    },
    /// The model is asked; a task takes as many turns as the model asks for tools, and one more.
    #[serde(rename = "turn.started")]
    TurnStarted {
        /// Counted from 1 over the session.
        turn: u32,
    },
    /// The model wrote text.
    #[serde(rename = "text.delta")]
    TextDelta {
        /// The text.
        text: String,
    },
    /// The model thought aloud.
    #[serde(rename = "thinking.delta")]
    ThinkingDelta {
        /// The text.
        text: String,
    },
    /// The answer of this turn broke off and is asked for again; its text so far is void.
    #[serde(rename = "turn.retrying")]
    TurnRetrying {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// Milliseconds until the next.
        wait_ms: u64,
        /// Why it failed.
        reason: String,
    },
    /// A call was admitted.
    #[serde(rename = "tool.queued")]
    ToolQueued {
        /// The call.
        tool_use_id: String,
        /// The batch, counted from 1 over the session.
        batch: u64,
        /// Its place in the batch, from 0.
        index: usize,
        /// How many calls the batch has.
        of: usize,
        /// The tool.
        name: String,
        /// The arguments.
        arguments: Value,
        /// What permission rules are matched against, such as the command or the path.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        subject: Option<String>,
        /// Whether it only reads.
        read_only: bool,
    },
    /// A call waits.
    #[serde(rename = "tool.waiting")]
    ToolWaiting {
        /// The call.
        tool_use_id: String,
        /// The calls that it waits for; none means that it waits for a free slot.
        on: Vec<String>,
    },
    /// A person is asked whether a call may run.
    #[serde(rename = "tool.awaiting_approval")]
    ToolAwaitingApproval {
        /// The call.
        tool_use_id: String,
        /// Why it is asked.
        reason: String,
    },
    /// The permission of a call was decided.
    #[serde(rename = "tool.decided")]
    ToolDecided {
        /// The call.
        tool_use_id: String,
        /// Whether it may run.
        allowed: bool,
        /// Which rule or answer decided.
        reason: String,
    },
    /// The handler of a call began.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// The call.
        tool_use_id: String,
    },
    /// A running call wrote output. Pieces may be missing; the result is whole.
    #[serde(rename = "tool.output")]
    ToolOutput {
        /// The call.
        tool_use_id: String,
        /// Where it was read from.
        stream: OutputStream,
        /// The text.
        text: String,
    },
    /// The output of a call went to a file.
    #[serde(rename = "tool.spilled")]
    ToolSpilled {
        /// The call.
        tool_use_id: String,
        /// Where it lies.
        spill: Spill,
    },
    /// A call was asked to stop.
    #[serde(rename = "tool.stopping")]
    ToolStopping {
        /// The call.
        tool_use_id: String,
    },
    /// A call ended.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// Its answer.
        #[serde(flatten)]
        result: Box<ToolResult>,
    },
    /// The model's answer is complete and every call of it is answered.
    #[serde(rename = "turn.finished")]
    TurnFinished {
        /// The turn.
        turn: u32,
        /// What it cost.
        usage: Usage,
        /// Why the model stopped.
        stop_reason: StopReason,
    },
    /// Something the person should know that ends nothing.
    #[serde(rename = "notice")]
    Notice {
        /// What.
        message: String,
    },
    /// Something that ended the task.
    #[serde(rename = "error")]
    Error {
        /// What, and what to do.
        message: String,
    },
    /// The task that the prompt set is done: the app is idle, a headless run is over.
    #[serde(rename = "session.finished")]
    SessionFinished {
        /// How it ended.
        outcome: Outcome,
        /// The final answer.
        text: String,
        /// Sums over the task.
        totals: Totals,
    },
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The model said its last word.
    Done,
    /// The task failed.
    Failed,
    /// The provider could not be reached or refused.
    ProviderFailed,
    /// A limit was reached.
    LimitReached,
    /// The person stopped it.
    Interrupted,
}

/// Sums over a task.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Totals {
    /// Answers of the model.
    pub turns: u32,
    /// Calls answered.
    pub calls: u64,
    /// Calls that failed.
    pub failed_calls: u64,
    /// Wall time in milliseconds.
    pub duration_ms: u64,
    /// Tokens.
    pub usage: Usage,
}
