//! A turn as events of Anthropic Messages.

use serde_json::{Value, json};

use super::turn::{Part, Stop, Turn};

/// The events, each with its name, in the order of the wire format: blocks one after the other, or,
/// interleaved, all open at once.
pub(super) fn events(turn: &Turn) -> Vec<String> {
    let mut events = vec![
        event(
            "message_start",
            &json!({"message": {
                "id": "msg_test", "type": "message", "role": "assistant", "model": "scripted",
                "content": [], "stop_reason": null, "stop_sequence": null,
                "usage": {"input_tokens": 11, "output_tokens": 1},
            }}),
        ),
        event("ping", &json!({})),
    ];
    let stop = |index: usize| event("content_block_stop", &json!({"index": index}));
    if turn.interleaved {
        events.extend(turn.parts.iter().enumerate().map(|(index, part)| start(index, part)));
    }
    let deltas = turn.deltas();
    for (index, part) in turn.parts.iter().enumerate().filter(|_| !turn.interleaved) {
        events.push(start(index, part));
        let own = deltas.iter().filter(|(owner, _)| *owner == index);
        events.extend(own.map(|(_, piece)| delta(index, part, piece)));
        events.push(stop(index));
    }
    if turn.interleaved {
        events
            .extend(deltas.iter().map(|(index, piece)| delta(*index, &turn.parts[*index], piece)));
        events.extend((0..turn.parts.len()).map(stop));
    }
    let reason = match turn.stop() {
        Stop::End => "end_turn",
        Stop::Tools => "tool_use",
        Stop::Tokens => "max_tokens",
    };
    events.push(event(
        "message_delta",
        &json!({
            "delta": {"stop_reason": reason, "stop_sequence": null},
            "usage": {"output_tokens": 7},
        }),
    ));
    events.push(event("message_stop", &json!({})));
    events
}

/// What an overloaded server says in mid-stream.
pub(super) fn overloaded() -> String {
    event("error", &json!({"error": {"type": "overloaded_error", "message": "Overloaded"}}))
}

fn start(index: usize, part: &Part) -> String {
    let block = match part {
        Part::Text(_) => json!({"type": "text", "text": ""}),
        Part::Call { id, name, .. } => {
            json!({"type": "tool_use", "id": id, "name": name, "input": {}})
        }
    };
    event("content_block_start", &json!({"index": index, "content_block": block}))
}

fn delta(index: usize, part: &Part, piece: &str) -> String {
    let delta = match part {
        Part::Text(_) => json!({"type": "text_delta", "text": piece}),
        Part::Call { .. } => json!({"type": "input_json_delta", "partial_json": piece}),
    };
    event("content_block_delta", &json!({"index": index, "delta": delta}))
}

fn event(name: &str, fields: &Value) -> String {
    let mut data = json!({"type": name});
    let fields = fields.as_object().expect("an object").clone();
    data.as_object_mut().expect("an object").extend(fields);
    format!("event: {name}\ndata: {data}\n\n")
}
