//! What the conformance tests need of each wire format: the bytes of a few answers.

use std::{sync::Arc, time::Duration};

use callgate_llm::{Anthropic, HttpOptions, OpenAiChat, Provider};
use serde_json::{Value, json};

pub(crate) const KEY: &str = "sk-test-0123456789abcdef";

/// One wire format.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Dialect {
    Anthropic,
    OpenAiChat,
}

pub(crate) fn options(url: &str) -> HttpOptions {
    HttpOptions {
        base_url: url.to_owned(),
        key: Some(KEY.into()),
        key_source: "TEST_API_KEY".to_owned(),
        model: "m".to_owned(),
        max_attempts: 3,
        idle_timeout: Duration::from_secs(30),
        ..HttpOptions::default()
    }
}

/// Calls as id, name and arguments in pieces.
pub(crate) type Calls<'a> = &'a [(&'a str, &'a str, &'a [&'a str])];

impl Dialect {
    pub(crate) fn provider(self, options: HttpOptions) -> Arc<dyn Provider> {
        match self {
            Self::Anthropic => Arc::new(Anthropic::new(options).unwrap()),
            Self::OpenAiChat => Arc::new(OpenAiChat::new(options).unwrap()),
        }
    }

    pub(crate) fn at(self, url: &str) -> Arc<dyn Provider> {
        self.provider(options(url))
    }

    /// An answer of text alone.
    pub(crate) fn text(self, pieces: &[&str]) -> String {
        self.started(pieces) + &self.ending("stop")
    }

    /// The answer of [`Dialect::text`] without its end.
    pub(crate) fn started(self, pieces: &[&str]) -> String {
        match self {
            Self::Anthropic => {
                let mut events = vec![
                    json!({"type": "message_start", "message": {"model": "m"}}),
                    json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                ];
                events.extend(pieces.iter().map(|text| {
                    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})
                }));
                sse(&events)
            }
            Self::OpenAiChat => {
                let chunk = |text: &&str| chunk(&json!({"content": text}), &Value::Null);
                sse(&pieces.iter().map(chunk).collect::<Vec<_>>())
            }
        }
    }

    /// The end of an answer: `stop` or `tools`.
    pub(crate) fn ending(self, reason: &str) -> String {
        match self {
            Self::Anthropic => {
                let word = if reason == "tools" { "tool_use" } else { "end_turn" };
                sse(&[
                    json!({"type": "content_block_stop", "index": 0}),
                    json!({"type": "message_delta", "delta": {"stop_reason": word}, "usage": {"output_tokens": 2}}),
                    json!({"type": "message_stop"}),
                ])
            }
            Self::OpenAiChat => {
                let word = if reason == "tools" { "tool_calls" } else { "stop" };
                let usage =
                    json!({"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 2}});
                sse(&[chunk(&json!({}), &json!(word)), usage]) + "data: [DONE]\n\n"
            }
        }
    }

    /// An answer of calls, the pieces of their arguments in turn.
    pub(crate) fn calls(self, calls: Calls<'_>) -> String {
        let mut events: Vec<Value> = Vec::new();
        for (index, (id, name, _)) in calls.iter().enumerate() {
            events.push(match self {
                Self::Anthropic => json!({"type": "content_block_start", "index": index,
                    "content_block": {"type": "tool_use", "id": id, "name": name, "input": {}}}),
                Self::OpenAiChat => tool(&json!({"index": index, "id": id, "type": "function",
                    "function": {"name": name, "arguments": ""}})),
            });
        }
        let longest = calls.iter().map(|(_, _, pieces)| pieces.len()).max().unwrap_or(0);
        for round in 0..longest {
            for (index, (_, _, pieces)) in calls.iter().enumerate() {
                let Some(piece) = pieces.get(round) else { continue };
                events.push(match self {
                    Self::Anthropic => json!({"type": "content_block_delta", "index": index,
                        "delta": {"type": "input_json_delta", "partial_json": piece}}),
                    Self::OpenAiChat => {
                        tool(&json!({"index": index, "function": {"arguments": piece}}))
                    }
                });
            }
        }
        if matches!(self, Self::Anthropic) {
            let end = |index| json!({"type": "content_block_stop", "index": index});
            events.extend((1..calls.len()).map(end));
        }
        sse(&events) + &self.ending("tools")
    }

    /// An error inside the stream that stands for an overloaded provider.
    pub(crate) fn overloaded() -> String {
        let error = json!({"type": "overloaded_error", "code": 529, "message": "Overloaded"});
        let body = json!({"type": "error", "error": error});
        format!("event: error\ndata: {body}\n\n")
    }

    /// An answer of text from a server that does not stream.
    pub(crate) fn whole(self, text: &str) -> String {
        match self {
            Self::Anthropic => json!({"type": "message", "model": "m", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": text}], "usage": {"output_tokens": 2}}),
            Self::OpenAiChat => json!({"model": "m", "choices": [{"index": 0,
                "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}]}),
        }
        .to_string()
    }

    /// The line of a request's head that carries the key.
    pub(crate) fn key_header(self) -> String {
        match self {
            Self::Anthropic => format!("x-api-key: {KEY}"),
            Self::OpenAiChat => format!("authorization: Bearer {KEY}"),
        }
    }
}

fn sse(events: &[Value]) -> String {
    let event = |data: &Value| match data["type"].as_str() {
        Some(name) => format!("event: {name}\ndata: {data}\n\n"),
        None => format!("data: {data}\n\n"),
    };
    events.iter().map(event).collect()
}

fn chunk(delta: &Value, reason: &Value) -> Value {
    json!({"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
}

fn tool(piece: &Value) -> Value {
    chunk(&json!({"tool_calls": [piece]}), &Value::Null)
}
