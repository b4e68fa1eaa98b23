//! The conversation as the body of an `OpenAI` Chat Completions request.

use serde_json::{Value, json};

use super::LimitField;
use crate::{
    message::{Block, Message, ResultPart, Role},
    provider::Request,
    wire,
};

/// The body of a request for a streamed answer.
///
/// Thoughts are left out: this wire format has no place for them. A result's images become a line
/// that names them, since a `tool` message may only hold text.
pub fn build_request(model: &str, limit_field: LimitField, request: &Request) -> Value {
    let mut messages = Vec::new();
    if !request.system.trim().is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    for message in &request.messages {
        match message.role {
            Role::User => user(message, &mut messages),
            Role::Assistant => messages.extend(assistant(message)),
        }
    }
    let mut body = json!({
        "model": model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    if !request.tools.is_empty() {
        wire::insert(&mut body, "tools", request.tools.clone());
    }
    if let Some(limit) = request.max_tokens {
        let field = match limit_field {
            LimitField::MaxTokens => "max_tokens",
            LimitField::MaxCompletionTokens => "max_completion_tokens",
        };
        wire::insert(&mut body, field, limit);
    }
    body
}

/// Results first, each in a message of its own, then what the person says.
fn user(message: &Message, out: &mut Vec<Value>) {
    let mut parts = Vec::new();
    for block in &message.content {
        match block {
            Block::ToolResult { tool_use_id, content, is_error } => out.push(json!({
                "role": "tool",
                "tool_call_id": wire::call_id(tool_use_id),
                "content": result_text(content, *is_error),
            })),
            Block::Text { text } if !text.trim().is_empty() => {
                parts.push(json!({"type": "text", "text": text}));
            }
            Block::Image { media_type, data } => parts.push(json!({
                "type": "image_url",
                "image_url": {"url": format!("data:{media_type};base64,{data}")},
            })),
            _ => {}
        }
    }
    match parts.as_slice() {
        [] => {}
        // Many servers take nothing but a string.
        [only] if only["type"] == "text" => {
            out.push(json!({"role": "user", "content": only["text"]}));
        }
        _ => out.push(json!({"role": "user", "content": parts})),
    }
}

/// A result as text. The wire format has no field for failure, so it is said.
fn result_text(content: &[ResultPart], is_error: bool) -> String {
    let parts: Vec<String> = content
        .iter()
        .map(|part| match part {
            ResultPart::Text { text } => text.clone(),
            ResultPart::Image { media_type, data } => {
                format!("[{media_type}, {} bytes; not shown]", wire::decoded_size(data))
            }
        })
        .collect();
    let text = parts.join("\n");
    let says_so = text.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("error"));
    if is_error && !says_so { format!("Error: {text}") } else { text }
}

fn assistant(message: &Message) -> Option<Value> {
    let mut texts = Vec::new();
    let mut calls = Vec::new();
    for block in &message.content {
        match block {
            Block::Text { text } if !text.is_empty() => texts.push(text.as_str()),
            Block::ToolUse { id, name, arguments } => calls.push(json!({
                "id": wire::call_id(id),
                "type": "function",
                "function": {
                    "name": wire::tool_name(name),
                    "arguments": Value::Object(wire::arguments_object(arguments)).to_string(),
                },
            })),
            _ => {}
        }
    }
    if texts.is_empty() && calls.is_empty() {
        return None;
    }
    let content = if texts.is_empty() { Value::Null } else { Value::String(texts.join("\n\n")) };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        wire::insert(&mut message, "tool_calls", calls);
    }
    Some(message)
}

#[cfg(test)]
mod tests;
