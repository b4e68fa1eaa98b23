//! One conversation over several wire formats.

mod delta;
mod error;
mod message;
mod provider;

pub use delta::{Delta, StopReason};
pub use error::LlmError;
pub use message::{Block, Message, ResultPart, Role, Usage};
pub use provider::{DeltaStream, Provider, Request, ToolFormat};
