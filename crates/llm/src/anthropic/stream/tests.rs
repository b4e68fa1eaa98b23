use serde_json::json;

use super::*;
use crate::{Accumulator, Answer, Block};

fn event(data: &Value) -> Event {
    Event { name: "message".to_owned(), data: data.to_string() }
}

fn run(events: &[Value]) -> Result<Vec<Delta>, LlmError> {
    let mut state = StreamState::new();
    let mut deltas = Vec::new();
    for data in events {
        deltas.extend(state.push(&event(data))?);
    }
    deltas.extend(state.finish()?);
    Ok(deltas)
}

fn answer(events: &[Value]) -> Answer {
    let mut answer = Accumulator::new();
    run(events).unwrap().iter().for_each(|delta| answer.push(delta));
    answer.finish()
}

fn start(index: u64, block: &Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: &Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn arguments(index: u64, text: &str) -> Value {
    delta(index, &json!({"type": "input_json_delta", "partial_json": text}))
}

fn end(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stop(reason: &str) -> [Value; 2] {
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ]
}

fn call(id: &str, arguments: &str) -> Block {
    Block::ToolUse { id: id.to_owned(), name: "t".to_owned(), arguments: arguments.to_owned() }
}

#[test]
fn an_ordinary_answer_becomes_deltas() {
    let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 3, "output_tokens": 1});
    let mut events = vec![
        json!({"type": "message_start", "message": {"model": "m", "usage": usage}}),
        start(0, &json!({"type": "thinking", "thinking": "", "signature": ""})),
        json!({"type": "ping"}),
        delta(0, &json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, &json!({"type": "signature_delta", "signature": "s=="})),
        end(0),
        start(1, &json!({"type": "text", "text": ""})),
        delta(1, &json!({"type": "text_delta", "text": "Hi"})),
        end(1),
    ];
    events.extend(stop("end_turn"));
    let usage = |output_tokens| {
        Delta::Usage(Usage {
            input_tokens: 5,
            cache_read_tokens: 3,
            output_tokens,
            cache_write_tokens: 0,
        })
    };
    let wanted = [
        Delta::Started { model: "m".to_owned() },
        usage(1),
        Delta::Thinking { index: 0, text: "hm".to_owned() },
        Delta::Signature { index: 0, signature: "s==".to_owned() },
        Delta::BlockEnd { index: 0 },
        Delta::Text { index: 1, text: "Hi".to_owned() },
        Delta::BlockEnd { index: 1 },
        usage(9),
        Delta::Stopped(StopReason::EndTurn),
    ];
    assert_eq!(run(&events).unwrap(), wanted);
}

#[test]
fn interleaved_tools_given_input_and_missing_input_and_ids() {
    let mut events = vec![
        start(0, &json!({"type": "tool_use", "id": "a", "name": "t"})),
        start(1, &json!({"type": "tool_use", "id": "b", "name": "t", "input": {"x": 1}})),
        arguments(0, "{\"y\""),
        start(2, &json!({"type": "tool_use", "name": "t", "input": {}})),
        start(3, &json!({"type": "tool_use", "id": "a", "name": "t", "input": {"z": 1}})),
        arguments(0, ": 2}"),
        arguments(3, "{\"z\": 2}"),
        end(3),
        end(0),
        end(1),
        end(2),
    ];
    events.extend(stop("tool_use"));
    let answer = answer(&events);
    let ids: Vec<&str> = answer
        .message
        .content
        .iter()
        .map(|block| match block {
            Block::ToolUse { id, .. } => id.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ids[..2], ["a", "b"]);
    assert!(!ids[2].is_empty() && !ids[3].is_empty() && ids[3] != "a" && ids[2] != ids[3]);
    let wanted = [
        call("a", "{\"y\": 2}"),
        call("b", "{\"x\":1}"),
        call(ids[2], ""),
        call(ids[3], "{\"z\": 2}"),
    ];
    assert_eq!(answer.message.content, wanted);
}

#[test]
fn l27_a_tool_block_is_a_call_also_when_the_turn_ends_as_if_it_were_over() {
    let mut events = vec![start(0, &json!({"type": "tool_use", "id": "a", "name": "t"})), end(0)];
    events.extend(stop("end_turn"));
    let answer = answer(&events);
    assert_eq!(answer.stop, StopReason::ToolUse);
    assert_eq!(answer.message.content, [call("a", "")]);
}

#[test]
fn a_second_message_start_begins_nothing_anew() {
    let begin = json!({"type": "message_start", "message": {"model": "m"}});
    let mut events =
        vec![begin.clone(), begin, start(0, &json!({"type": "text", "text": "a"})), end(0)];
    events.extend(stop("end_turn"));
    let deltas = run(&events).unwrap();
    let starts = deltas.iter().filter(|delta| matches!(delta, Delta::Started { .. })).count();
    assert_eq!(starts, 1);
    assert_eq!(answer(&events).text(), "a");
}

#[test]
fn tools_of_the_server_and_what_is_unknown_are_passed_over() {
    let mut events = vec![
        start(0, &json!({"type": "server_tool_use", "id": "s", "name": "web_search"})),
        arguments(0, "{}"),
        end(0),
        start(1, &json!({"type": "brand_new", "text": "?"})),
        delta(1, &json!({"type": "text_delta", "text": "?"})),
        end(1),
        json!({"type": "brand_new_event"}),
        json!([]),
        json!("text"),
        json!({"type": "content_block_start", "index": "x"}),
        delta(7, &json!({"type": "text_delta", "text": "started late"})),
    ];
    events.extend(stop("end_turn"));
    let answer = answer(&events);
    assert_eq!(answer.message.content, [Block::Text { text: "started late".to_owned() }]);
    assert_eq!(answer.stop, StopReason::EndTurn);
}

#[test]
fn l01_without_a_reason_to_stop_the_answer_is_incomplete() {
    let events = [start(0, &json!({"type": "tool_use", "id": "a", "name": "t"})), end(0)];
    assert!(matches!(run(&events), Err(LlmError::Incomplete)));
    let stopped = json!({"type": "message_stop"});
    assert!(matches!(run(&[stopped]), Err(LlmError::Incomplete)));
}

#[test]
fn l03_an_error_event_is_an_error() {
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
    assert!(matches!(run(&[error]), Err(LlmError::Unavailable { status: 529, .. })));
}

#[test]
fn a_block_that_is_open_at_the_limit_never_ends_and_otherwise_it_does() {
    let open =
        [start(0, &json!({"type": "tool_use", "id": "a", "name": "t"})), arguments(0, "{\"x")];
    let ends = |reason: &str| {
        let events: Vec<Value> = open.iter().cloned().chain(stop(reason)).collect();
        run(&events).unwrap().contains(&Delta::BlockEnd { index: 0 })
    };
    assert!(!ends("max_tokens"));
    assert!(ends("tool_use"));
}

#[test]
fn a_call_that_begins_after_the_reason_to_stop_is_whole_and_the_reason() {
    let [reason, end] = stop("end_turn");
    let tool = start(0, &json!({"type": "tool_use", "id": "a", "name": "t"}));
    let deltas = run(&[reason, tool, arguments(0, "{}"), end]).unwrap();
    let ending = [Delta::BlockEnd { index: 0 }, Delta::Stopped(StopReason::ToolUse)];
    assert!(deltas.ends_with(&ending), "{deltas:?}");
}

#[test]
fn nothing_follows_the_end_of_the_answer() {
    let tool = start(0, &json!({"type": "tool_use", "id": "a", "name": "t"}));
    let [reason, end] = stop("end_turn");
    let deltas = run(&[reason, end, tool, arguments(0, "{}")]).unwrap();
    assert_eq!(deltas.last(), Some(&Delta::Stopped(StopReason::EndTurn)));
}

#[test]
fn l30_two_thousand_calls_come_out_in_order() {
    let blocks = (0..2000).flat_map(|index| {
        let block = json!({"type": "tool_use", "id": format!("c{index}"), "name": "t"});
        [start(index, &block), arguments(index, "{}"), end(index)]
    });
    let events: Vec<Value> = blocks.chain(stop("tool_use")).collect();
    let wanted: Vec<Block> = (0..2000).map(|index| call(&format!("c{index}"), "{}")).collect();
    assert_eq!(answer(&events).message.content, wanted);
}

#[test]
fn arguments_without_a_block_are_malformed() {
    assert!(matches!(run(&[arguments(0, "{}")]), Err(LlmError::Malformed { .. })));
}

proptest::proptest! {
    #[test]
    fn no_json_makes_it_panic(
        kind in "(message_start|content_block_start|content_block_delta|content_block_stop|message_delta|message_stop|error)",
        field in "(message|content_block|delta|usage|index|error)",
        value in "(null|\\[\\]|1|\"x\"|\\{\\}|\\{\"type\":\"tool_use\",\"input\":3\\}|\\{\"type\":\"input_json_delta\"\\})",
        array in proptest::bool::ANY,
    ) {
        let data = if array { value } else { format!("{{\"type\":\"{kind}\",\"{field}\":{value}}}") };
        let _ = StreamState::new().push(&Event { name: kind, data });
    }
}
