//! The chunks of an `OpenAI` Chat Completions stream as deltas.

use std::mem;

use serde_json::Value;

use super::tool_slots::ToolSlots;
use crate::{
    delta::{Delta, StopReason},
    error::LlmError,
    http::{WireState, refusal_in_stream},
    message::Usage,
    sse::Event,
};

/// The word for an answer that reached its limit of tokens.
const LIMIT: &str = "length";

/// What the open block of prose is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prose {
    Text,
    Thinking,
}

/// Why the answer stops.
#[derive(Debug)]
struct Reason {
    /// In the server's word.
    word: String,
    /// Whether pieces of calls came after it.
    before_calls: bool,
}

/// What one streamed answer has told so far.
///
/// Calls may interleave, and servers send pieces of them after the reason to stop. So none of them
/// ends before the answer does: with `[DONE]`, or with the stream.
#[derive(Debug, Default)]
pub struct StreamState {
    started: bool,
    prose: Option<(Prose, usize)>,
    tools: ToolSlots,
    blocks: usize,
    refused: bool,
    reason: Option<Reason>,
    stopped: bool,
}

impl StreamState {
    /// A state before the first chunk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event and gives what it tells; nothing once the answer has ended.
    ///
    /// # Errors
    ///
    /// [`LlmError::Malformed`] for data that is no JSON; what an error inside the stream stands for;
    /// [`LlmError::Incomplete`] for an end without a reason.
    pub fn push(&mut self, event: &Event) -> Result<Vec<Delta>, LlmError> {
        if self.stopped {
            return Ok(Vec::new());
        }
        if event.data.trim() == "[DONE]" {
            return self.end();
        }
        let chunk: Value = serde_json::from_str(&event.data).map_err(|error| {
            LlmError::Malformed { message: format!("a chunk is no JSON: {error}") }
        })?;
        self.chunk(&chunk, "delta", event.name == "error")
    }

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// [`LlmError::Incomplete`] if the answer is not whole.
    pub fn finish(&mut self) -> Result<Vec<Delta>, LlmError> {
        if self.stopped {
            return Ok(Vec::new());
        }
        // A server that tells of calls after the reason may have been cut off while it did. Half an
        // object shows that; no arguments at all would be taken for a call without any.
        if self.reason.as_ref().is_some_and(|reason| reason.before_calls) && self.tools.any_blank()
        {
            return Err(LlmError::Incomplete);
        }
        self.end()
    }

    fn chunk(&mut self, chunk: &Value, part: &str, is_error: bool) -> Result<Vec<Delta>, LlmError> {
        if is_error || chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(refusal_in_stream(chunk));
        }
        let mut out = Vec::new();
        if !mem::replace(&mut self.started, true) {
            let model = chunk["model"].as_str().unwrap_or_default().to_owned();
            out.push(Delta::Started { model });
        }
        let is_first = |choice: &&Value| choice["index"].as_u64().unwrap_or_default() == 0;
        if let Some(choice) = chunk["choices"].as_array().and_then(|all| all.iter().find(is_first))
        {
            if choice.get("error").is_some_and(|error| !error.is_null()) {
                return Err(refusal_in_stream(choice));
            }
            self.delta(&choice[part], &mut out);
            if let Some(reason) = choice["finish_reason"].as_str().filter(|word| !word.is_empty()) {
                self.reason(reason)?;
            }
        }
        out.extend(usage(&chunk["usage"]));
        Ok(out)
    }

    fn delta(&mut self, delta: &Value, out: &mut Vec<Delta>) {
        // One server's name for it or another's; gateways send both, with the same text.
        let thought = match &delta["reasoning_content"] {
            Value::Null => &delta["reasoning"],
            thought => thought,
        };
        self.prose(Prose::Thinking, &prose_text(thought), out);
        if let Value::Array(parts) = &delta["content"] {
            for part in parts {
                self.prose(Prose::Thinking, &prose_text(&part["thinking"]), out);
                self.prose(Prose::Text, &prose_text(&part["text"]), out);
            }
        } else {
            self.prose(Prose::Text, &prose_text(&delta["content"]), out);
        }
        let refusal = prose_text(&delta["refusal"]);
        self.refused |= !refusal.is_empty();
        self.prose(Prose::Text, &refusal, out);
        for piece in delta["tool_calls"].as_array().into_iter().flatten() {
            self.end_prose(out);
            if let Some(reason) = &mut self.reason {
                reason.before_calls = true;
            }
            self.tools.push(piece, &mut self.blocks, out);
        }
    }

    fn prose(&mut self, kind: Prose, text: &str, out: &mut Vec<Delta>) {
        if text.is_empty() {
            return;
        }
        let index = match self.prose {
            Some((open, index)) if open == kind => index,
            _ => {
                self.end_prose(out);
                let index = self.blocks;
                self.blocks += 1;
                self.prose = Some((kind, index));
                index
            }
        };
        let text = text.to_owned();
        out.push(match kind {
            Prose::Text => Delta::Text { index, text },
            Prose::Thinking => Delta::Thinking { index, text },
        });
    }

    fn end_prose(&mut self, out: &mut Vec<Delta>) {
        if let Some((_, index)) = self.prose.take() {
            out.push(Delta::BlockEnd { index });
        }
    }

    fn reason(&mut self, word: &str) -> Result<(), LlmError> {
        if word == "error" {
            let message = "the server ended its answer with an error".to_owned();
            return Err(LlmError::Unavailable { status: 500, message, retry_after: None });
        }
        let reason = self
            .reason
            .get_or_insert_with(|| Reason { word: word.to_owned(), before_calls: false });
        // The first counts, but what was cut off at a limit must never pass for whole.
        if word == LIMIT {
            LIMIT.clone_into(&mut reason.word);
        }
        Ok(())
    }

    /// Ends the answer and all its blocks.
    fn end(&mut self) -> Result<Vec<Delta>, LlmError> {
        let Some(Reason { word, .. }) = self.reason.take() else {
            return Err(LlmError::Incomplete);
        };
        self.stopped = true;
        let mut out = Vec::new();
        self.end_prose(&mut out);
        self.tools.end(word == LIMIT, &mut self.blocks, &mut out);
        out.push(Delta::Stopped(self.stop_reason(word)));
        Ok(out)
    }

    fn stop_reason(&self, word: String) -> StopReason {
        match word.as_str() {
            LIMIT => StopReason::MaxTokens,
            "content_filter" => StopReason::Refusal,
            "stop" | "tool_calls" | "function_call" if !self.tools.is_empty() => {
                StopReason::ToolUse
            }
            "stop" if self.refused => StopReason::Refusal,
            "stop" => StopReason::EndTurn,
            "tool_calls" | "function_call" => StopReason::ToolUse,
            _ => StopReason::Other(word),
        }
    }
}

impl WireState for StreamState {
    fn push(&mut self, event: &Event) -> Result<Vec<Delta>, LlmError> {
        self.push(event)
    }

    fn whole(&mut self, answer: Value) -> Result<Vec<Delta>, LlmError> {
        self.chunk(&answer, "message", false)
    }

    fn is_finished(&self) -> bool {
        self.stopped || self.reason.is_some()
    }

    fn finish(&mut self) -> Result<Vec<Delta>, LlmError> {
        self.finish()
    }
}

/// The text in a field that holds a string, or parts with text.
fn prose_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(|part| prose_text(&part["text"])).collect(),
        _ => String::new(),
    }
}

/// What the turn cost. `prompt_tokens` includes those from the cache.
fn usage(usage: &Value) -> Option<Delta> {
    usage.as_object()?;
    let count = |at: &str| usage.pointer(at).and_then(Value::as_u64).unwrap_or_default();
    let cached =
        count("/prompt_tokens_details/cached_tokens").max(count("/prompt_cache_hit_tokens"));
    Some(Delta::Usage(Usage {
        input_tokens: count("/prompt_tokens").saturating_sub(cached),
        output_tokens: count("/completion_tokens"),
        cache_read_tokens: cached,
        cache_write_tokens: 0,
    }))
}

#[cfg(test)]
mod tests;
