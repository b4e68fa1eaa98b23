//! What the tests of this module share: scenes that are told by events, and frames as text.
#![expect(clippy::needless_pass_by_value, reason = "scenes read better without borrows of json!")]

use callgate_agent::Envelope;
use ratatui::{buffer::Buffer, layout::Rect};
use serde_json::{Value, json};

use super::{
    keymap::parse_chord,
    msg::{Effect, Msg, Size},
    state::State,
    theme::Theme,
    update::update,
    view::{Cache, Frame, draw},
};

/// A state with its cache, driven as the loop drives it.
#[derive(Default)]
pub(crate) struct Stage {
    pub(crate) state: State,
    cache: Cache,
    seq: u64,
}

impl Stage {
    pub(crate) fn new(width: u16, height: u16) -> Self {
        let mut stage = Self::default();
        stage.send(Msg::Resize(Size { width, height }));
        stage.event(0, json!({"type": "session.started", "provider": "offline", "model": "planner",
            "cwd": "/home/you/proj", "permission_mode": "ask", "policy": "conflicts", "tools": ["bash"]}));
        stage
    }

    pub(crate) fn send(&mut self, msg: Msg) -> Vec<Effect> {
        update(&mut self.state, msg)
    }

    /// An event at `ms` of the session, which is when it is seen, too.
    pub(crate) fn event(&mut self, ms: u64, event: Value) -> Vec<Effect> {
        let mut event = event;
        event["session_id"] = json!("s");
        event["seq"] = json!(self.seq);
        event["at_us"] = json!(ms * 1_000);
        self.seq += 1;
        let envelope: Envelope = serde_json::from_value(event).expect("an event");
        self.at(ms);
        self.send(Msg::Engine(Box::new(envelope)))
    }

    pub(crate) fn at(&mut self, ms: u64) {
        self.send(Msg::Now(ms));
    }

    pub(crate) fn press(&mut self, chord: &str) -> Vec<Effect> {
        let key = parse_chord(chord).unwrap_or_else(|| panic!("{chord} is no key"));
        self.send(Msg::Key(key))
    }

    pub(crate) fn type_text(&mut self, text: &str) -> Vec<Effect> {
        text.chars().flat_map(|c| self.press(&c.to_string())).collect()
    }

    /// Draws a frame and reports it back, as the loop does.
    pub(crate) fn frame(&mut self) -> (Buffer, Frame) {
        let size = self.state.size;
        let mut buffer = Buffer::empty(Rect { x: 0, y: 0, width: size.width, height: size.height });
        let frame = draw(&self.state, &mut self.cache, Theme::new(true, true), &mut buffer);
        self.send(Msg::Drawn(frame.metrics));
        (buffer, frame)
    }

    /// The next frame as lines.
    pub(crate) fn frame_text(&mut self) -> String {
        text_of(&self.frame().0)
    }

    /// The frame as lines; the caret is marked after it.
    pub(crate) fn picture(&mut self) -> String {
        // The first frame finds extents that the second uses.
        self.frame();
        let (buffer, frame) = self.frame();
        let cursor =
            frame.cursor.map_or_else(|| "hidden".to_owned(), |at| format!("{},{}", at.x, at.y));
        format!("{}cursor {cursor}", text_of(&buffer))
    }

    pub(crate) fn queue(
        &mut self,
        (ms, batch): (u64, u64),
        index: usize,
        (of, id): (usize, &str),
        call: Value,
    ) {
        let mut event = json!({"type": "tool.queued", "tool_use_id": id, "batch": batch,
            "index": index, "of": of, "read_only": false});
        for (key, value) in call.as_object().expect("an object") {
            event[key] = value.clone();
        }
        self.event(ms, event);
    }

    pub(crate) fn finish(&mut self, ms: u64, id: &str, name: &str, more: Value) {
        let mut event = json!({"type": "tool.finished", "tool_use_id": id, "name": name,
            "is_error": false, "content": "", "spill": null,
            "timing": {"queued_us": 0, "started_us": 1_000, "finished_us": ms * 1_000}});
        for (key, value) in more.as_object().expect("an object") {
            event[key] = value.clone();
        }
        self.event(ms, event);
    }

    /// Five calls: one done, one that runs, one that failed, one that waits, one that asks.
    pub(crate) fn running_batch(&mut self) {
        self.event(10, json!({"type": "prompt", "text": "Fix it and run the tests."}));
        self.event(20, json!({"type": "turn.started", "turn": 1}));
        self.event(30, json!({"type": "text.delta", "text": "I read the **call sites** and run the tests:\n\n- `grep` for permits\n- then edit\n\n```rust\nlet permit = slots.acquire().await?;\n```\n"}));
        let calls = [
            (
                "toolu_1",
                json!({"name": "read_file", "arguments": {"path": "src/lib.rs"}, "subject": "src/lib.rs", "read_only": true}),
            ),
            (
                "toolu_2",
                json!({"name": "grep", "arguments": {"pattern": "permit", "path": "src"}, "subject": "permit", "read_only": true}),
            ),
            (
                "toolu_3",
                json!({"name": "bash", "arguments": {"command": "cargo test"}, "subject": "cargo test"}),
            ),
            (
                "toolu_4",
                json!({"name": "edit_file", "arguments": {"path": "src/lib.rs", "old": "a", "new": "b\nc"}, "subject": "src/lib.rs"}),
            ),
            (
                "toolu_5",
                json!({"name": "bash", "arguments": {"command": "cargo bench"}, "subject": "cargo bench"}),
            ),
        ];
        for (index, (id, call)) in calls.into_iter().enumerate() {
            self.queue((100, 1), index, (5, id), call);
        }
        for id in ["toolu_1", "toolu_2", "toolu_3"] {
            self.event(110, json!({"type": "tool.started", "tool_use_id": id}));
        }
        self.event(120, json!({"type": "tool.waiting", "tool_use_id": "toolu_4", "on": ["toolu_1", "toolu_2", "toolu_3"]}));
        self.event(
            120,
            json!({"type": "tool.waiting", "tool_use_id": "toolu_5", "on": ["toolu_3"]}),
        );
        self.finish(150, "toolu_1", "read_file", json!({"content": "fn main() {}"}));
        self.finish(
            300,
            "toolu_2",
            "grep",
            json!({"is_error": true, "error_code": "timeout", "content": "timed out after 0.2 s"}),
        );
        self.event(900, json!({"type": "tool.output", "tool_use_id": "toolu_3", "stream": "stdout", "text": "running 412 tests\ntest retry ... ok\n"}));
        self.at(3_400);
    }

    /// The same batch, over, with a spilled output.
    pub(crate) fn finished_batch(&mut self) {
        self.running_batch();
        let content = format!(
            "head 1\nhead 2\n[9,773,990 characters in 83,932 lines are left out; the whole output is in /spill/a1b2.log]\n{}FAILED. 411 passed; 1 failed",
            "test ok\n".repeat(40)
        );
        self.finish(4_100, "toolu_3", "bash", json!({"is_error": true, "error_code": "execution_error",
            "exit_code": 101, "content": content,
            "spill": {"id": "a1b2", "path": "/spill/a1b2.log", "bytes": 9_804_113, "lines": 84_211}}));
        self.event(4_110, json!({"type": "tool.started", "tool_use_id": "toolu_4"}));
        self.finish(4_150, "toolu_4", "edit_file", json!({"content": "edited"}));
        self.finish(
            4_160,
            "toolu_5",
            "bash",
            json!({"is_error": true, "error_code": "denied", "content": "no"}),
        );
        self.event(4_200, json!({"type": "text.delta", "text": "One test fails."}));
        self.event(4_300, json!({"type": "session.finished", "outcome": "done", "text": "One test fails.",
            "totals": {"turns": 2, "calls": 5, "failed_calls": 3, "duration_ms": 4290,
            "usage": {"input_tokens": 1200, "output_tokens": 80, "cache_read_tokens": 0, "cache_write_tokens": 0}}}));
    }

    pub(crate) fn ask(&mut self, ms: u64, id: &str) -> Vec<Effect> {
        self.event(ms, json!({"type": "tool.awaiting_approval", "tool_use_id": id, "reason": "bash may change things"}))
    }
}

/// The symbols of a buffer, by lines.
pub(crate) fn text_of(buffer: &Buffer) -> String {
    let mut text = String::new();
    for y in buffer.area.top()..buffer.area.bottom() {
        let mut line = String::new();
        let mut x = buffer.area.left();
        while x < buffer.area.right() {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += u16::try_from(super::text::width_of(symbol)).unwrap().max(1);
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// No cell may hold what a terminal would obey.
pub(crate) fn assert_harmless(buffer: &Buffer) {
    for cell in buffer.content() {
        let hostile =
            cell.symbol().chars().find(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(c));
        assert_eq!(hostile, None, "in {:?}", cell.symbol());
    }
}
