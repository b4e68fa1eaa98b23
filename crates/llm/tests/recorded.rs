//! Recorded streams through parser and state, at every cut.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail, also in what it shares with others"
)]

use std::path::Path;

use callgate_llm::{
    Accumulator, Answer, Block, Delta, LlmError, StopReason, anthropic, openai_chat,
    sse::{Event, Parser},
};
use proptest::prelude::*;

/// File, calls, characters of text, why it stopped. The last two end with `stop` on the wire, though
/// they ask for a tool.
const STREAMS: [(&str, usize, usize, StopReason); 17] = [
    ("anthropic_sdk__basic_response.sse", 0, 12, StopReason::EndTurn),
    ("anthropic_sdk__compaction_response.sse", 0, 12, StopReason::EndTurn),
    ("anthropic_sdk__incomplete_partial_json_response.sse", 1, 135, StopReason::MaxTokens),
    ("anthropic_sdk__input_transformations_delta_response.sse", 0, 12, StopReason::EndTurn),
    ("anthropic_sdk__input_transformations_start_only_response.sse", 0, 12, StopReason::EndTurn),
    ("anthropic_sdk__refusal_response.sse", 0, 0, StopReason::Refusal),
    ("anthropic_sdk__server_tool_use_response.sse", 0, 109, StopReason::EndTurn),
    ("anthropic_sdk__stream-a-refusal.sse", 0, 2, StopReason::Refusal),
    ("anthropic_sdk__stream-a-toolrefusal.sse", 0, 54, StopReason::Refusal),
    ("anthropic_sdk__stream-b-fallback.sse", 0, 1312, StopReason::EndTurn),
    ("anthropic_sdk__tool_use_invalid_json_response.sse", 1, 48, StopReason::ToolUse),
    ("anthropic_sdk__tool_use_response.sse", 1, 48, StopReason::ToolUse),
    (
        "langchain_anthropic__test_streaming_tool_call_v1_v2_parity__0.sse",
        1,
        0,
        StopReason::ToolUse,
    ),
    (
        "langchain_anthropic__test_streaming_tool_call_v1_v2_parity__1.sse",
        1,
        0,
        StopReason::ToolUse,
    ),
    ("langchain_anthropic__test_web_fetch__8.sse", 0, 1550, StopReason::EndTurn),
    ("langchain_openai__test_streaming_tool_call_v1_v2_parity__0.sse", 1, 0, StopReason::ToolUse),
    ("langchain_openai__test_streaming_tool_call_v1_v2_parity__1.sse", 1, 0, StopReason::ToolUse),
];

fn read(file: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/sse");
    std::fs::read(folder.join(file)).unwrap()
}

type Push = Box<dyn FnMut(&Event) -> Result<Vec<Delta>, LlmError>>;

/// The state of the file's wire format, whichever it is.
fn state(file: &str) -> Push {
    if file.starts_with("langchain_openai") {
        let mut state = openai_chat::StreamState::new();
        return Box::new(move |event| state.push(event));
    }
    let mut state = anthropic::StreamState::new();
    Box::new(move |event| state.push(event))
}

fn deltas(file: &str, pieces: &[&[u8]]) -> Vec<Delta> {
    let mut parser = Parser::new();
    let mut state = state(file);
    let mut deltas = Vec::new();
    for piece in pieces {
        for event in parser.push(piece).unwrap() {
            deltas.extend(state(&event).unwrap());
        }
    }
    if let Some(event) = parser.finish().unwrap() {
        deltas.extend(state(&event).unwrap());
    }
    deltas
}

fn answer(deltas: &[Delta]) -> Answer {
    let mut answer = Accumulator::new();
    for delta in deltas {
        answer.push(delta);
    }
    assert!(answer.is_complete());
    answer.finish()
}

fn calls_and_text(answer: &Answer) -> (usize, usize) {
    let is_call = |block: &&Block| matches!(block, Block::ToolUse { .. });
    let calls = answer.message.content.iter().filter(is_call).count();
    (calls, answer.text().chars().count())
}

#[test]
fn every_recorded_answer_is_understood_to_the_end() {
    let mut wrong = Vec::new();
    for (file, calls, text, stop) in STREAMS {
        let answer = answer(&deltas(file, &[&read(file)]));
        if (calls_and_text(&answer), &answer.stop) != ((calls, text), &stop) {
            wrong.push((file, calls_and_text(&answer), answer.stop));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_cut_and_single_bytes_make_no_difference() {
    for (file, ..) in STREAMS {
        let bytes = read(file);
        let whole = deltas(file, &[&bytes]);
        assert_eq!(deltas(file, &bytes.chunks(1).collect::<Vec<_>>()), whole, "{file}");
        // Every cut of the small ones. A large one would be parsed thousands of times.
        for cut in (0..bytes.len()).step_by(bytes.len() / 1_000 + 1) {
            let (left, right) = bytes.split_at(cut);
            assert!(deltas(file, &[left, right]) == whole, "{file} cut at {cut}");
        }
    }
}

#[test]
fn l01_no_recorded_answer_is_complete_before_its_end() {
    for (file, ..) in STREAMS {
        let bytes = read(file);
        let half = &bytes[..bytes.len() / 2];
        let mut parser = Parser::new();
        let mut state = state(file);
        let mut answer = Accumulator::new();
        for event in parser.push(half).unwrap() {
            state(&event).unwrap().iter().for_each(|delta| answer.push(delta));
        }
        let has_call = |block: &Block| matches!(block, Block::ToolUse { .. });
        assert!(!answer.is_complete(), "{file}");
        assert!(!answer.finish().message.content.iter().any(has_call), "{file}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn random_splits_make_no_difference(
        which in 0..STREAMS.len(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
    ) {
        let file = STREAMS[which].0;
        let bytes = read(file);
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
        at.extend([0, bytes.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
        prop_assert_eq!(deltas(file, &pieces), deltas(file, &[&bytes]));
    }
}
