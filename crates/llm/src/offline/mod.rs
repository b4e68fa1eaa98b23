//! The offline model: a deterministic planner that takes the place of a language model.
//!
//! It works out each turn anew from the conversation alone, so it has no state and the same
//! conversation always gets the same answer. A request in plain words becomes stages of calls; the
//! calls of one stage go out in one turn; a failed call whose error says what was meant is tried
//! once more; at the end it tells what came of each call, failures included.

mod clause;
mod doubt;
mod lex;
mod phrase;
mod plan;
mod rounds;
mod step;
mod summary;
mod tour;
mod verb;

use std::hash::{DefaultHasher, Hash, Hasher};

use futures_util::stream;

use self::plan::Turn;
use crate::{
    delta::{Delta, StopReason},
    error::LlmError,
    message::Block,
    provider::{DeltaStream, Provider, Request, ToolFormat},
};

/// How many characters of arguments come in one delta.
const ARGUMENT_PIECE: usize = 24;

/// The model that answers when there is neither a key nor a server.
///
/// See the [crate's documentation](crate) for an example.
#[derive(Debug, Clone, Copy, Default)]
pub struct Offline;

impl Offline {
    /// The offline model. It needs nothing.
    pub const fn new() -> Self {
        Self
    }
}

impl Provider for Offline {
    fn name(&self) -> &'static str {
        "offline"
    }

    fn model(&self) -> &'static str {
        "offline"
    }

    fn tool_format(&self) -> ToolFormat {
        ToolFormat::Anthropic
    }

    fn stream(&self, request: Request) -> DeltaStream {
        // Nothing is worked out before the stream is polled.
        let deltas = stream::once(async move { stream::iter(deltas(&request)) });
        Box::pin(futures_util::StreamExt::flatten(deltas))
    }
}

fn deltas(request: &Request) -> Vec<Result<Delta, LlmError>> {
    let Turn { text, calls } = plan::next_turn(request);
    let mut deltas = vec![Delta::Started { model: "offline".to_owned() }];
    let mut index = 0;
    if !text.is_empty() {
        let piece = |word: &str| Delta::Text { index, text: word.to_owned() };
        deltas.extend(text.split_inclusive(' ').map(piece));
        deltas.push(Delta::BlockEnd { index });
        index += 1;
    }
    let stop = if calls.is_empty() { StopReason::EndTurn } else { StopReason::ToolUse };
    let conversation = fingerprint(request);
    for (name, arguments) in calls {
        let id = format!("offline_{conversation:016x}_{index}");
        deltas.push(Delta::ToolUse { index, id, name });
        let characters: Vec<char> = arguments.chars().collect();
        for piece in characters.chunks(ARGUMENT_PIECE) {
            deltas.push(Delta::Arguments { index, text: piece.iter().collect() });
        }
        deltas.push(Delta::BlockEnd { index });
        index += 1;
    }
    deltas.push(Delta::Stopped(stop));
    deltas.into_iter().map(Ok).collect()
}

/// A number that differs between the turns of a session, so that no two calls share an id.
fn fingerprint(request: &Request) -> u64 {
    let mut hasher = DefaultHasher::new();
    request.messages.len().hash(&mut hasher);
    for block in request.messages.iter().flat_map(|message| &message.content) {
        match block {
            Block::Text { text } => text.hash(&mut hasher),
            Block::ToolUse { id, .. } | Block::ToolResult { tool_use_id: id, .. } => {
                id.hash(&mut hasher);
            }
            _ => {}
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
