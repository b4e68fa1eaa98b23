//! What a model says, piece by piece.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::message::Usage;

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StopReason {
    /// It had said what it had to say.
    EndTurn,
    /// It wants tools to run.
    ToolUse,
    /// It reached the limit of tokens; its last block may be cut off.
    MaxTokens,
    /// It met a stop sequence.
    StopSequence,
    /// It refused to answer.
    Refusal,
    /// The provider paused a long turn; sending the conversation again continues it.
    Pause,
    /// Something this version does not know, in the provider's word.
    Other(String),
}

/// One piece of a streamed answer.
///
/// Blocks are numbered by `index`; pieces of different blocks may interleave. A block is complete
/// when its [`Delta::BlockEnd`] came, and not before.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Delta {
    /// The answer begins.
    Started {
        /// The model that answers, in the provider's words.
        model: String,
    },
    /// Text of block `index`.
    Text {
        /// The block.
        index: usize,
        /// The text.
        text: String,
    },
    /// Thinking of block `index`.
    Thinking {
        /// The block.
        index: usize,
        /// The text.
        text: String,
    },
    /// The signature of thinking block `index`.
    Signature {
        /// The block.
        index: usize,
        /// The signature.
        signature: String,
    },
    /// A whole hidden thought.
    RedactedThinking {
        /// The block.
        index: usize,
        /// The opaque text.
        data: String,
    },
    /// Block `index` is a request to run a tool.
    ToolUse {
        /// The block.
        index: usize,
        /// The id that pairs it with its result.
        id: String,
        /// The name of the tool.
        name: String,
    },
    /// A piece of the arguments of tool block `index`.
    Arguments {
        /// The block.
        index: usize,
        /// JSON text.
        text: String,
    },
    /// Block `index` is complete.
    BlockEnd {
        /// The block.
        index: usize,
    },
    /// What the turn cost so far; a later one replaces an earlier one.
    Usage(Usage),
    /// The answer is complete.
    Stopped(StopReason),
    /// The attempt failed and will be tried again: everything of this answer so far is void.
    Retrying {
        /// The attempt that failed, from 1.
        attempt: u32,
        /// How long until the next.
        wait: Duration,
        /// Why it failed.
        reason: String,
    },
}
