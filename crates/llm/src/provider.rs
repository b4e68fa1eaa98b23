//! The seam between the conversation and whoever answers it.

use std::pin::Pin;

use futures_util::Stream;
use serde_json::Value;

use crate::{delta::Delta, error::LlmError, message::Message};

/// A stream of deltas. It ends after [`Delta::Stopped`] or after an error; dropping it cancels the
/// request.
pub type DeltaStream = Pin<Box<dyn Stream<Item = Result<Delta, LlmError>> + Send>>;

/// The wire form in which a provider wants tools described.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ToolFormat {
    /// Anthropic Messages: `name`, `description`, `input_schema`.
    Anthropic,
    /// `OpenAI` Chat Completions: `{"type": "function", "function": {…}}`.
    OpenAiChat,
}

/// One request for one answer.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Instructions that stand before the conversation.
    pub system: String,
    /// The conversation so far, ending with a message of the person or results of tools.
    pub messages: Vec<Message>,
    /// Tool definitions, already in the provider's [`ToolFormat`].
    pub tools: Vec<Value>,
    /// The most tokens that the answer may have; the provider's default if not set.
    pub max_tokens: Option<u32>,
}

/// Whoever answers a conversation.
///
/// Implementations retry by themselves what can be retried, and say so with [`Delta::Retrying`].
pub trait Provider: Send + Sync + 'static {
    /// A short name, such as `anthropic`.
    fn name(&self) -> &str;

    /// The model that is asked.
    fn model(&self) -> &str;

    /// The form in which it wants tools described.
    fn tool_format(&self) -> ToolFormat;

    /// Asks. The stream does nothing until it is polled.
    fn stream(&self, request: Request) -> DeltaStream;
}
