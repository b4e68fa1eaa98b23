//! Any keys, sizes and events in any order: nothing panics, and typing approves nothing.

use callgate_agent::Command;
use proptest::{collection::vec, prelude::*};
use serde_json::json;

use crate::tui::{
    keymap::BINDINGS,
    msg::{Effect, Msg, Size},
    testing::{Stage, assert_harmless},
};

#[derive(Debug, Clone)]
enum Step {
    Press(String),
    Paste(String),
    Resize(u16, u16),
    Wait(u64),
    Report(u8, u64, usize),
    Draw,
}

fn any_step() -> impl Strategy<Value = Step> {
    let bound: Vec<&'static str> = BINDINGS.iter().flat_map(|b| b.keys).copied().collect();
    prop_oneof![
        6 => prop::sample::select(bound).prop_map(|key| Step::Press(key.to_owned())),
        3 => any::<char>().prop_map(|c| Step::Press(c.to_string())),
        1 => any::<String>().prop_map(Step::Paste),
        1 => (0_u16..130, 0_u16..50).prop_map(|(w, h)| Step::Resize(w, h)),
        1 => (1_u16..260, 1_u16..80).prop_map(|(w, h)| Step::Resize(w, h)),
        2 => (0_u64..900).prop_map(Step::Wait),
        8 => (0_u8..16, 1_u64..4, 0_usize..6).prop_map(|(kind, batch, index)| Step::Report(kind, batch, index)),
        2 => Just(Step::Draw),
    ]
}

fn report(stage: &mut Stage, now: u64, (kind, batch, index): (u8, u64, usize)) {
    let id = format!("b{batch}-{}", index % 4);
    let hostile = "\u{1b}]52;c;x\u{7}**a** \u{202e}\r\n```\n&#27;[2J 日本語👩\u{200d}🚀";
    let event = match kind {
        0 => json!({"type": "prompt", "text": hostile}),
        1 => json!({"type": "turn.started", "turn": batch}),
        2 | 3 => json!({"type": "text.delta", "text": hostile}),
        4 => json!({"type": "thinking.delta", "text": hostile}),
        5 => json!({"type": "turn.retrying", "attempt": 1, "wait_ms": 1, "reason": hostile}),
        6 => {
            return stage.queue(
                (now, batch),
                index,
                (index, &id),
                json!({"name": hostile,
            "arguments": {"command": hostile.repeat(index * 9)}, "subject": hostile}),
            );
        }
        7 => json!({"type": "tool.waiting", "tool_use_id": id, "on": ["b1-0", "b1-1", "b2-2"]}),
        8 => json!({"type": "tool.awaiting_approval", "tool_use_id": id, "reason": hostile}),
        9 => json!({"type": "tool.decided", "tool_use_id": id, "allowed": true, "reason": hostile}),
        10 => json!({"type": "tool.started", "tool_use_id": id}),
        11 => {
            json!({"type": "tool.output", "tool_use_id": id, "stream": "stderr", "text": hostile})
        }
        12 => json!({"type": "tool.stopping", "tool_use_id": id}),
        13 => {
            return stage.finish(
                now,
                &id,
                "bash",
                json!({"content": hostile.repeat(index * 20),
            "spill": {"id": "x", "path": "/x", "bytes": 1, "lines": 1}}),
            );
        }
        14 => json!({"type": "error", "message": hostile}),
        _ => json!({"type": "session.finished", "outcome": "interrupted", "text": "",
            "totals": {"turns": 0, "calls": 1, "failed_calls": 1, "duration_ms": 1,
            "usage": {"input_tokens": 0, "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0}}}),
    };
    stage.event(now, event);
}

fn run(stage: &mut Stage, steps: &[Step]) -> Vec<Effect> {
    let mut effects = Vec::new();
    let mut now = 0;
    for step in steps {
        match step {
            Step::Press(key) => effects.extend(stage.press(key)),
            Step::Paste(text) => effects.extend(stage.send(Msg::Paste(text.clone()))),
            Step::Resize(width, height) => {
                stage.send(Msg::Resize(Size { width: *width, height: *height }));
            }
            Step::Wait(ms) => {
                now += ms;
                stage.at(now);
            }
            Step::Report(kind, batch, index) => report(stage, now, (*kind, *batch, *index)),
            Step::Draw => {
                let (buffer, frame) = stage.frame();
                assert_harmless(&buffer);
                let inside = |at| buffer.area.contains(at);
                assert!(frame.cursor.is_none_or(inside), "the caret left the screen");
            }
        }
    }
    effects
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 400, ..ProptestConfig::default() })]

    /// 60 × 500 steps.
    #[test]
    fn no_keys_sizes_and_events_panic(steps in vec(any_step(), 500)) {
        let mut stage = Stage::new(80, 24);
        run(&mut stage, &steps);
        let mut left = false;
        for _ in 0..3 {
            left |= stage.press("ctrl-c").contains(&Effect::Quit);
        }
        prop_assert!(left, "there is always a way out");
    }

    /// Whatever is typed, and whenever an approval arrives: the composer gives no approval.
    #[test]
    fn typing_never_approves(
        text in vec(prop_oneof![Just("y"), Just("a"), Just("n"), Just("enter"), Just("space"),
            Just("backspace"), Just("?"), Just("up"), Just("ctrl-j"), Just("ctrl-u")], 200),
        arrives in 0_usize..200,
        pace in 1_u64..2_000,
    ) {
        let mut stage = Stage::new(80, 24);
        stage.running_batch();
        for (index, key) in text.iter().enumerate() {
            let now = 4_000 + pace * index as u64;
            stage.at(now);
            if index == arrives {
                stage.ask(now, "toolu_5");
            }
            let effects = stage.press(key);
            let answered = effects.iter().any(|e| matches!(e, Effect::Send(Command::Answer { .. })));
            prop_assert!(!answered);
        }
    }
}
