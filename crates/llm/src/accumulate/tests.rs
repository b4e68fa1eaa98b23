use std::time::Duration;

use super::*;

fn text(index: usize, text: &str) -> Delta {
    Delta::Text { index, text: text.to_owned() }
}

fn tool(index: usize, id: &str) -> Delta {
    Delta::ToolUse { index, id: id.to_owned(), name: "t".to_owned() }
}

fn arguments(index: usize, text: &str) -> Delta {
    Delta::Arguments { index, text: text.to_owned() }
}

fn finish(deltas: &[Delta]) -> Answer {
    let mut answer = Accumulator::new();
    for delta in deltas {
        answer.push(delta);
    }
    answer.finish()
}

fn call(id: &str, arguments: &str) -> Block {
    Block::ToolUse { id: id.to_owned(), name: "t".to_owned(), arguments: arguments.to_owned() }
}

#[test]
fn interleaved_blocks_come_out_in_their_order_and_empty_ones_not_at_all() {
    let answer = finish(&[
        tool(3, "c2"),
        Delta::Thinking { index: 0, text: "hm".to_owned() },
        arguments(3, "{\"a\":"),
        text(1, ""),
        tool(2, "c1"),
        Delta::Signature { index: 0, signature: "s".to_owned() },
        arguments(2, "{}"),
        arguments(3, "1}"),
        Delta::BlockEnd { index: 2 },
        Delta::BlockEnd { index: 3 },
        Delta::Usage(Usage { output_tokens: 7, ..Usage::default() }),
        Delta::Stopped(StopReason::ToolUse),
    ]);
    let thought = Block::Thinking { text: "hm".to_owned(), signature: Some("s".to_owned()) };
    assert_eq!(answer.message.content, [thought, call("c1", "{}"), call("c2", "{\"a\":1}")]);
    assert_eq!((answer.stop, answer.usage.output_tokens), (StopReason::ToolUse, 7));
}

#[test]
fn l01_an_answer_that_never_stopped_has_no_calls() {
    let answer = finish(&[
        text(0, "I will"),
        Delta::BlockEnd { index: 0 },
        tool(1, "c1"),
        arguments(1, "{}"),
        Delta::BlockEnd { index: 1 },
    ]);
    assert_eq!(answer.message.content, [Block::Text { text: "I will".to_owned() }]);
    assert_eq!(answer.stop, StopReason::Other("incomplete".to_owned()));
}

#[test]
fn l03_what_came_before_a_retry_is_void() {
    let answer = finish(&[
        text(0, "half of"),
        tool(1, "c1"),
        Delta::Retrying { attempt: 1, wait: Duration::ZERO, reason: String::new() },
        text(0, "whole"),
        Delta::BlockEnd { index: 0 },
        Delta::Stopped(StopReason::EndTurn),
    ]);
    assert_eq!(answer.text(), "whole");
    assert_eq!(answer.message.content.len(), 1);
}

#[test]
fn l20_arguments_that_are_no_json_are_kept_as_they_came() {
    let stop = Delta::Stopped(StopReason::ToolUse);
    let deltas = [tool(0, "c"), arguments(0, "{\"a\": 01"), Delta::BlockEnd { index: 0 }, stop];
    assert_eq!(finish(&deltas).message.content, [call("c", "{\"a\": 01")]);
}

#[test]
fn a_call_that_was_cut_off_before_its_arguments_is_not_one_without_arguments() {
    let cut = [tool(0, "c"), Delta::Stopped(StopReason::MaxTokens)];
    assert_eq!(finish(&cut).message.content, [call("c", "{")]);
    let stop = Delta::Stopped(StopReason::ToolUse);
    let whole = [tool(0, "c"), Delta::BlockEnd { index: 0 }, stop];
    assert_eq!(finish(&whole).message.content, [call("c", "")]);
}

#[test]
fn a_call_that_was_cut_off_within_the_blanks_before_its_arguments_is_not_one_without_any() {
    for blank in [" ", "\n", "\u{feff}", "\u{feff}\r\n\t "] {
        let cut = [tool(0, "c"), arguments(0, blank), Delta::Stopped(StopReason::MaxTokens)];
        let kept = format!("{blank}{{");
        assert_eq!(finish(&cut).message.content, [call("c", &kept)], "{blank:?}");
    }
}

#[test]
fn a_block_is_there_when_it_has_ended_and_not_before() {
    let mut answer = Accumulator::new();
    answer.push(&tool(0, "c"));
    answer.push(&arguments(0, "{}"));
    assert_eq!(answer.block(0), None);
    answer.push(&Delta::BlockEnd { index: 0 });
    assert_eq!(answer.block(0), Some(&call("c", "{}")));
    assert!(!answer.is_complete());
}
