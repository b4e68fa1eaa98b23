//! One streamed, provider-neutral conversation over several wire formats.
//!
//! Whoever drives a language model meets the same troubles with each provider: streams that break
//! off in the middle of a word, limits that ask for patience, tool arguments that arrive as
//! splinters of JSON, and servers that follow the standard only in part. This crate deals with them
//! once. On its one side is a conversation ([`Message`], [`Block`]) and a stream of [`Delta`]s; on
//! its other side are wire formats, which the caller never sees.
//!
//! # The parts
//!
//! - A [`Provider`] answers a [`Request`] with a stream of deltas: [`Anthropic`] and [`OpenAiChat`]
//!   over HTTP, [`Offline`] without a network, [`Scripted`] for tests.
//! - An [`Accumulator`] puts deltas together to an [`Answer`].
//! - [`sse`], [`anthropic`] and [`openai_chat`] hold the pure halves of the HTTP providers: bytes to
//!   events, a conversation to a request, events to deltas. They do no input or output, so they are
//!   tested, and can be used, without a server.
//!
//! # What it promises
//!
//! - **Nothing is believed by halves.** An answer is whole when its provider said why it stopped,
//!   and only then. What was cut is asked for again from the start; [`Delta::Retrying`] says that
//!   all that came before is void. A request to run a tool counts only in a whole answer.
//! - **Patience has bounds.** What may succeed later is tried again, after a growing wait or the one
//!   that the provider asks for. The number of attempts, the longest wait, and the longest silence
//!   are options ([`HttpOptions`]); what lies beyond them is an [`LlmError`] that says so. A long
//!   answer is no error: there is no total time.
//! - **The key goes to one place.** It is in the header of requests to the one address that was
//!   named: redirects are not followed. It is in no error, also not where a provider repeats it.
//! - **Oddities of servers are forgiven where the meaning is plain**: missing ids and indexes, blocks
//!   that are never closed, a tool request in an answer that ends as if it were over, a missing end
//!   mark, a whole answer where a stream was asked for.
//!
//! It refuses to turn off the check of certificates, to run tools, and to mend their arguments: the
//! text of arguments is handed on as it came, and whoever runs tools must check it.
//!
//! # Example
//!
//! The offline model needs no key and no network, and streams like any other:
//!
//! ```
//! use callgate_llm::{Accumulator, Block, LlmError, Message, Offline, Provider, Request, StopReason};
//! use futures_util::StreamExt;
//! use serde_json::json;
//!
//! # let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
//! # runtime.block_on(async {
//! let model = Offline::new();
//! let request = Request {
//!     messages: vec![Message::user("read a.txt and b.txt")],
//!     tools: vec![json!({"name": "read_file", "input_schema": {"type": "object"}})],
//!     ..Request::default()
//! };
//!
//! let mut answer = Accumulator::new();
//! let mut deltas = model.stream(request);
//! while let Some(delta) = deltas.next().await {
//!     answer.push(&delta?);
//! }
//!
//! let answer = answer.finish();
//! assert_eq!(answer.stop, StopReason::ToolUse);
//! let calls = answer.message.content.iter().filter(|block| matches!(block, Block::ToolUse { .. }));
//! assert_eq!(calls.count(), 2);
//! # Ok::<(), LlmError>(())
//! # }).unwrap();
//! ```

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
