use serde_json::json;

use super::*;

fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned() }
}

fn call(id: &str, name: &str, arguments: &str) -> Block {
    let [id, name, arguments] = [id, name, arguments].map(str::to_owned);
    Block::ToolUse { id, name, arguments }
}

fn result(id: &str, content: Vec<ResultPart>, is_error: bool) -> Block {
    Block::ToolResult { tool_use_id: id.to_owned(), content, is_error }
}

fn said(text: &str) -> ResultPart {
    ResultPart::Text { text: text.to_owned() }
}

#[test]
fn a_whole_conversation_is_written_as_the_wire_wants_it() {
    let thought = Block::Thinking { text: "hm".to_owned(), signature: Some("s".to_owned()) };
    let image = ResultPart::Image { media_type: "image/png".to_owned(), data: "QUJD".to_owned() };
    let picture = Block::Image { media_type: "image/jpeg".to_owned(), data: "QUJD".to_owned() };
    let asked = vec![thought, call("a|b", "read_file", "{\"p\":1}"), call("c", "no such", "{\"")];
    let request = Request {
        system: "Be brief.".to_owned(),
        messages: vec![
            Message { role: Role::User, content: vec![text("look"), picture] },
            Message { role: Role::Assistant, content: asked },
            Message {
                role: Role::User,
                content: vec![
                    text("and?"),
                    result("a|b", vec![said("A"), image], false),
                    result("c", vec![said("unknown")], true),
                ],
            },
        ],
        tools: vec![json!({"type": "function", "function": {"name": "read_file"}})],
        max_tokens: Some(9),
    };
    let wanted = json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,QUJD"}},
            ]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "a_b", "type": "function", "function": {
                    "name": "read_file", "arguments": "{\"p\":1}",
                }},
                {"id": "c", "type": "function", "function": {
                    "name": "no_such", "arguments": "{}",
                }},
            ]},
            {"role": "tool", "tool_call_id": "a_b", "content": "A\n[image/png, 3 bytes; not shown]"},
            {"role": "tool", "tool_call_id": "c", "content": "Error: unknown"},
            {"role": "user", "content": "and?"},
        ],
        "stream": true,
        "stream_options": {"include_usage": true},
        "tools": [{"type": "function", "function": {"name": "read_file"}}],
        "max_tokens": 9,
    });
    assert_eq!(build_request("m", LimitField::MaxTokens, &request), wanted);
}

#[test]
fn the_limit_has_the_name_that_the_server_knows() {
    let request = Request { max_tokens: Some(9), ..Request::default() };
    let body = build_request("m", LimitField::MaxCompletionTokens, &request);
    assert_eq!((&body["max_completion_tokens"], body.get("max_tokens")), (&json!(9), None));
    let body = build_request("m", LimitField::MaxTokens, &Request::default());
    assert_eq!(body.get("max_tokens"), None);
}

#[test]
fn an_answer_without_content_is_left_out() {
    let content = vec![text("")];
    let messages = vec![Message { role: Role::Assistant, content }];
    let request = Request { messages, ..Request::default() };
    assert_eq!(build_request("m", LimitField::MaxTokens, &request)["messages"], json!([]));
}
