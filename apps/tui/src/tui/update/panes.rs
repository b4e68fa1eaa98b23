//! Keys in the conversation, the batch and the detail.

use callgate_agent::Command;

use crate::tui::{
    keymap::Action,
    msg::Effect,
    state::{CallAt, Focus, Scroll, State, Work},
};

/// Calls that a page key moves by.
const PAGE: isize = 10;

/// Moves in a scrolled text; false if the action does not scroll.
pub(super) fn scroll(scroll: &mut Scroll, action: Action) -> bool {
    let page = scroll.page();
    match action {
        Action::Up => scroll.by(-1),
        Action::Down => scroll.by(1),
        Action::PageUp => scroll.by(-page),
        Action::PageDown => scroll.by(page),
        Action::HalfUp => scroll.by(-(page / 2).max(1)),
        Action::HalfDown => scroll.by((page / 2).max(1)),
        Action::Top => scroll.go_top(),
        Action::Bottom => scroll.go_end(),
        _ => return false,
    }
    true
}

pub(super) fn conversation(state: &mut State, action: Action) -> Vec<Effect> {
    let conversation = &mut state.conversation;
    let page = conversation.page();
    match action {
        Action::Up => conversation.scroll_by(-1),
        Action::Down => conversation.scroll_by(1),
        Action::PageUp => conversation.scroll_by(-page),
        Action::PageDown => conversation.scroll_by(page),
        Action::HalfUp => conversation.scroll_by(-(page / 2).max(1)),
        Action::HalfDown => conversation.scroll_by((page / 2).max(1)),
        Action::Top => conversation.go_top(),
        Action::Bottom | Action::Follow => conversation.follow(),
        _ => {}
    }
    Vec::new()
}

pub(super) fn batch(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Up => state.batches.select_by(-1),
        Action::Down => state.batches.select_by(1),
        Action::PageUp => state.batches.select_by(-PAGE),
        Action::PageDown => state.batches.select_by(PAGE),
        Action::Top => state.batches.select(0),
        Action::Bottom => state.batches.select(usize::MAX),
        Action::EarlierBatch => turn(state, -1),
        Action::LaterBatch => turn(state, 1),
        Action::Open => open_selected(state),
        Action::OpenSpill => open(state, Work::Spill),
        Action::CancelCall => return cancel_selected(state),
        Action::CancelBatch => return cancel_batch(state),
        _ => {}
    }
    Vec::new()
}

pub(super) fn detail(state: &mut State, action: Action) -> Vec<Effect> {
    match action {
        Action::Open => open(state, Work::Detail),
        Action::OpenSpill => open(state, Work::Spill),
        Action::CancelCall => return cancel_selected(state),
        Action::HeadPart => state.work_scroll.go_top(),
        Action::TailPart => state.work_scroll.go_end(),
        Action::CutPart => state.work_scroll.go_mark(),
        _ => {
            scroll(&mut state.work_scroll, action);
        }
    }
    Vec::new()
}

fn turn(state: &mut State, batches: isize) {
    state.batches.turn(batches);
    state.work_scroll = Scroll::default();
}

/// Enter on a call that asks leads to its question.
fn open_selected(state: &mut State) {
    let asked = state.batches.current().zip(state.batches.selected());
    if let Some((batch, call)) = asked.filter(|(_, call)| call.asking) {
        let at = CallAt { batch: batch.number, index: call.index };
        if state.approvals.show(at, state.now) {
            state.focus = Focus::Approval;
            return;
        }
    }
    open(state, Work::Detail);
}

/// Shows the selected call, if there is one.
pub(super) fn open(state: &mut State, work: Work) {
    if state.batches.selected().is_some() {
        state.focus = Focus::Detail;
        if state.work != work {
            state.work = work;
            state.work_scroll = Scroll::default();
        }
    } else if state.focus == Focus::Detail {
        state.focus = Focus::Batch;
    }
}

fn cancel_selected(state: &State) -> Vec<Effect> {
    let open = state.batches.selected().filter(|call| !call.is_over());
    open.map(|call| cancel(&call.tool_use_id)).into_iter().collect()
}

fn cancel_batch(state: &State) -> Vec<Effect> {
    let calls = state.batches.current().map(|batch| batch.calls.as_slice()).unwrap_or_default();
    let open = calls.iter().filter(|call| !call.is_over());
    open.map(|call| cancel(&call.tool_use_id)).collect()
}

fn cancel(tool_use_id: &str) -> Effect {
    Effect::Send(Command::CancelCall { tool_use_id: tool_use_id.to_owned() })
}
