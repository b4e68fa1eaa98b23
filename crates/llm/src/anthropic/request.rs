//! The conversation as the body of an Anthropic Messages request.

use serde_json::{Value, json};

use crate::{
    message::{Block, Message, ResultPart, Role},
    provider::Request,
    wire,
};

/// The limit of an answer when none is set: the wire format demands one, and every current model
/// allows this much.
const DEFAULT_MAX_TOKENS: u32 = 16_384;

/// The body of a request for a streamed answer.
///
/// Two breakpoints let the provider cache the prompt: one after the system text, which covers the
/// tools before it too, and one at the end of the conversation, so that the next turn reads all of
/// this one from the cache.
pub fn build_request(model: &str, request: &Request) -> Value {
    let mut body = json!({
        "model": model,
        "max_tokens": request.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        "stream": true,
        "messages": messages(&request.messages),
    });
    if !request.system.trim().is_empty() {
        let system = json!([{
            "type": "text",
            "text": request.system,
            "cache_control": {"type": "ephemeral"},
        }]);
        wire::insert(&mut body, "system", system);
    }
    if !request.tools.is_empty() {
        wire::insert(&mut body, "tools", request.tools.clone());
    }
    body
}

/// The messages, neighbours of one role joined: all results of one turn must be in one message, and
/// stand in it before anything else.
fn messages(messages: &[Message]) -> Vec<Value> {
    let mut turns: Vec<(Role, Vec<&Block>)> = Vec::new();
    for message in messages {
        let blocks = message.content.iter().filter(|block| is_sent(message.role, block));
        match turns.last_mut() {
            Some((role, content)) if *role == message.role => content.extend(blocks),
            _ => turns.push((message.role, blocks.collect())),
        }
    }
    // A turn without content is refused, and its neighbours are of one role.
    turns.retain(|(_, content)| !content.is_empty());
    let mut joined: Vec<(Role, Vec<&Block>)> = Vec::new();
    for (role, content) in turns {
        match joined.last_mut() {
            Some((last, before)) if *last == role => before.extend(content),
            _ => joined.push((role, content)),
        }
    }
    let last = joined.len().saturating_sub(1);
    let turn = |(at, (role, mut content)): (usize, (Role, Vec<&Block>))| {
        content
            .sort_by_key(|block| !matches!(block, Block::ToolResult { .. }) && role == Role::User);
        let mut content: Vec<Value> = content.into_iter().filter_map(block).collect();
        if at == last
            && role == Role::User
            && let Some(Value::Object(end)) = content.last_mut()
        {
            end.insert("cache_control".to_owned(), json!({"type": "ephemeral"}));
        }
        json!({"role": role, "content": content})
    };
    joined.into_iter().enumerate().map(turn).collect()
}

/// Whether a block can be sent. Blank text is refused by the server; a thought without a signature
/// is another provider's, and the server would refuse it as forged.
fn is_sent(role: Role, block: &Block) -> bool {
    match block {
        Block::Text { text } => !text.trim().is_empty(),
        Block::Thinking { signature, .. } => {
            role == Role::Assistant && signature.as_ref().is_some_and(|proof| !proof.is_empty())
        }
        Block::RedactedThinking { .. } | Block::ToolUse { .. } => role == Role::Assistant,
        Block::ToolResult { .. } | Block::Image { .. } => role == Role::User,
    }
}

fn block(block: &Block) -> Option<Value> {
    Some(match block {
        Block::Text { text } => json!({"type": "text", "text": text}),
        Block::Thinking { text, signature } => {
            json!({"type": "thinking", "thinking": text, "signature": signature.as_ref()?})
        }
        Block::RedactedThinking { data } => json!({"type": "redacted_thinking", "data": data}),
        Block::ToolUse { id, name, arguments } => json!({
            "type": "tool_use",
            "id": wire::call_id(id),
            "name": wire::tool_name(name),
            "input": wire::arguments_object(arguments),
        }),
        Block::ToolResult { tool_use_id, content, is_error } => {
            let parts: Vec<Value> = content.iter().filter_map(part).collect();
            let mut result = json!({
                "type": "tool_result",
                "tool_use_id": wire::call_id(tool_use_id),
            });
            if !parts.is_empty() {
                wire::insert(&mut result, "content", parts);
            }
            if *is_error {
                wire::insert(&mut result, "is_error", true);
            }
            result
        }
        Block::Image { media_type, data } => image(media_type, data),
    })
}

fn part(part: &ResultPart) -> Option<Value> {
    match part {
        ResultPart::Text { text } if text.trim().is_empty() => None,
        ResultPart::Text { text } => Some(json!({"type": "text", "text": text})),
        ResultPart::Image { media_type, data } => Some(image(media_type, data)),
    }
}

fn image(media_type: &str, data: &str) -> Value {
    json!({
        "type": "image",
        "source": {"type": "base64", "media_type": media_type, "data": data},
    })
}

#[cfg(test)]
mod tests;
