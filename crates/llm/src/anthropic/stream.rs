//! The events of an Anthropic Messages stream as deltas.

use std::{collections::HashMap, mem};

use serde_json::Value;

use crate::{
    delta::{Delta, StopReason},
    error::LlmError,
    http::{WireState, refusal_in_stream},
    message::Usage,
    sse::Event,
    wire::{self, CallIds},
};

/// A block that has begun.
#[derive(Debug)]
enum Open {
    /// Text or thinking, as block number `index` of the answer.
    Plain { index: usize },
    /// A request to run a tool. `given` are arguments that came whole with the start of the block.
    Tool { index: usize, given: Option<String> },
    /// A kind that means nothing here, such as a tool that the server runs by itself.
    Ignored,
}

/// What one streamed answer has told so far.
///
/// It forgives what real servers do: a second `message_start`, missing ids, a missing `input` or a
/// whole one at the start of a block, a missing stop of a block, unknown kinds of events and blocks.
#[derive(Debug, Default)]
pub struct StreamState {
    started: bool,
    open: HashMap<u64, Open>,
    blocks: usize,
    ids: CallIds,
    has_tools: bool,
    usage: Usage,
    /// Why the answer stops, in the server's word.
    reason: Option<String>,
    stopped: bool,
}

impl StreamState {
    /// A state before the first event.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next event and gives what it tells; nothing once the answer has ended.
    ///
    /// # Errors
    ///
    /// [`LlmError::Malformed`] for data that is no JSON, and arguments without a block; what an
    /// error event stands for.
    pub fn push(&mut self, event: &Event) -> Result<Vec<Delta>, LlmError> {
        if self.stopped || event.data.trim() == "[DONE]" {
            return Ok(Vec::new());
        }
        let mut data: Value = serde_json::from_str(&event.data).map_err(|error| {
            LlmError::Malformed { message: format!("an event is no JSON: {error}") }
        })?;
        if data.get("error").is_some_and(|error| !error.is_null()) || event.name == "error" {
            return Err(refusal_in_stream(&data));
        }
        let kind = data.get("type").and_then(Value::as_str).unwrap_or(&event.name).to_owned();
        Ok(match kind.as_str() {
            "message_start" => self.message_start(wire::field(&data, "message")),
            "content_block_start" => {
                self.block_start(index(&data), wire::take(&mut data, "content_block"))
            }
            "content_block_delta" => self.block_delta(index(&data), wire::field(&data, "delta"))?,
            "content_block_stop" => self.block_stop(index(&data)),
            "message_delta" => self.message_delta(&data),
            "message_stop" => self.message_stop(),
            _ => Vec::new(),
        })
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
        if self.reason.is_none() {
            return Err(LlmError::Incomplete);
        }
        Ok(self.message_stop())
    }

    fn message_start(&mut self, message: &Value) -> Vec<Delta> {
        let mut deltas = Vec::new();
        if !mem::replace(&mut self.started, true) {
            let model = message["model"].as_str().unwrap_or_default().to_owned();
            deltas.push(Delta::Started { model });
        }
        deltas.extend(self.read_usage(&message["usage"]));
        deltas
    }

    fn block_start(&mut self, wire: u64, mut block: Value) -> Vec<Delta> {
        let mut deltas = self.block_stop(wire);

        let index = self.blocks;
        let open = match wire::field(&block, "type").as_str().unwrap_or_default() {
            "text" => {
                push_text(&mut deltas, index, text_of(&block, "text"));
                Open::Plain { index }
            }
            "thinking" => {
                push_thinking(&mut deltas, index, text_of(&block, "thinking"));
                push_signature(&mut deltas, index, text_of(&block, "signature"));
                Open::Plain { index }
            }
            "redacted_thinking" => {
                deltas.push(Delta::RedactedThinking { index, data: text_of(&block, "data") });
                Open::Plain { index }
            }
            "tool_use" => {
                self.has_tools = true;
                let id = self.ids.take(wire::field(&block, "id").as_str().unwrap_or_default());
                deltas.push(Delta::ToolUse { index, id, name: text_of(&block, "name") });
                Open::Tool { index, given: given_input(wire::take(&mut block, "input")) }
            }
            _ => Open::Ignored,
        };
        if !matches!(open, Open::Ignored) {
            self.blocks += 1;
        }
        self.open.insert(wire, open);
        deltas
    }

    fn block_delta(&mut self, wire: u64, delta: &Value) -> Result<Vec<Delta>, LlmError> {
        let text = |name: &str| text_of(delta, name);
        let mut deltas = Vec::new();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => {
                if let Some(index) = self.plain(wire) {
                    push_text(&mut deltas, index, text("text"));
                }
            }
            "thinking_delta" => {
                if let Some(index) = self.plain(wire) {
                    push_thinking(&mut deltas, index, text("thinking"));
                }
            }
            "signature_delta" => {
                if let Some(index) = self.plain(wire) {
                    push_signature(&mut deltas, index, text("signature"));
                }
            }
            "input_json_delta" => match self.open.get_mut(&wire) {
                Some(Open::Tool { index, given }) => {
                    let text = text("partial_json");
                    if !text.is_empty() {
                        *given = None;
                        deltas.push(Delta::Arguments { index: *index, text });
                    }
                }
                Some(Open::Plain { .. } | Open::Ignored) => {}
                None => {
                    let message = format!("arguments for block {wire}, which never began");
                    return Err(LlmError::Malformed { message });
                }
            },
            _ => {}
        }
        Ok(deltas)
    }

    /// The number of a block of text or thinking, which begins now if its start was left out.
    fn plain(&mut self, wire: u64) -> Option<usize> {
        let next = self.blocks;
        let open = self.open.entry(wire).or_insert_with(|| {
            self.blocks += 1;
            Open::Plain { index: next }
        });
        match open {
            Open::Plain { index } => Some(*index),
            Open::Tool { .. } | Open::Ignored => None,
        }
    }

    fn block_stop(&mut self, wire: u64) -> Vec<Delta> {
        match self.open.remove(&wire) {
            None | Some(Open::Ignored) => Vec::new(),
            Some(Open::Plain { index } | Open::Tool { index, given: None }) => {
                vec![Delta::BlockEnd { index }]
            }
            Some(Open::Tool { index, given: Some(text) }) => {
                vec![Delta::Arguments { index, text }, Delta::BlockEnd { index }]
            }
        }
    }

    fn message_delta(&mut self, data: &Value) -> Vec<Delta> {
        if let Some(reason) = data.pointer("/delta/stop_reason").and_then(Value::as_str) {
            self.reason = Some(reason.to_owned());
        }
        self.read_usage(&data["usage"]).into_iter().collect()
    }

    fn message_stop(&mut self) -> Vec<Delta> {
        // Only now it is known whether tools were asked for: some servers tell the reason first.
        let Some(stop) = self.reason.take().map(|word| stop_reason(&word, self.has_tools)) else {
            return Vec::new();
        };
        self.stopped = true;
        // A block that is open at the limit of tokens is cut off, and so never ends. Otherwise its
        // end was merely left out.
        let mut deltas = Vec::new();
        if stop != StopReason::MaxTokens {
            let mut open: Vec<u64> = self.open.keys().copied().collect();
            open.sort_unstable();
            deltas.extend(open.into_iter().flat_map(|wire| self.block_stop(wire)));
        }
        deltas.push(Delta::Stopped(stop));
        deltas
    }

    fn read_usage(&mut self, usage: &Value) -> Option<Delta> {
        let usage = usage.as_object()?;
        let fields = [
            ("input_tokens", &mut self.usage.input_tokens),
            ("output_tokens", &mut self.usage.output_tokens),
            ("cache_read_input_tokens", &mut self.usage.cache_read_tokens),
            ("cache_creation_input_tokens", &mut self.usage.cache_write_tokens),
        ];
        for (name, field) in fields {
            if let Some(tokens) = usage.get(name).and_then(Value::as_u64) {
                *field = tokens;
            }
        }
        Some(Delta::Usage(self.usage))
    }
}

impl WireState for StreamState {
    fn push(&mut self, event: &Event) -> Result<Vec<Delta>, LlmError> {
        self.push(event)
    }

    fn whole(&mut self, mut answer: Value) -> Result<Vec<Delta>, LlmError> {
        if answer.get("error").is_some_and(|error| !error.is_null()) {
            return Err(refusal_in_stream(&answer));
        }
        let mut deltas = self.message_start(&answer);
        let content = wire::take(&mut answer, "content");
        for (wire, block) in (0..).zip(content.as_array().cloned().unwrap_or_default()) {
            deltas.extend(self.block_start(wire, block));
            deltas.extend(self.block_stop(wire));
        }
        if let Some(reason) = wire::field(&answer, "stop_reason").as_str() {
            self.reason = Some(reason.to_owned());
        }
        Ok(deltas)
    }

    fn is_finished(&self) -> bool {
        self.stopped || self.reason.is_some()
    }

    fn finish(&mut self) -> Result<Vec<Delta>, LlmError> {
        self.finish()
    }
}

fn index(data: &Value) -> u64 {
    data["index"].as_u64().unwrap_or_default()
}

fn text_of(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

/// Arguments that came with the start of a block: an object that isn't empty, or a text.
fn given_input(input: Value) -> Option<String> {
    match input {
        Value::Object(map) if map.is_empty() => None,
        Value::Object(_) => Some(input.to_string()),
        Value::String(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

fn push_text(deltas: &mut Vec<Delta>, index: usize, text: String) {
    if !text.is_empty() {
        deltas.push(Delta::Text { index, text });
    }
}

fn push_thinking(deltas: &mut Vec<Delta>, index: usize, text: String) {
    if !text.is_empty() {
        deltas.push(Delta::Thinking { index, text });
    }
}

fn push_signature(deltas: &mut Vec<Delta>, index: usize, signature: String) {
    if !signature.is_empty() {
        deltas.push(Delta::Signature { index, signature });
    }
}

fn stop_reason(word: &str, has_tools: bool) -> StopReason {
    match word {
        // Some servers end a turn in which tools were asked for as if nothing were left to do.
        "end_turn" if has_tools => StopReason::ToolUse,
        "end_turn" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "stop_sequence" => StopReason::StopSequence,
        "refusal" => StopReason::Refusal,
        "pause_turn" => StopReason::Pause,
        other => StopReason::Other(other.to_owned()),
    }
}

#[cfg(test)]
mod tests;
