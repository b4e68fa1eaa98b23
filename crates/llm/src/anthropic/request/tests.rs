use serde_json::json;

use super::*;

fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

fn call(id: &str, arguments: &str) -> Block {
    let name = "read_file".to_owned();
    Block::ToolUse { id: id.to_owned(), name, arguments: arguments.to_owned() }
}

fn result(id: &str, content: Vec<ResultPart>, is_error: bool) -> Block {
    Block::ToolResult { tool_use_id: id.to_owned(), content, is_error }
}

fn user(content: Vec<Block>) -> Message {
    Message { role: Role::User, content }
}

fn assistant(content: Vec<Block>) -> Message {
    Message { role: Role::Assistant, content }
}

fn said(text: &str) -> ResultPart {
    ResultPart::Text { text: text.to_owned() }
}

#[test]
fn a_whole_conversation_is_written_as_the_wire_wants_it() {
    let thought = Block::Thinking { text: "hm".to_owned(), signature: Some("sig==".to_owned()) };
    let hidden = Block::RedactedThinking { data: "opaque".to_owned() };
    let image = ResultPart::Image { media_type: "image/png".to_owned(), data: "QUJD".to_owned() };
    let request = Request {
        system: "Be brief.".to_owned(),
        messages: vec![
            Message::user("look"),
            assistant(vec![
                thought,
                hidden,
                text("ok"),
                call("t1", "{\"path\":\"a\"}"),
                call("t2", "{\"pa"),
            ]),
            user(vec![result("t1", vec![said("A"), image], false)]),
            user(vec![text("and?"), result("t2", vec![said("bad")], true)]),
        ],
        tools: vec![json!({"name": "read_file", "input_schema": {"type": "object"}})],
        max_tokens: Some(99),
    };
    let wanted = json!({
        "model": "m",
        "max_tokens": 99,
        "stream": true,
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "look"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig=="},
                {"type": "redacted_thinking", "data": "opaque"},
                {"type": "text", "text": "ok"},
                {"type": "tool_use", "id": "t1", "name": "read_file", "input": {"path": "a"}},
                {"type": "tool_use", "id": "t2", "name": "read_file", "input": {}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [
                    {"type": "text", "text": "A"},
                    {"type": "image", "source": {
                        "type": "base64", "media_type": "image/png", "data": "QUJD",
                    }},
                ]},
                {"type": "tool_result", "tool_use_id": "t2", "is_error": true, "content": [
                    {"type": "text", "text": "bad"},
                ]},
                {"type": "text", "text": "and?", "cache_control": {"type": "ephemeral"}},
            ]},
        ],
        "system": [
            {"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}},
        ],
        "tools": [{"name": "read_file", "input_schema": {"type": "object"}}],
    });
    assert_eq!(build_request("m", &request), wanted);
}

#[test]
fn what_the_server_refuses_is_left_out_and_turns_still_alternate() {
    let foreign = Block::Thinking { text: "hm".to_owned(), signature: None };
    let request = Request {
        messages: vec![
            Message::user("a"),
            assistant(vec![foreign, text(" \n")]),
            Message::user("b"),
            assistant(vec![text("c")]),
            user(vec![result("t", vec![said("")], false)]),
        ],
        ..Request::default()
    };
    let body = build_request("m", &request);
    assert_eq!(body["max_tokens"], 16_384);
    assert_eq!(body.get("system"), None);
    assert_eq!(body.get("tools"), None);
    let wanted = json!([
        {"role": "user", "content": [
            {"type": "text", "text": "a"},
            {"type": "text", "text": "b"},
        ]},
        {"role": "assistant", "content": [{"type": "text", "text": "c"}]},
        {"role": "user", "content": [{
            "type": "tool_result", "tool_use_id": "t", "cache_control": {"type": "ephemeral"},
        }]},
    ]);
    assert_eq!(body["messages"], wanted);
}
