//! A turn as chunks of `OpenAI` Chat Completions.

use serde_json::{Value, json};

use super::turn::{Part, Stop, Turn};

/// The events, the last of them `[DONE]`.
pub(super) fn events(turn: &Turn) -> Vec<String> {
    let mut events = vec![chunk(&json!({"role": "assistant", "content": ""}), None)];
    let is_call = |part: &&Part| matches!(part, Part::Call { .. });
    // Tool calls are counted apart from text.
    let slot = |index: usize| turn.parts.iter().take(index).filter(is_call).count();
    let open = |index: usize| match &turn.parts[index] {
        Part::Text(_) => None,
        Part::Call { id, name, .. } => Some(chunk(
            &json!({"tool_calls": [{
                "index": slot(index), "id": id, "type": "function",
                "function": {"name": name, "arguments": ""},
            }]}),
            None,
        )),
    };
    let deltas = turn.deltas();
    let delta = |(index, piece): &(usize, String)| match &turn.parts[*index] {
        Part::Text(_) => chunk(&json!({"content": piece}), None),
        Part::Call { .. } => chunk(
            &json!({"tool_calls": [{"index": slot(*index), "function": {"arguments": piece}}]}),
            None,
        ),
    };
    let all = 0..turn.parts.len();
    if turn.interleaved {
        events.extend(all.filter_map(open));
        events.extend(deltas.iter().map(delta));
    } else {
        for index in all {
            events.extend(open(index));
            events.extend(deltas.iter().filter(|(owner, _)| *owner == index).map(delta));
        }
    }
    let reason = match turn.stop() {
        Stop::End => "stop",
        Stop::Tools => "tool_calls",
        Stop::Tokens => "length",
    };
    events.push(chunk(&json!({}), Some(reason)));
    let usage = json!({"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18});
    events.push(data(&json!({
        "id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [], "usage": usage,
    })));
    events.push("data: [DONE]\n\n".to_owned());
    events
}

/// What an overloaded server says in mid-stream.
pub(super) fn overloaded() -> String {
    data(&json!({"error": {
        "message": "The server is overloaded", "type": "server_error", "code": "overloaded",
    }}))
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    data(&json!({
        "id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }))
}

fn data(value: &Value) -> String {
    format!("data: {value}\n\n")
}
