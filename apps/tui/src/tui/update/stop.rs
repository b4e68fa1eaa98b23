//! The ways out: Ctrl-C, Esc, quitting.

use callgate_agent::Command;

use super::keys;
use crate::tui::{
    msg::Effect,
    state::{Focus, Hint, State, Work},
};

/// Leaves; the engine is told first.
pub(super) fn quit() -> Vec<Effect> {
    vec![Effect::Send(Command::Shutdown), Effect::Quit]
}

/// Ctrl-C: clear the text, else interrupt the task, else ask whether to quit. The third within two
/// seconds always leaves.
pub(super) fn stop(state: &mut State) -> Vec<Effect> {
    if state.ladder.press(state.now) {
        return quit();
    }
    if !state.composer.is_empty() {
        state.composer.clear();
        return Vec::new();
    }
    if state.task.is_running() && !state.task.stopping {
        return interrupt(state);
    }
    if state.ladder.confirms_quit(state.now) { quit() } else { Vec::new() }
}

/// Esc: close what is open, then go to the composer, then interrupt at the second.
pub(super) fn back(state: &mut State) -> Vec<Effect> {
    if state.help.take().is_some() {
        return Vec::new();
    }
    match state.focus {
        // The question stays open: leaving it is no answer.
        Focus::Approval => state.focus = Focus::Composer,
        _ if state.zoomed => state.zoomed = false,
        Focus::Detail => {
            state.work = Work::Lanes;
            state.focus = Focus::Batch;
        }
        Focus::Batch | Focus::Conversation => keys::go(state, Focus::Composer),
        Focus::Composer => {
            if state.task.is_running()
                && !state.task.stopping
                && state.ladder.confirms_interrupt(state.now)
            {
                return interrupt(state);
            }
        }
    }
    Vec::new()
}

fn interrupt(state: &mut State) -> Vec<Effect> {
    state.task.stopping = true;
    state.ladder.show(Hint::Interrupting, state.now);
    vec![Effect::Send(Command::Interrupt)]
}
