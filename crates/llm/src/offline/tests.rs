use futures_util::{FutureExt, StreamExt};
use serde_json::json;

use super::*;
use crate::{Accumulator, Message, Role};

fn ask(messages: Vec<Message>) -> (Vec<Delta>, crate::Answer) {
    let tools = vec![json!({"name": "bash"})];
    let stream = Offline::new().stream(Request { messages, tools, ..Request::default() });
    // It is there at once: nothing waits.
    let deltas: Vec<_> = stream.collect::<Vec<_>>().now_or_never().expect("it waits");
    let deltas: Vec<Delta> = deltas.into_iter().map(Result::unwrap).collect();
    let mut answer = Accumulator::new();
    for delta in &deltas {
        answer.push(delta);
    }
    (deltas, answer.finish())
}

#[test]
fn it_streams_small_pieces_like_a_provider() {
    let command = "echo a long enough command, in several pieces";
    let (deltas, answer) = ask(vec![Message::user(format!("run `{command}`"))]);
    assert!(deltas.iter().filter(|delta| matches!(delta, Delta::Text { .. })).count() > 3);
    assert!(deltas.iter().filter(|delta| matches!(delta, Delta::Arguments { .. })).count() > 1);
    assert_eq!(answer.stop, StopReason::ToolUse);
    match answer.message.content.as_slice() {
        [Block::Text { .. }, Block::ToolUse { name, arguments, .. }] => {
            assert_eq!(name, "bash");
            assert_eq!(*arguments, json!({"command": command}).to_string());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn it_always_answers_alike_and_ids_differ_between_turns() {
    let first = vec![Message::user("run ls")];
    let (deltas, answer) = ask(first.clone());
    assert_eq!(ask(first.clone()).0, deltas);
    let id = |answer: &crate::Answer| {
        answer.message.content.iter().find_map(|block| match block {
            Block::ToolUse { id, .. } => Some(id.clone()),
            _ => None,
        })
    };
    let mut second = first;
    second.push(answer.message.clone());
    let content = vec![Block::ToolResult {
        tool_use_id: id(&answer).unwrap(),
        content: vec![],
        is_error: false,
    }];
    second.push(Message { role: Role::User, content });
    second.push(Message::user("run ls"));
    assert_ne!(id(&ask(second).1), id(&answer));
}

#[test]
fn a_conversation_without_a_request_gets_help() {
    assert!(ask(Vec::new()).1.text().contains("offline model"));
}
