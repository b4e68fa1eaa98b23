use callgate_agent::{Command, Decision};
use serde_json::json;

use crate::tui::{
    msg::{Code, Effect, Key, Msg},
    state::{Body, Call, Focus, Phase, Work},
    testing::Stage,
};

fn phases(stage: &Stage) -> Vec<Phase> {
    stage.state.batches.current().unwrap().calls.iter().map(Call::phase).collect()
}

#[test]
fn calls_go_through_their_states_and_settle_alone() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    let timeout = Phase::Failed(callgate_dispatch::ErrorCode::Timeout);
    assert_eq!(
        phases(&stage),
        [Phase::Done, timeout, Phase::Running, Phase::Waiting, Phase::Waiting]
    );
    let waits = |stage: &Stage| stage.state.batches.current().unwrap().calls[3].waits_for.clone();
    assert_eq!(waits(&stage), Some(vec![2]), "calls that have ended are named no more");
    assert_eq!(stage.state.batches.running(), 1);
    stage.finish(4_000, "toolu_3", "bash", json!({}));
    assert_eq!(phases(&stage)[2], Phase::Done);
    assert_eq!(stage.state.batches.running(), 0);
}

#[test]
fn what_comes_after_the_end_of_a_call_changes_nothing() {
    let mut stage = Stage::new(80, 24);
    stage.finished_batch();
    let before = stage.state.batches.clone();
    stage.event(5_000, json!({"type": "tool.started", "tool_use_id": "toolu_1"}));
    stage.finish(
        5_000,
        "toolu_1",
        "read_file",
        json!({"is_error": true, "error_code": "cancelled"}),
    );
    assert_eq!(stage.state.batches, before);
}

#[test]
fn a_retried_turn_takes_its_text_back() {
    let mut stage = Stage::new(80, 24);
    stage.event(1, json!({"type": "prompt", "text": "hi"}));
    stage.event(2, json!({"type": "turn.started", "turn": 1}));
    stage.event(3, json!({"type": "text.delta", "text": "half an ans"}));
    stage.event(
        4,
        json!({"type": "turn.retrying", "attempt": 1, "wait_ms": 50, "reason": "cut off"}),
    );
    stage.event(5, json!({"type": "text.delta", "text": "whole"}));
    let said: Vec<_> = stage.state.conversation.entries().iter().map(|e| e.body.clone()).collect();
    assert!(
        !said.iter().any(|body| matches!(body, Body::Agent(t) if t.as_str().starts_with("half")))
    );
    assert!(matches!(said.last(), Some(Body::Agent(t)) if t.as_str() == "whole"));
}

#[test]
fn an_approval_waits_for_alt_a_and_for_half_a_second_of_quiet() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    assert_eq!(stage.ask(3_500, "toolu_5"), [Effect::Bell]);
    assert_eq!(stage.state.focus, Focus::Composer);
    assert_eq!(stage.press("y"), []);
    assert_eq!(stage.state.composer.text(), "y");
    stage.press("alt-a");
    stage.picture();
    stage.at(3_900);
    assert_eq!(stage.press("y"), []);
    stage.at(4_500);
    let answer = Command::Answer { tool_use_id: "toolu_5".into(), decision: Decision::Once };
    assert_eq!(stage.press("y"), [Effect::Send(answer)]);
    assert_eq!(stage.state.focus, Focus::Composer);
    assert!(stage.state.approvals.is_empty());
}

#[test]
fn t20_a_payload_that_was_not_seen_to_its_end_cannot_be_allowed_but_denied() {
    let mut stage = Stage::new(80, 24);
    let script: String =
        (0..100).fold(String::new(), |script, line| script + &format!("echo {line}\n"));
    stage.queue((1, 1), 0, (1, "a"), json!({"name": "bash", "arguments": {"command": script}}));
    stage.ask(2, "a");
    stage.press("f2");
    stage.at(1_000);
    let picture = stage.picture();
    assert!(picture.contains("101 lines") && picture.contains("echo 99"), "{picture}");
    assert_eq!(stage.press("y"), []);
    stage.press("end");
    stage.picture();
    stage.at(2_000);
    assert!(matches!(
        &stage.press("a")[..],
        [Effect::Send(Command::Answer { decision: Decision::Session, .. })]
    ));
}

#[test]
fn leaving_a_question_is_no_answer() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    stage.ask(3_500, "toolu_5");
    stage.press("f2");
    stage.at(9_000);
    assert_eq!(stage.press("esc"), []);
    assert_eq!((stage.state.focus, stage.state.approvals.len()), (Focus::Composer, 1));
}

#[test]
fn ctrl_c_clears_then_interrupts_then_asks_then_quits() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    stage.type_text("draft");
    assert_eq!(stage.press("ctrl-c"), []);
    assert!(stage.state.composer.is_empty());
    stage.at(10_000);
    assert_eq!(stage.press("ctrl-c"), [Effect::Send(Command::Interrupt)]);
    stage.at(20_000);
    assert_eq!(stage.press("ctrl-c"), []);
    stage.at(21_000);
    assert_eq!(stage.press("ctrl-c"), [Effect::Send(Command::Shutdown), Effect::Quit]);
}

#[test]
fn the_third_ctrl_c_in_two_seconds_always_leaves() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    stage.type_text("draft");
    stage.press("ctrl-c");
    stage.press("ctrl-c");
    assert_eq!(stage.press("ctrl-c"), [Effect::Send(Command::Shutdown), Effect::Quit]);
}

#[test]
fn esc_twice_interrupts_and_once_does_not() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    assert_eq!(stage.press("esc"), []);
    stage.at(9_000);
    assert_eq!(stage.press("esc"), []);
    stage.at(10_000);
    assert_eq!(stage.press("esc"), [Effect::Send(Command::Interrupt)]);
}

#[test]
fn ctrl_d_quits_on_an_empty_composer_only() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("a");
    assert_eq!(stage.press("ctrl-d"), []);
    stage.press("backspace");
    assert_eq!(stage.press("ctrl-d"), [Effect::Send(Command::Shutdown), Effect::Quit]);
}

#[test]
fn enter_sends_and_a_running_task_queues() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("do it");
    assert_eq!(stage.press("enter"), [Effect::Send(Command::Submit("do it".into()))]);
    stage.event(1, json!({"type": "prompt", "text": "do it"}));
    stage.type_text("and more");
    stage.press("enter");
    assert_eq!(stage.state.task.queued.len(), 1);
}

#[test]
fn a_slash_word_is_a_command_and_a_path_is_not() {
    let mut stage = Stage::new(80, 24);
    stage.type_text("/nope");
    assert_eq!(stage.press("enter"), []);
    assert_eq!(stage.state.composer.text(), "/nope");
    stage.press("ctrl-u");
    stage.type_text("/usr/bin/env is missing");
    assert_eq!(stage.press("enter").len(), 1);
    stage.type_text("/help");
    stage.press("enter");
    assert!(stage.state.help.is_some());
    stage.press("esc");
    stage.type_text("/quit");
    assert_eq!(stage.press("enter").last(), Some(&Effect::Quit));
}

#[test]
fn x_cancels_the_selected_call_by_its_own_id() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    stage.press("f4");
    stage.press("j");
    stage.press("j");
    let cancel = Command::CancelCall { tool_use_id: "toolu_3".into() };
    assert_eq!(stage.press("x"), [Effect::Send(cancel)]);
    stage.press("k");
    assert_eq!(stage.press("x"), [], "a call that is over is not cancelled");
    assert_eq!(stage.press("X").len(), 3);
}

#[test]
fn following_ends_by_scrolling_up_and_begins_again_at_the_end() {
    let mut stage = Stage::new(80, 24);
    for line in 0..50 {
        stage.event(line, json!({"type": "notice", "message": format!("line {line}")}));
    }
    stage.picture();
    stage.press("pgup");
    let up = stage.picture();
    assert!(!up.contains("line 49"), "{up}");
    stage.event(100, json!({"type": "notice", "message": "new"}));
    let still = stage.picture();
    assert!(still.contains("1 new"), "{still}");
    stage.press("f3");
    stage.press("pgdn");
    stage.press("pgdn");
    assert!(stage.picture().contains(" follow "));
}

#[test]
fn nothing_is_timed_while_nothing_moves() {
    let mut stage = Stage::new(80, 24);
    assert_eq!(stage.state.deadline(), None);
    stage.running_batch();
    assert_eq!(stage.state.deadline(), Some(3_400 + 125));
    stage.finished_batch();
    assert_eq!(stage.state.deadline(), None);
}

#[test]
fn time_alone_asks_for_a_frame_only_where_something_is_timed() {
    let mut stage = Stage::new(80, 24);
    stage.finished_batch();
    let revision = stage.state.revision;
    stage.at(90_000);
    assert_eq!(stage.state.revision, revision);
}

#[test]
fn the_end_of_the_engine_is_said_and_leaves_the_text_there() {
    let mut stage = Stage::new(80, 24);
    stage.running_batch();
    stage.send(Msg::EngineGone);
    assert!(!stage.state.task.is_running());
    assert!(stage.picture().contains("the engine has ended"));
}

#[test]
fn detail_opens_and_closes() {
    let mut stage = Stage::new(80, 24);
    stage.finished_batch();
    stage.press("f4");
    stage.press("enter");
    assert_eq!((stage.state.focus, stage.state.work), (Focus::Detail, Work::Detail));
    stage.press("s");
    assert_eq!(stage.state.work, Work::Spill);
    stage.press("q");
    assert_eq!((stage.state.focus, stage.state.work), (Focus::Batch, Work::Lanes));
}

#[test]
fn a_call_that_waits_for_the_person_counts_as_asking_and_blames_no_ended_call() {
    let mut stage = Stage::new(120, 40);
    stage.running_batch();
    stage.ask(3_500, "toolu_5");
    assert_eq!(phases(&stage)[4], Phase::Asking);
    assert!(stage.picture().contains("ask, after c3"));
    stage.finish(4_000, "toolu_3", "bash", json!({}));
    let picture = stage.picture();
    assert!(picture.contains("1 ask") && !picture.contains("after c3"), "{picture}");
    stage
        .event(4_100, json!({"type": "tool.waiting", "tool_use_id": "toolu_4", "on": ["toolu_1"]}));
    assert_eq!(phases(&stage)[3], Phase::Queued, "a late report names nobody either");
}

#[test]
fn every_call_of_a_batch_has_a_row_though_the_first_one_bars_the_others() {
    let mut stage = Stage::new(120, 40);
    for (index, id) in ["a", "b", "c"].into_iter().enumerate() {
        stage.queue((1, 1), index, (3, id), json!({"name": "bash", "arguments": {"command": id}}));
    }
    stage.event(2, json!({"type": "tool.waiting", "tool_use_id": "b", "on": ["a"]}));
    stage.event(2, json!({"type": "tool.waiting", "tool_use_id": "c", "on": ["a", "b"]}));
    stage.ask(3, "a");
    let picture = stage.picture();
    for row in ["c1 bash a", "c2 bash b", "wait c1 ", "c3 bash c", "wait c1 c2", "1 ask  2 wait"] {
        assert!(picture.contains(row), "{row} in {picture}");
    }
}

#[test]
fn what_was_typed_between_two_ctrl_c_starts_their_count_anew_and_drafts_come_back() {
    let mut stage = Stage::new(80, 24);
    for draft in ["one", "two", "three"] {
        stage.type_text(draft);
        assert_eq!(stage.press("ctrl-c"), []);
    }
    for draft in ["three", "two", "one"] {
        stage.press("up");
        assert_eq!(stage.state.composer.text(), draft);
    }
}

#[test]
fn the_smallest_card_shows_what_would_run_and_can_be_answered() {
    for (width, height) in [(20, 5), (40, 10), (80, 10), (80, 11), (80, 12), (80, 15), (80, 16)] {
        let mut stage = Stage::new(width, height);
        stage.running_batch();
        stage.ask(3_500, "toolu_5");
        stage.press("f2");
        stage.picture();
        stage.at(5_000);
        let picture = stage.picture();
        let shown = picture.contains("cargo bench") && picture.contains("y once");
        assert!(shown, "{width}x{height}\n{picture}");
        let answer = Command::Answer { tool_use_id: "toolu_5".into(), decision: Decision::Once };
        assert_eq!(stage.press("y"), [Effect::Send(answer)], "{width}x{height}");
    }
}

#[test]
fn the_card_says_what_allowing_for_the_session_allows() {
    let mut stage = Stage::new(80, 24);
    let calls = [
        (json!({"name": "bash", "subject": "ls"}), "a this session: exactly this command"),
        (
            json!({"name": "write_file", "subject": "x"}),
            "a this session: write_file(**), every file here",
        ),
        (json!({"name": "deploy"}), "a this session: deploy, whatever it is given"),
    ];
    for (index, (call, scope)) in calls.into_iter().enumerate() {
        let mut call = call;
        call["arguments"] = json!({});
        let id = format!("call-{index}");
        stage.queue((1, 1), index, (3, &id), call);
        stage.ask(2, &id);
        stage.press("f2");
        let picture = stage.picture();
        assert!(picture.contains(scope), "{scope} in {picture}");
        stage.finish(3, &id, "x", json!({}));
    }
}

#[test]
fn on_a_small_screen_the_conversation_comes_back_with_the_composer() {
    let mut stage = Stage::new(80, 24);
    stage.finished_batch();
    for keys in [["f4", "enter", "tab"], ["f4", "enter", "f6"], ["f4", "enter", "f3"]] {
        for key in keys {
            stage.press(key);
        }
        assert!(stage.picture().contains("One test fails."));
    }
}

#[test]
fn earlier_batches_can_be_opened_and_the_composer_leads_back_to_the_last() {
    let mut stage = Stage::new(80, 24);
    for batch in 1..=20 {
        let id = format!("call-{batch}");
        let call = json!({"name": "bash", "arguments": {}, "subject": format!("echo {batch}")});
        stage.queue((batch, batch), 0, (1, &id), call);
        stage.finish(batch, &id, "bash", json!({"content": format!("answer {batch}")}));
    }
    let number = |stage: &Stage| stage.state.batches.current().unwrap().number;
    stage.press("f4");
    stage.press("]");
    assert_eq!(number(&stage), 20);
    for _ in 0..25 {
        stage.press("[");
    }
    assert_eq!(number(&stage), 1);
    assert!(stage.picture().contains("Batch 1 of 20"));
    stage.press("s");
    assert!(stage.picture().contains("answer 1"));
    stage.queue((30, 21), 0, (1, "late"), json!({"name": "bash", "arguments": {}}));
    assert_eq!(number(&stage), 1, "what comes does not push away what is read");
    stage.press("esc");
    stage.press("]");
    assert_eq!(number(&stage), 2);
    stage.press("esc");
    assert_eq!(number(&stage), 21);
}

fn ended(outcome: &str) -> serde_json::Value {
    json!({"type": "session.finished", "outcome": outcome, "text": "",
        "totals": {"turns": 1, "calls": 0, "failed_calls": 0, "duration_ms": 1,
        "usage": {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0}}})
}

fn send_three(stage: &mut Stage) {
    for prompt in ["one", "two", "three"] {
        stage.type_text(prompt);
        stage.press("enter");
    }
    stage.event(1, json!({"type": "prompt", "text": "one"}));
}

#[test]
fn queued_prompts_are_seen_and_follow_one_by_one_when_a_task_ends_well() {
    let mut stage = Stage::new(80, 24);
    send_three(&mut stage);
    let picture = stage.picture();
    assert!(picture.contains("next 1: two") && picture.contains("next 2: three"), "{picture}");
    let next = |text: &str| [Effect::Send(Command::Submit(text.into()))];
    assert_eq!(stage.event(2, ended("done")), next("two"));
    stage.event(3, json!({"type": "prompt", "text": "two"}));
    assert_eq!(stage.event(4, ended("done")), next("three"));
}

#[test]
fn an_interrupt_puts_queued_prompts_back_and_starts_nothing() {
    for outcome in ["interrupted", "done"] {
        let mut stage = Stage::new(80, 24);
        send_three(&mut stage);
        assert_eq!(stage.press("ctrl-c"), [Effect::Send(Command::Interrupt)]);
        stage.type_text("draft");
        assert_eq!(stage.event(2, ended(outcome)), []);
        assert_eq!(stage.state.composer.text(), "two\n\nthree\n\ndraft");
        assert!(stage.state.task.queued.is_empty());
    }
}

#[test]
fn enter_within_a_text_that_comes_at_once_is_a_new_line_there_and_a_key_elsewhere() {
    let mut stage = Stage::new(80, 24);
    stage.finished_batch();
    stage.type_text("one");
    assert_eq!(stage.send(Msg::InText(Key::plain(Code::Enter))), []);
    stage.type_text("two");
    assert_eq!(stage.state.composer.text(), "one\ntwo");
    stage.press("f4");
    stage.send(Msg::InText(Key::plain(Code::Enter)));
    assert_eq!(stage.state.focus, Focus::Detail);
}

#[test]
fn the_help_cuts_no_word_and_reaches_its_end() {
    for (width, height) in [(20, 5), (40, 10), (80, 24), (120, 40), (200, 60)] {
        let mut stage = Stage::new(width, height);
        stage.press("f1");
        let mut seen = stage.picture();
        for _ in 0..400 {
            stage.press("j");
            seen += &stage.frame_text();
        }
        let words = if width < 40 { "batch" } else { "cancel every call of the batch" };
        assert!(seen.contains(words), "{width}x{height}\n{seen}");
        let last = if width < 40 { "first" } else { "first row" };
        assert!(seen.contains(last) && (width < 40 || seen.contains("HELP")), "{width}x{height}");
    }
}

#[test]
fn the_head_line_says_what_may_run_unasked() {
    let mut stage = Stage::new(80, 24);
    assert!(stage.picture().contains("mode ask"));
    stage.event(1, json!({"type": "session.started", "provider": "offline", "model": "planner",
        "cwd": "/home/you/proj", "permission_mode": "full-auto", "policy": "conflicts", "tools": []}));
    assert!(stage.picture().contains("mode full-auto"));
}
