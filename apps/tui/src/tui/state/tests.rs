use super::*;
use crate::tui::text::SafeText;

#[test]
fn the_composer_edits_by_graphemes_and_words() {
    let mut composer = Composer::default();
    composer.insert("fix the 👩\u{200d}🚀 bug");
    composer.word_left();
    composer.left();
    composer.delete_left();
    assert_eq!(composer.text(), "fix the  bug");
    composer.kill_to_start();
    assert_eq!((composer.text(), composer.caret()), (" bug", 0));
    composer.line_end();
    composer.yank();
    assert_eq!(composer.text(), " bugfix the ");
    composer.delete_word_left();
    assert_eq!(composer.text(), " bugfix ");
}

#[test]
fn up_and_down_move_in_the_text_and_then_in_the_history_and_back_to_the_draft() {
    let mut composer = Composer::default();
    composer.insert("first");
    composer.take();
    composer.insert("one\ntwo");
    composer.up();
    assert_eq!(composer.caret(), 3);
    composer.up();
    assert_eq!(composer.text(), "first");
    composer.down();
    assert_eq!(composer.text(), "one\ntwo");
}

#[test]
fn pasted_control_characters_do_not_enter_the_text() {
    let mut composer = Composer::default();
    composer.insert("a\r\nb\rc\u{1b}[201~\u{7}\td");
    assert_eq!(composer.text(), "a\nb\nc    d");
}

#[test]
fn the_tail_is_bounded_and_keeps_whole_lines() {
    let mut tail = Tail::default();
    for _ in 0..10_000 {
        tail.push("0123456789\n");
    }
    assert!(tail.text().as_str().len() <= 33 * 1024);
    assert!(tail.text().lines().all(|line| line.as_str() == "0123456789"));
    assert_eq!(tail.bytes(), 110_000);
}

#[test]
fn a_late_event_does_not_turn_the_clock_back() {
    let mut clock = EngineClock::default();
    clock.observe(1_000_000, 1_010);
    clock.observe(1_100_000, 2_000);
    assert_eq!(clock.now(2_010), 2_000_000);
}

#[test]
fn a_held_key_never_arms_an_approval() {
    let mut approvals = Approvals::default();
    approvals.ask(Approval {
        call: CallAt { batch: 1, index: 0 },
        tool_use_id: "a".into(),
        tool: SafeText::clean("bash"),
        reason: SafeText::default(),
        scope: SafeText::default(),
        payload: SafeText::default(),
        scroll: Scroll::default(),
        read: true,
    });
    for now in (1_000..5_000).step_by(30) {
        assert!(!approvals.armed(now) || now == 1_000);
        approvals.disarm(now);
    }
    assert!(approvals.armed(5_500));
}
