//! Answering a question.

use callgate_agent::{Command, Decision};

use super::{engine, panes};
use crate::tui::{
    keymap::Action,
    msg::Effect,
    state::{Focus, Hint, State},
};

/// Goes to the questions; their keys arm a moment later.
pub(super) fn focus(state: &mut State) {
    if state.approvals.is_empty() {
        state.ladder.show(Hint::NoApproval, state.now);
    } else {
        state.help = None;
        state.focus = Focus::Approval;
        state.approvals.disarm(state.now);
    }
}

/// Takes in what was pressed on the card.
pub(super) fn act(state: &mut State, action: Action, armed: bool) -> Vec<Effect> {
    match action {
        Action::AllowOnce => allow(state, Decision::Once, armed),
        Action::AllowSession => allow(state, Decision::Session, armed),
        Action::Deny if !armed => not_yet(state, Hint::NotArmed),
        Action::Deny => answer(state, Decision::Deny { note: String::new() }),
        Action::NextApproval => {
            state.approvals.rotate(state.now);
            Vec::new()
        }
        _ => {
            if let Some(scroll) = state.approvals.scroll() {
                panes::scroll(scroll, action);
            }
            Vec::new()
        }
    }
}

/// What was not seen to its end cannot be allowed.
fn allow(state: &mut State, decision: Decision, armed: bool) -> Vec<Effect> {
    let read = state.approvals.first().is_some_and(|approval| approval.read);
    match (armed, read) {
        (false, _) => not_yet(state, Hint::NotArmed),
        (true, false) => not_yet(state, Hint::ReadToEnd),
        (true, true) => answer(state, decision),
    }
}

fn not_yet(state: &mut State, hint: Hint) -> Vec<Effect> {
    state.ladder.show(hint, state.now);
    Vec::new()
}

fn answer(state: &mut State, decision: Decision) -> Vec<Effect> {
    let Some(approval) = state.approvals.first() else { return Vec::new() };
    let (call, tool_use_id) = (approval.call, approval.tool_use_id.clone());
    state.batches.change(call, |call| call.asking = false);
    engine::settle_call(state, call);
    vec![Effect::Send(Command::Answer { tool_use_id, decision })]
}
