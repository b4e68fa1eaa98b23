//! One conversation over several wire formats.

mod accumulate;
pub mod anthropic;
mod delta;
mod error;
mod http;
mod message;
mod offline;
pub mod openai_chat;
mod options;
mod provider;
mod scripted;
pub mod sse;
mod wire;

pub use accumulate::{Accumulator, Answer};
pub use anthropic::Anthropic;
pub use delta::{Delta, StopReason};
pub use error::LlmError;
pub use message::{Block, Message, ResultPart, Role, Usage};
pub use offline::Offline;
pub use openai_chat::OpenAiChat;
pub use options::HttpOptions;
pub use provider::{DeltaStream, Provider, Request, ToolFormat};
pub use scripted::{Scripted, Turn};
