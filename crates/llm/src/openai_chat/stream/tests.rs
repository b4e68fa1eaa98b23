use serde_json::json;

use super::*;
use crate::{Accumulator, Answer, Block};

fn run(chunks: &[Value]) -> Result<Vec<Delta>, LlmError> {
    let mut state = StreamState::new();
    let mut deltas = Vec::new();
    for chunk in chunks {
        let event = Event { name: "message".to_owned(), data: chunk.to_string() };
        deltas.extend(state.push(&event)?);
    }
    deltas.extend(state.finish()?);
    Ok(deltas)
}

fn answer(chunks: &[Value]) -> Answer {
    let mut answer = Accumulator::new();
    run(chunks).unwrap().iter().for_each(|delta| answer.push(delta));
    answer.finish()
}

fn delta(delta: &Value) -> Value {
    json!({"model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn tool(piece: &Value) -> Value {
    delta(&json!({"tool_calls": [piece]}))
}

fn stop(reason: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]})
}

fn calls(answer: &Answer) -> Vec<(String, String)> {
    let call = |block: &Block| match block {
        Block::ToolUse { name, arguments, .. } => Some((name.clone(), arguments.clone())),
        _ => None,
    };
    answer.message.content.iter().filter_map(call).collect()
}

fn pair(name: &str, arguments: &str) -> (String, String) {
    (name.to_owned(), arguments.to_owned())
}

#[test]
fn an_ordinary_answer_becomes_deltas() {
    let usage = json!({"prompt_tokens": 10, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 6}});
    let chunks = [
        delta(&json!({"role": "assistant", "content": null})),
        delta(&json!({"reasoning_content": "hm", "reasoning": "hm"})),
        delta(&json!({"content": "H"})),
        delta(&json!({"content": "i"})),
        stop("stop"),
        json!({"choices": [], "usage": usage}),
    ];
    let wanted = [
        Delta::Started { model: "m".to_owned() },
        Delta::Thinking { index: 0, text: "hm".to_owned() },
        Delta::BlockEnd { index: 0 },
        Delta::Text { index: 1, text: "H".to_owned() },
        Delta::Text { index: 1, text: "i".to_owned() },
        Delta::Usage(Usage {
            input_tokens: 4,
            output_tokens: 4,
            cache_read_tokens: 6,
            cache_write_tokens: 0,
        }),
        Delta::BlockEnd { index: 1 },
        Delta::Stopped(StopReason::EndTurn),
    ];
    assert_eq!(run(&chunks).unwrap(), wanted);
}

#[test]
fn interleaved_calls_are_told_apart_by_their_index() {
    let answer = answer(&[
        tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": ""}})),
        tool(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": "{\"q\""}})),
        tool(&json!({"index": 0, "function": {"arguments": "{\"p\": 1"}})),
        tool(&json!({"index": 1, "function": {"arguments": ": 2}"}})),
        tool(&json!({"index": 0, "function": {"arguments": "}"}})),
        stop("tool_calls"),
    ]);
    assert_eq!(calls(&answer), [pair("x", "{\"p\": 1}"), pair("y", "{\"q\": 2}")]);
    assert_eq!(answer.stop, StopReason::ToolUse);
}

#[test]
fn servers_without_index_with_one_index_for_all_and_with_repeated_ids() {
    let whole = |name: &str, id: &Value, index: &Value| {
        tool(&json!({"index": index, "id": id, "function": {"name": name, "arguments": "{}"}}))
    };
    let wanted = [pair("x", "{}"), pair("y", "{}")];
    for (first, second, index) in [
        (json!("a"), json!("b"), json!(null)),
        (json!(null), json!(null), json!(null)),
        (json!("a"), json!("b"), json!(0)),
    ] {
        let answer =
            answer(&[whole("x", &first, &index), whole("y", &second, &index), stop("stop")]);
        assert_eq!(calls(&answer), wanted, "{first} {index}");
    }
    let piece = |text: &str| {
        tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": text}}))
    };
    let answer = answer(&[piece("{\"p\""), piece(": 1}"), stop("tool_calls")]);
    assert_eq!(calls(&answer), [pair("x", "{\"p\": 1}")]);
}

#[test]
fn a_late_name_missing_pieces_and_arguments_that_are_no_text() {
    let answer = answer(&[
        tool(&json!({"index": 0, "id": "a", "function": {"arguments": "{\"p\""}})),
        tool(&json!({"index": 0, "function": {"name": "x", "arguments": ": 1}"}})),
        tool(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": {"q": 2}}})),
        tool(&json!({"index": 2, "id": "c", "function": {"name": "z", "arguments": null}})),
        tool(&json!({"index": 3, "id": "d", "function": {"arguments": "{}"}})),
        stop("tool_calls"),
    ]);
    let wanted = [pair("x", "{\"p\": 1}"), pair("y", "{\"q\":2}"), pair("z", ""), pair("", "{}")];
    assert_eq!(calls(&answer), wanted);
}

#[test]
fn l27_calls_count_also_when_the_answer_ends_with_stop() {
    let piece = json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}});
    let answer = answer(&[tool(&piece), stop("stop")]);
    assert_eq!((answer.stop.clone(), calls(&answer)), (StopReason::ToolUse, vec![pair("x", "{}")]));
}

#[test]
fn a_refusal_is_text_and_a_refusal() {
    let answer = answer(&[delta(&json!({"refusal": "I won't."})), stop("stop")]);
    assert_eq!((answer.text().as_str(), answer.stop), ("I won't.", StopReason::Refusal));
}

#[test]
fn the_last_call_of_an_answer_that_was_cut_off_never_ends() {
    let piece = |index: u64, text: &str| {
        tool(
            &json!({"index": index, "id": format!("c{index}"), "function": {"name": "x", "arguments": text}}),
        )
    };
    let deltas = run(&[piece(0, "{}"), piece(1, "{\"a"), stop("length")]).unwrap();
    assert!(deltas.contains(&Delta::BlockEnd { index: 0 }));
    assert!(!deltas.contains(&Delta::BlockEnd { index: 1 }));
}

fn done(state: &mut StreamState) -> Result<Vec<Delta>, LlmError> {
    state.push(&Event { name: "message".to_owned(), data: "[DONE]".to_owned() })
}

#[test]
fn pieces_after_the_reason_to_stop_belong_to_their_blocks_which_end_with_the_answer() {
    let chunks = [
        delta(&json!({"content": "H"})),
        tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{\"p\""}})),
        stop("tool_calls"),
        tool(&json!({"index": 0, "function": {"arguments": ": 1}"}})),
        tool(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": "{}"}})),
    ];
    let wanted = [
        Delta::Started { model: "m".to_owned() },
        Delta::Text { index: 0, text: "H".to_owned() },
        Delta::BlockEnd { index: 0 },
        Delta::ToolUse { index: 1, id: "a".to_owned(), name: "x".to_owned() },
        Delta::Arguments { index: 1, text: "{\"p\"".to_owned() },
        Delta::Arguments { index: 1, text: ": 1}".to_owned() },
        Delta::ToolUse { index: 2, id: "b".to_owned(), name: "y".to_owned() },
        Delta::Arguments { index: 2, text: "{}".to_owned() },
        Delta::BlockEnd { index: 1 },
        Delta::BlockEnd { index: 2 },
        Delta::Stopped(StopReason::ToolUse),
    ];
    assert_eq!(run(&chunks).unwrap(), wanted);
}

#[test]
fn a_call_that_begins_after_the_reason_to_stop_is_whole_and_the_reason() {
    let late = tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
    let deltas = run(&[delta(&json!({"content": "hi"})), stop("stop"), late]).unwrap();
    assert!(deltas.contains(&Delta::BlockEnd { index: 1 }));
    assert_eq!(deltas.last(), Some(&Delta::Stopped(StopReason::ToolUse)));
}

#[test]
fn a_limit_that_is_told_last_is_still_a_limit() {
    let call = tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": " "}}));
    for reasons in [["stop", "length"], ["length", "stop"]] {
        let deltas = run(&[call.clone(), stop(reasons[0]), stop(reasons[1])]).unwrap();
        assert!(!deltas.contains(&Delta::BlockEnd { index: 0 }), "{reasons:?}");
        assert_eq!(deltas.last(), Some(&Delta::Stopped(StopReason::MaxTokens)), "{reasons:?}");
    }
}

#[test]
fn l01_a_late_call_whose_arguments_never_came_counts_only_with_done() {
    let late = tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": " "}}));
    let state = || {
        let mut state = StreamState::new();
        for chunk in [stop("tool_calls"), late.clone()] {
            state.push(&Event { name: "message".to_owned(), data: chunk.to_string() }).unwrap();
        }
        state
    };
    assert!(matches!(state().finish(), Err(LlmError::Incomplete)));
    let end = [Delta::BlockEnd { index: 0 }, Delta::Stopped(StopReason::ToolUse)];
    assert_eq!(done(&mut state()).unwrap(), end);
}

#[test]
fn nothing_follows_the_end_of_the_answer() {
    let mut state = StreamState::new();
    state.push(&Event { name: "message".to_owned(), data: stop("stop").to_string() }).unwrap();
    assert_eq!(done(&mut state).unwrap(), [Delta::Stopped(StopReason::EndTurn)]);
    let late = tool(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
    let late = Event { name: "message".to_owned(), data: late.to_string() };
    assert_eq!(state.push(&late).unwrap(), []);
    assert_eq!(done(&mut state).unwrap(), []);
    assert_eq!(state.finish().unwrap(), []);
}

#[test]
fn l01_an_end_without_a_reason_is_incomplete_also_with_done() {
    let chunks = [delta(&json!({"content": "a"}))];
    assert!(matches!(run(&chunks), Err(LlmError::Incomplete)));
    let done = Event { name: "message".to_owned(), data: "[DONE]".to_owned() };
    assert!(matches!(StreamState::new().push(&done), Err(LlmError::Incomplete)));
}

#[test]
fn l03_errors_inside_the_stream_are_errors() {
    let overloaded = json!({"error": {"code": 529, "message": "busy"}});
    assert!(matches!(run(&[overloaded]), Err(LlmError::Unavailable { status: 529, .. })));
    let inner =
        json!({"choices": [{"index": 0, "delta": {}, "error": {"code": 502, "message": "x"}}]});
    assert!(matches!(run(&[inner]), Err(LlmError::Unavailable { status: 502, .. })));
    assert!(matches!(run(&[stop("error")]), Err(LlmError::Unavailable { status: 500, .. })));
}

#[test]
fn l30_two_thousand_calls_come_out_in_order() {
    let piece = |index: u64| {
        tool(
            &json!({"index": index, "id": format!("c{index}"), "function": {"name": "x", "arguments": index.to_string()}}),
        )
    };
    let chunks: Vec<Value> = (0..2000).map(piece).chain([stop("tool_calls")]).collect();
    let wanted: Vec<_> = (0..2000).map(|index: u64| pair("x", &index.to_string())).collect();
    assert_eq!(calls(&answer(&chunks)), wanted);
}

#[test]
fn other_choices_and_content_in_parts() {
    let other = json!({"choices": [{"index": 1, "delta": {"content": "other"}}]});
    let parts = delta(&json!({"content": [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Hi"},
    ]}));
    let answer = answer(&[other, parts, stop("stop")]);
    let thought = Block::Thinking { text: "hm".to_owned(), signature: None };
    assert_eq!(answer.message.content, [thought, Block::Text { text: "Hi".to_owned() }]);
}

proptest::proptest! {
    #[test]
    fn no_json_makes_it_panic(
        field in "(choices|usage|error|model)",
        value in proptest::sample::select(&[
            "null", "[]", "[1]", "1", "{}", "\"x\"", r#"[{"delta":[1]}]"#, r#"[{"finish_reason":1}]"#,
            r#"[{"delta":{"content":[1,{"text":2}],"tool_calls":[[],1,{},{"function":[]}]}}]"#,
        ][..]),
        array in proptest::bool::ANY,
    ) {
        let data = if array { value.to_owned() } else { format!("{{\"{field}\":{value}}}") };
        let _ = StreamState::new().push(&Event { name: "message".to_owned(), data });
    }
}
