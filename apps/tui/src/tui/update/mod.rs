//! `update`: the only place where the state changes.

mod approve;
mod compose;
mod engine;
mod keys;
mod panes;
mod stop;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

use super::{
    msg::{Effect, Metrics, Msg},
    state::{Focus, State},
};

/// Takes one message in, and says what it asks of the world.
pub(crate) fn update(state: &mut State, msg: Msg) -> Vec<Effect> {
    match msg {
        Msg::Now(now) => now_is(state, now),
        Msg::Drawn(metrics) => drawn(state, metrics),
        Msg::Key(key) => {
            state.revision += 1;
            return keys::press(state, key);
        }
        Msg::InText(key) => {
            state.revision += 1;
            return keys::in_text(state, key);
        }
        Msg::Paste(text) => {
            state.revision += 1;
            state.ladder.reset();
            if state.help.is_none() && state.focus == Focus::Composer {
                state.composer.insert(&text);
            } else if state.focus == Focus::Approval {
                state.approvals.disarm(state.now);
            }
        }
        Msg::Resize(size) => {
            state.revision += 1;
            state.size = size;
        }
        Msg::Engine(envelope) => {
            state.revision += 1;
            return engine::report(state, *envelope);
        }
        Msg::EngineGone => {
            state.revision += 1;
            engine::gone(state);
        }
    }
    Vec::new()
}

/// Time alone changes the picture only where something is timed.
fn now_is(state: &mut State, now: u64) {
    let due = state.deadline().is_some_and(|deadline| now >= deadline);
    state.now = state.now.max(now);
    if due {
        state.revision += 1;
    }
}

fn drawn(state: &mut State, metrics: Metrics) {
    if let Some(placed) = metrics.conversation {
        state.conversation.drawn(placed);
    }
    if let Some(extent) = metrics.work {
        state.work_scroll.drawn(extent);
    }
    if let Some(extent) = metrics.approval {
        state.approvals.drawn(extent);
    }
    if let (Some(extent), Some(help)) = (metrics.help, &mut state.help) {
        help.drawn(extent);
    }
}
